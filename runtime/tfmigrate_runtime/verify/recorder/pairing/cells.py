"""Recurrent cells of Keras, with their variables as cells of TensorFlow 1.x hold them.

``tf.nn.rnn_cell.LSTMCell`` has one kernel, [input + state, 4 * state], where a cell of Keras has
one for its input and one for its state. Its gates are i, c, f, o, those of Keras i, f, c, o. It
adds ``forget_bias`` when it computes, where the bias of Keras starts from 1 (``unit_forget_bias``).
So a port by ``keras.layers.LSTM`` has other shapes, and no order of axes brings them into the
original's: parts of a cell are read and written as one variable, where the original has one of that
shape. An original that trains a tf.keras cell has none, and is paired as it is.

``GRUCell`` has a kernel of its gates r and z and one of its candidate, where Keras has z, r and the
candidate in each of its two: these are two variables made of the same parts. It multiplies the
state by r before the product, which is ``reset_after=False`` of Keras; with the default no port
computes the same, and it is refused.
"""

import weakref
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ...map_file import RefusedError
from ..native.created_variables import NativeVariable, tensorflow_variable, values_of
from ..program import imports

_CELLS = {"gru": "GRUCell", "lstm": "LSTMCell", "simple_rnn": "SimpleRNNCell"}
MODULES = {
    "%s.src.layers.rnn.%s" % (package, name): cell
    for package in ("keras", "tf_keras")
    for name, cell in _CELLS.items()
}
_LSTM = (0, 2, 1, 3)  # i, c, f, o among i, f, c, o
_FORGET = 1  # the gate f of Keras
_GATES, _CANDIDATE = (1, 0), (2,)  # r, z among z, r, candidate

Shape = Tuple[int, ...]


class CellVariable(NativeVariable):
    """Variables of a cell, or their slots, as one variable of the cell of TensorFlow 1.x."""

    def __init__(
        self,
        name: str,
        parts: Sequence[NativeVariable],
        blocks: int = 1,
        order: Sequence[int] = (0,),
        shift: float = 0.0,
    ) -> None:
        """Takes the parts, below each other.

        Args:
            name: unique in the program.
            parts: float variables [rows, blocks * state] or [blocks * state].
            blocks: how many gates they have.
            order: which of these the original's variable has, in its order.
            shift: how much more the bias of the forget gate is than the original's.
        """
        first = parts[0]
        self.parts = list(parts)
        self.name, self.variable, self.key = name, first.variable, first.key
        self.trainable, self.dtype, self.combine = first.trainable, first.dtype, first.combine
        columns = first.shape[-1] // blocks * len(order)
        rows = [sum(part.shape[0] for part in parts)] if len(first.shape) > 1 else []
        self.shape = rows + [columns]
        self.copies = [copy for part in parts for copy in part.copies]
        self._blocks, self._order, self._shift = blocks, tuple(order), shift

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
        return self.joined(list(values_of(self.parts, fetched).values()))

    def now(self) -> Any:
        """Returns the original's value; not to be called while a graph is built."""
        return self.joined([part.now() for part in self.parts])

    def put(self, value: Any) -> None:
        """Overwrites its blocks on all replicas; not to be called while a graph is built."""
        held = [part.now() for part in self.parts]
        for part, piece in zip(self.parts, self._divided(value, held)):
            part.put(piece)

    def of_copies(self, value: Any, present: Sequence[Any]) -> List[Any]:
        """Returns what each copy of the parts holds, where other blocks stay as they are."""
        held, position = [], 0
        for part in self.parts:
            held.append(present[position])
            position += len(part.copies)
        pieces = zip(self.parts, self._divided(value, held))
        return [each for part, piece in pieces for each in part.of_copies(piece, ())]

    def of_slot(self, slots: Sequence[NativeVariable]) -> NativeVariable:
        """Returns a slot of the variable, given those of its parts."""
        name = "%s of %s" % (slots[0].name, self.name)
        return CellVariable(name, slots, self._blocks, self._order)

    def joined(self, values: Sequence[Any]) -> Any:
        """Returns the original's value, given those of the parts."""
        blocks = np.split(np.concatenate(values), self._blocks, -1)
        if self._shift:
            blocks[_FORGET] = blocks[_FORGET] - blocks[_FORGET].dtype.type(self._shift)
        return np.concatenate([blocks[index] for index in self._order], -1)

    def _divided(self, value: Any, held: Sequence[Any]) -> List[Any]:
        """Returns the values of the parts, given what they hold."""
        blocks = np.split(np.concatenate(held), self._blocks, -1)
        for index, block in zip(self._order, np.split(value, len(self._order), -1)):
            blocks[index] = block
        if self._shift:
            blocks[_FORGET] = blocks[_FORGET] + blocks[_FORGET].dtype.type(self._shift)
        rows = np.cumsum([part.shape[0] for part in self.parts])[:-1]
        pieces = np.split(np.concatenate(blocks, -1), rows)
        return [np.ascontiguousarray(piece) for piece in pieces]


class Cells:
    """The cells of Keras that a program has built."""

    def __init__(self) -> None:
        self._built: List[Any] = []  # weak references

    def install(self) -> None:
        """Wraps what builds them, once it is loaded."""
        imports.when_loaded(tuple(MODULES), self._observe)

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
        replaced: Dict[int, List[NativeVariable]] = {}
        for cell in filter(None, (reference() for reference in self._built)):
            held = (cell.kernel, cell.recurrent_kernel, cell.bias)
            keys = [id(tensorflow_variable(each)) for each in held]
            parts = [by_key[key] for key in keys if key in by_key]
            if not by_key.keys() >= {*keys[:2]}:
                continue
            wholes = _wholes(cell, parts[:2], parts[2:])
            if tuple(wholes[0].shape) not in shapes:
                continue
            if getattr(cell, "reset_after", False):
                raise RefusedError(
                    "%s resets its state after the product, cells of tf.nn.rnn_cell before it: "
                    "pass reset_after=False to its GRU" % parts[0].name
                )
            replaced.update({part.key: [] for part in parts})
            for whole in wholes:
                replaced[whole.key].append(whole)
        return [one for each in variables for one in replaced.get(each.key, [each])]


def _wholes(
    cell: Any, kernels: Sequence[NativeVariable], bias: Sequence[NativeVariable]
) -> List[NativeVariable]:
    """Returns the variables of the cell of TensorFlow 1.x that a cell of Keras is."""
    named = [(parts, parts[0].name) for parts in (kernels, bias) if parts]
    if hasattr(cell, "reset_after"):
        wholes: List[NativeVariable] = []
        for of, order in (("gates", _GATES), ("candidate", _CANDIDATE)):
            for parts, name in named:
                layer, _, last = name.rpartition("/")
                wholes.append(CellVariable("/".join((layer, of, last)), parts, 3, order))
        return wholes
    if not hasattr(cell, "unit_forget_bias"):
        return [CellVariable(name, parts) for parts, name in named]
    shift = 1.0 if cell.unit_forget_bias else 0.0
    return [
        CellVariable(name, parts, 4, _LSTM, shift if parts is bias else 0.0)
        for parts, name in named
    ]
