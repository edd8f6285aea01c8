"""Recurrent cells of Keras, with their variables as cells of TensorFlow 1.x hold them.

Part of ``record_native.py``; runs on Python 3.6 or newer and TensorFlow 2.

``tf.nn.rnn_cell.LSTMCell`` has one kernel, [input + state, 4 * state], where a cell of Keras has
one for its input and one for its state. Its gates are i, c, f, o, those of Keras i, f, c, o. It
adds ``forget_bias`` when it computes, where the bias of Keras starts from 1 (``unit_forget_bias``).
So a port by ``keras.layers.LSTM`` has other shapes, and no order of axes brings them into the
original's: parts of a cell are read and written as one variable, where the original has one of that
shape. An original that trains a tf.keras cell has none, and is paired as it is.

``GRUCell`` applies its reset gate before the product, which Keras does with ``reset_after=False``,
and divides its kernels by gates, not by what they multiply: it is not paired.
"""

import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import record_imports
from .record_created import NativeVariable

MODULES = {
    "keras.src.layers.rnn.lstm": "LSTMCell",
    "keras.src.layers.rnn.simple_rnn": "SimpleRNNCell",
}
_GATES = (0, 2, 1, 3)  # of i, c, f, o among i, f, c, o; and the other way round
_FORGET = 1  # the gate f of Keras

Shape = Tuple[int, ...]


class CellVariable(NativeVariable):
    """Variables of a cell, or their slots, as one variable of the cell of TensorFlow 1.x."""

    def __init__(self, parts: Sequence[NativeVariable], has_gates: bool, shift: float) -> None:
        """Takes the parts, below each other.

        Args:
            parts: float variables [rows, gates * state] or [gates * state].
            has_gates: whether they are of an LSTM.
            shift: how much more the bias of the forget gate is than the original's.
        """
        first = parts[0]
        self.parts = [part for whole in parts for part in whole.parts]
        self.name, self.variable, self.key = first.name, first.variable, first.key
        self.trainable, self.dtype, self.combine = first.trainable, first.dtype, first.combine
        self.shape = [sum(part.shape[0] for part in parts)] + list(first.shape[1:])
        self.copies = [copy for part in parts for copy in part.copies]
        self._has_gates = has_gates
        self._shift = shift

    @property
    def keys(self) -> List[int]:
        """The keys of all parts."""
        return [part.key for part in self.parts]

    @property
    def fetches(self) -> List[Any]:
        """What to fetch for :meth:`value`."""
        return [copy for part in self.parts for copy in part.fetches]

    @property
    def is_there(self) -> bool:
        """Whether all parts have a value; not to be read while a graph is built."""
        return all(part.is_there for part in self.parts)

    def value(self, fetched: Sequence[Any]) -> Any:
        """Returns the original's value, given those of all fetches."""
        values, position = [], 0
        for part in self.parts:
            count = len(part.fetches)
            values.append(part.value(fetched[position : position + count]))
            position += count
        return self.joined(values)

    def now(self) -> Any:
        """Returns the original's value; not to be called while a graph is built."""
        return self.joined([part.now() for part in self.parts])

    def put(self, value: Any) -> None:
        """Overwrites all parts on all replicas; not to be called while a graph is built."""
        for part, piece in zip(self.parts, self._divided(value)):
            part.put(piece)

    def of_copies(self, value: Any) -> List[Any]:
        """Returns what each copy of the parts holds."""
        pieces = zip(self.parts, self._divided(value))
        return [held for part, piece in pieces for held in part.of_copies(piece)]

    def of_slot(self, slots: Sequence[NativeVariable]) -> NativeVariable:
        """Returns a slot of the variable, given those of its parts."""
        return CellVariable(slots, self._has_gates, 0.0)

    def joined(self, values: Sequence[Any]) -> Any:
        """Returns the original's value, given those of the parts."""
        import numpy as np

        if not self._has_gates:
            return np.concatenate(values)
        gates = np.split(np.concatenate(values), len(_GATES), -1)
        gates[_FORGET] = gates[_FORGET] - gates[_FORGET].dtype.type(self._shift)
        return np.concatenate([gates[gate] for gate in _GATES], -1)

    def _divided(self, value: Any) -> List[Any]:
        import numpy as np

        if self._has_gates:
            gates = np.split(value, len(_GATES), -1)
            gates = [gates[gate] for gate in _GATES]
            gates[_FORGET] = gates[_FORGET] + gates[_FORGET].dtype.type(self._shift)
            value = np.concatenate(gates, -1)
        rows = np.cumsum([part.shape[0] for part in self.parts])[:-1]
        return [np.ascontiguousarray(piece) for piece in np.split(value, rows)]


class Cells:
    """The cells of Keras that a program has built."""

    def __init__(self) -> None:
        self._built: List[Any] = []  # weak references

    def install(self) -> None:
        """Wraps what builds them, once it is loaded."""
        record_imports.when_loaded(tuple(MODULES), self._observe)

    def _observe(self, module: Any) -> None:
        kind = getattr(module, MODULES[module.__name__])
        original, built = kind.build, self._built

        def build(this: Any, input_shape: Any) -> None:
            original(this, input_shape)
            built.append(weakref.ref(this))

        # Keras keeps the shape that ``build`` is called with under the names of its parameters.
        kind.build = build

    def joined(
        self, variables: Sequence[NativeVariable], shapes: Sequence[Shape]
    ) -> List[NativeVariable]:
        """Returns variables with those of cells put together as the original's.

        Args:
            variables: of the program, in order of creation.
            shapes: those of the original's trainable variables.
        """
        by_key = {variable.key: variable for variable in variables}
        replaced: Dict[int, Optional[NativeVariable]] = {}  # None is part of an earlier one
        for cell in filter(None, (reference() for reference in self._built)):
            kernels = [by_key.get(_key(v)) for v in (cell.kernel, cell.recurrent_kernel)]
            if kernels[0] is None or kernels[1] is None:
                continue
            has_gates = hasattr(cell, "unit_forget_bias")
            kernel = CellVariable([kernels[0], kernels[1]], has_gates, 0.0)
            if tuple(kernel.shape) not in shapes:
                continue
            replaced.update({kernels[0].key: kernel, kernels[1].key: None})
            bias = by_key.get(_key(cell.bias))
            if bias is not None and has_gates:
                shift = 1.0 if cell.unit_forget_bias else 0.0
                replaced[bias.key] = CellVariable([bias], has_gates, shift)
        wholes = [replaced.get(variable.key, variable) for variable in variables]
        return [variable for variable in wholes if variable is not None]


def _key(variable: Any) -> int:
    return NativeVariable("", variable).key if variable is not None else 0
