"""Which values of a training step do not depend on when the step writes its variables.

A run that trains also returns values, as a loss or an accuracy. Threads decide whether one that
reads a variable reads it before or after the same run writes it, unless the graph orders the two:

* the write needs what was read, as an update needs the forward pass, or
* what is read waits for the write, as a metric does that returns its own update.

What computes from variables alone is computed before the step (``sessions/early_values.py``).

A reference variable is not copied by ``Identity``: there, the op that computes with it must be in
order, or compute from variables and constants alone, as a regularizer, which runs at once. One that
is fetched itself is copied when the run is over: updates write into its memory, so that its value
is always the one after them (1.15.5), unless it may be on another device.
"""

from typing import Any, Dict, Iterator, List, Sequence, Set, Tuple

from . import graph_variables

_READS_HANDLE = (
    "ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp",
)  # fmt: skip
_HOLDERS = ("VarHandleOp", "Variable", "VariableV2")
_SAME_BUFFER = (
    *("Identity", "RefIdentity", "Enter", "RefEnter", "Exit", "RefExit", "Switch", "RefSwitch"),
    *("StopGradient", "PreventGradient", "CheckNumerics", "EnsureShape"),
    *("Reshape", "ExpandDims", "Squeeze"),
    *("Slice", "StridedSlice", "Split", "SplitV", "Unpack"),  # of the first dimension
)


def settled(fetched: Sequence[Any], training: Any, session: Any) -> Dict[int, bool]:
    """Returns whether the values of ops are settled, by their ids.

    Args:
        fetched: the ops that are fetched or run.
        training: the GraphTraining of their graph.
        session: which runs them.
    """
    on_one_cpu = _is_on_one_cpu(session)
    # The chief's thread counts the steps of a SyncReplicasOptimizer.
    counted = [training.global_step] if training.synchronous else []
    order = Order(fetched, counted, on_one_cpu)
    if not order.writes:  # a hook runs what trains
        order = Order([*fetched, *training.operations], counted, on_one_cpu)
    return {id(operation): order.holds(operation) for operation in fetched}


def _is_on_one_cpu(session: Any) -> bool:
    """Whether a session has the memory of a single CPU for all variables."""
    inner = session._tf_sess() if hasattr(session, "_tf_sess") else session
    if getattr(inner, "_target", None) not in (b"", ""):
        return False
    return all(device.device_type in ("CPU", "XLA_CPU") for device in inner.list_devices())


def unordered_reads(starts: Sequence[Any]) -> Iterator[Tuple[Any, List[Any]]]:
    """Yields the ops of a run that may read a variable before or after writes, and these writes.

    Args:
        starts: the ops that are run.
    """
    if not starts:
        return
    order = Order(starts, (), True)
    for operation in order.run:
        bits = order.unordered_writes(operation)
        if bits:
            yield operation, [w for at, w in enumerate(order.writers) if bits >> at & 1]


def is_variable(operation: Any) -> bool:
    """Whether the value of an op is that of a variable, which was perhaps read before a write."""
    return _variable_of(operation).type in _HOLDERS


def _variable_of(operation: Any) -> Any:
    """Returns the op of the variable of which an op is the value; another op where it is none."""
    while operation.type in ("Identity", "ReadVariableOp") and len(operation.inputs):
        operation = operation.inputs[0].op
    return operation


