"""The first batch that a program trains on, as its input pipeline gives it.

The batch is what the loss depends on and the graph does not compute: what iterators and queues
give, fetched in the very run that makes the first step, and what that run was fed. It is stored in
the trace as

* ``batch/<source>/<component>``: an array [rows, ...]. Sources that give the same kinds of tensors
  (those of towers or replicas) are one, with their rows one below the other. ``fed`` is what was
  fed, by the names of placeholders; scalars (a learning rate, a share of dropout) are left out.
* ``meta["batch"]``: ``{"shapes": {"<source>/<component>": shape}, "reason": str or null}``, where
  the reason is why no batch, or not all of it, was recorded.

Of a component of more than a MiB as many evenly spaced numbers of each row are kept as fit.
"""

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from . import batch_rows, fed_values, graph_variables

_SOURCES = (
    "IteratorGetNext", "IteratorGetNextSync", "QueueDequeue", "QueueDequeueV2", "QueueDequeueMany",
    "QueueDequeueManyV2", "QueueDequeueUpTo", "QueueDequeueUpToV2",
)  # fmt: skip
_ITERATORS = ("Iterator", "OneShotIterator", "AnonymousIterator", "MultiDeviceIterator")
_ITERATOR_RESOURCES = ("Iterator", "IteratorV2", "AnonymousIteratorV2", "AnonymousIteratorV3")
_CONDITIONS = ("If", "StatelessIf")
_HIDDEN = "its input is read inside a condition, a loop or a function of the graph"
_NONE = "its graph reads no input pipeline and is fed no arrays"


class FirstBatch:
    """The inputs of a loss from outside of the graph.

    Attributes:
        fetches: the tensors to fetch in the run that makes the first step.
    """

    def __init__(self, losses: Sequence[Any]) -> None:
        self._read: Set[int] = set()  # ids of all ops that the losses depend on
        self._hidden = False
        sources = self._sources([getattr(loss, "op", loss) for loss in losses])
        self.fetches: List[Any] = []
        self._components: List[Tuple[str, int]] = []  # of each fetch: kinds of its source, position
        for outputs in sources:
            kinds = " ".join(_kind(tensor) for tensor in outputs)
            for position, tensor in enumerate(outputs):
                if _is_value(tensor) and tensor.graph.is_fetchable(tensor):
                    self.fetches.append(tensor)
                    self._components.append((kinds, position))
                else:
                    self._hidden = True

    def _sources(self, starts: Sequence[Any]) -> List[List[Any]]:
        """Returns the outputs of every source, in the order in which the sources were made."""
        sources = []
        for operation in graph_variables.run_by(starts, control=False, ends=_is_source):
            self._read.add(id(operation))
            if _is_source(operation):
                sources.append(operation)
            else:
                self._hidden |= operation.type.startswith(_ITERATORS)
        ordered = graph_variables.in_order(sources)
        return [outputs for operation in ordered for outputs in _by_replica(operation)]

    def arrays(self, fetched: Sequence[Any], feeds: Optional[Dict[Any, Any]]) -> Dict[str, Any]:
        """Returns the batch by ``<source>/<component>``.

        Args:
            fetched: the values of ``fetches``.
            feeds: what the run was fed, by tensor.
        """
        kinds = sorted({kind for kind, _ in self._components})
        parts: Dict[str, List[Any]] = {}
        for index, (kind, position) in enumerate(self._components):
            value = fetched[index]
            parts.setdefault("%d/%d" % (kinds.index(kind), position), []).append(np.asarray(value))
        batch = {
            name: batch_rows.joined(values) for name, values in parts.items() if np.ndim(values[0])
        }
        for tensor, value in (feeds or {}).items():
            tensor = fed_values.fed_tensor(tensor)
            operation: Any = getattr(tensor, "op", None)
            if id(operation) in self._read and np.ndim(value):
                fed_array = np.asarray(value, tensor.dtype.base_dtype.as_numpy_dtype)
                batch["fed/" + operation.name] = fed_array
        return batch

    def reason(self, batch: Dict[str, Any]) -> Optional[str]:
        """Returns why not all of the batch was recorded; None where it was."""
        if self._hidden:
            return _HIDDEN
        return None if batch else _NONE


def _is_value(tensor: Any) -> bool:
    return tensor.dtype.base_dtype.name not in ("variant", "resource")


def _is_source(operation: Any) -> bool:
    return operation.type in _SOURCES or _reads_iterators(operation)


def _reads_iterators(operation: Any) -> bool:
    """Whether a condition of the graph reads batches: tf.distribute does where one may be short."""
    return operation.type in _CONDITIONS and bool(_iterators_of(operation))


def _copy_of(tensor: Any) -> Any:
    """Returns what may be fetched instead of a condition's output."""
    copies = [user for user in tensor.consumers() if user.type == "Identity"]
    return copies[0].outputs[0] if copies else tensor


def _iterators_of(operation: Any) -> List[Any]:
    return [t for t in operation.inputs if t.op.type in _ITERATOR_RESOURCES]


def _by_replica(operation: Any) -> List[List[Any]]:
    """Returns the outputs of a source, those of a condition for N replicas in N parts."""
    outputs = list(operation.outputs)
    if operation.type not in _CONDITIONS:
        return [outputs]
    outputs = [_copy_of(tensor) for tensor in outputs if _is_value(tensor)]
    count = len(_iterators_of(operation))
    size = len(outputs) // count
    together = [outputs[i * size : (i + 1) * size] for i in range(count)]
    in_turn = [outputs[i::count] for i in range(count)]
    for parts in (together, in_turn):
        alike = {str([_row_shape(tensor) for tensor in part]) for part in parts}
        if size * count == len(outputs) and len(alike) == 1:
            return parts
    return [outputs]


def _row_shape(tensor: Any) -> Any:
    return None if tensor.shape.ndims is None else tensor.shape.as_list()[1:]


def _kind(tensor: Any) -> str:
    rank = tensor.shape.ndims
    return "%s[%s]" % (tensor.dtype.base_dtype.name, "?" if rank is None else rank)