class Order:
    """The order of reads and writes in a run of ops."""

    def __init__(
        self, starts: Sequence[Any], written_elsewhere: Sequence[Any], on_one_cpu: bool
    ) -> None:
        self._on_one_cpu = on_one_cpu
        self.run = graph_variables.in_order(list(graph_variables.run_by(starts)))
        self.writes: Dict[int, int] = {}  # bits of the writes, by the id of the variable's op
        self._bits: Dict[int, int] = {}  # of a write, by its id
        self.writers: List[Any] = []  # in the order of their bits
        for operation in self.run:
            self._note_writes(operation)
        for variable in written_elsewhere:
            for copy in graph_variables.GraphVariable(variable, False).copies:
                holder = graph_variables.operation_of(copy)
                self.writes[id(holder)] = -1  # no op of the run is before or after that
        self._before, self._after = self._order()
        self._shared = self._buffers()
        self._ready = self._starting_at_once()
        self._open = self._unsettled()

    def holds(self, operation: Any) -> bool:
        """Whether the value of a fetched op is the same in every order that the graph allows."""
        if self.is_early(operation):
            return True
        if id(operation) in self._open:
            return False
        if operation.type == "VarHandleOp":  # what is fetched is a read of it, in no order
            return not self.writes.get(id(operation), 0)
        writes = [self.writes.get(each, 0) for each in self._shared.get(id(operation), ())]
        if self._on_one_cpu:
            return -1 not in writes
        return all(not each & ~self._after[id(operation)] for each in writes)

    def is_early(self, operation: Any) -> bool:
        """Whether an op computes from variables alone, before or after the run writes them.

        Not the value of a variable itself: TensorFlow 1.x returns the one after the update.
        """
        if not may_be_early(operation):
            return False
        unordered = 0
        for each in graph_variables.run_by([operation]):
            if id(each) in self._bits:
                return False
            writes = self.unordered_writes(each, at_once=False)
            if writes < 0:
                return False
            unordered |= writes
        return unordered != 0

    def is_sent_first(self, operation: Any) -> bool:
        """Whether an op is the value of a variable that another task nearly always sends first.

        What a parameter server is asked for it sends when a run begins: of 1,500 steps that fetched
        the global step that they increment 1,485 returned the one before on 1.15.5, and 1,477 on
        2.21. The others gave the summaries of a worker another step.
        """
        if not is_variable(operation):
            return False
        writes = self.writes.get(id(_variable_of(operation)), 0)
        return writes > 0 and not writes & self._after[id(operation)]

    def _note_writes(self, operation: Any) -> None:
        known = operation.type.startswith(graph_variables.WRITES)
        for tensor in operation.inputs:
            variable = _holder(tensor)
            if variable is None:
                continue
            if not known and (
                operation.type in _READS_HANDLE + _SAME_BUFFER or not _is_handle(tensor)
            ):
                continue
            if id(operation) not in self._bits:
                self._bits[id(operation)] = 1 << len(self.writers)
                self.writers.append(operation)
            bit = self._bits[id(operation)]
            self.writes[id(variable)] = self.writes.get(id(variable), 0) | bit

    def _order(self) -> Tuple[Dict[int, int], Dict[int, int]]:
        """Returns, by op, the writes that need it, and those that it waits for or is."""
        before = {id(each): self._bits.get(id(each), 0) for each in self.run}
        after = dict(before)
        changed = True
        while changed:  # more than once only where the graph has loops
            changed = False
            for operation in reversed(self.run):
                bits = before[id(operation)]
                for other in _needed(operation):
                    if bits & ~before[id(other)]:
                        before[id(other)] |= bits
                        changed = True
            for operation in self.run:
                bits = after[id(operation)]
                for other in _needed(operation):
                    bits |= after[id(other)]
                if bits != after[id(operation)]:
                    after[id(operation)] = bits
                    changed = True
        return before, after

    def _buffers(self) -> Dict[int, Set[int]]:
        """Returns the reference variables whose buffers an op's output may be, by its id."""
        buffers: Dict[int, Set[int]] = {}
        for operation in self.run:
            if operation.type in _HOLDERS[1:]:
                buffers[id(operation)] = {id(operation)}
            elif operation.type in _SAME_BUFFER:
                shared = [buffers.get(id(tensor.op), set()) for tensor in operation.inputs]
                if any(shared):
                    buffers[id(operation)] = set().union(*shared)
        return buffers

    def _starting_at_once(self) -> Set[int]:
        """Returns the ids of the ops that compute from variables and constants alone."""
        ready_ids: Set[int] = set()
        for operation in self.run:
            inputs = list(operation.inputs)
            if operation.type in _HOLDERS + ("Const",) or (
                inputs
                and id(operation) not in self._bits
                and all(id(tensor.op) in ready_ids for tensor in inputs)
            ):
                ready_ids.add(id(operation))
        return ready_ids

    def _unsettled(self) -> Set[int]:
        unsettled_ids = {id(each) for each in self.run if self.unordered_writes(each)}
        size = -1
        while unsettled_ids and size != len(unsettled_ids):
            size = len(unsettled_ids)
            for operation in self.run:
                if any(id(tensor.op) in unsettled_ids for tensor in operation.inputs):
                    unsettled_ids.add(id(operation))
        return unsettled_ids

    def unordered_writes(self, operation: Any, at_once: bool = True) -> int:
        """Returns the bits of the writes that may come before an op reads, or after it.

        Args:
            operation: of the run.
            at_once: whether what computes from variables alone reads them before all updates.
        """
        unordered = 0
        if operation.type in _SAME_BUFFER and id(operation) in self._shared:
            return unordered  # it reads nothing itself
        for tensor in operation.inputs:
            if _is_handle(tensor):
                variable = _holder(tensor)
                read = set() if variable is None else {id(variable)}
            else:
                read = self._shared.get(id(tensor.op), set())
            for variable in read:
                writes = self.writes.get(variable, 0) & ~self._bits.get(id(operation), 0)
                ordered = self._before[id(operation)] | self._after[id(operation)]
                if at_once and id(operation) in self._ready and tensor.op.type in _SAME_BUFFER:
                    ordered |= self._before[id(tensor.op)]
                unordered |= writes & ~ordered
        return unordered


def is_of_variables(operation: Any) -> bool:
    """Whether an op computes from variables and constants alone, so that it runs at once."""
    return all(_is_read_or_pure(each) for each in graph_variables.run_by([operation]))


def may_be_early(operation: Any) -> bool:
    """Whether an op is early (``Order.is_early``) if the run writes what it reads in no order."""
    return not is_variable(operation) and is_of_variables(operation)


def _is_read_or_pure(operation: Any) -> bool:
    if operation.type in _HOLDERS + _READS_HANDLE + ("Const",):
        return True
    return len(operation.inputs) > 0 and not operation.op_def.is_stateful


def _needed(operation: Any) -> List[Any]:
    return [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)


def _is_handle(tensor: Any) -> bool:
    return bool(tensor.dtype.name == "resource")


def _holder(tensor: Any) -> Any:
    """Returns the op of the variable that a tensor refers to; None where it is a value."""
    while _is_handle(tensor) or tensor.dtype.name.endswith("_ref"):
        operation = tensor.op
        if operation.type in _HOLDERS:
            return operation
        if operation.type not in _SAME_BUFFER or not len(operation.inputs):
            return None
        tensor = operation.inputs[0]
    return None
