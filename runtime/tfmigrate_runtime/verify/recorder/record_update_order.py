"""Puts the updates that several towers make of one variable in a step into an order.

Part of ``record.py``. Towers that update one moving average do so in no order (semantics.md, 1.11).
With an order two recordings are the same; the first tower first in the one and last in another
shows by how much the order matters.

An update that waits for another runs it. So only those are put in order that a step runs anyway:
Inception-like towers run the updates of one of them (``get_collection(UPDATE_OPS, scope)``).
"""

from typing import Any, Dict, List, Sequence, Set

from . import record_variables


def order(trace: Any, graph: Any) -> None:
    """Puts the updates of towers in a graph into the order that a trace is recorded in, once."""
    if not trace.order_of_updates or getattr(graph, "_tfmigrate_ordered", False):
        return
    graph._tfmigrate_ordered = True
    training = getattr(graph, "_tfmigrate_training", None)
    run = run_with(graph, training.operations) if training is not None else set()
    names = put_in_order(graph, trace.order_of_updates == "last", run)
    known = trace.about.setdefault("ordered_updates", [])
    known += [name for name in names if name not in known]


def run_with(graph: Any, training: Sequence[Any]) -> Set[int]:
    """Returns the ids of all ops that may run with these: behind what needs one of them."""
    needs = {id(operation) for operation in training}
    starts = []
    for operation in graph.get_operations():  # in the order in which they were made
        sources = [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
        if id(operation) in needs or any(id(source) in needs for source in sources):
            needs.add(id(operation))
            starts.append(operation)
    return {id(operation) for operation in record_variables.run_by(starts)}


def put_in_order(graph: Any, last_first: bool, run: Set[int]) -> List[str]:
    """Lets each update of a variable wait for the one before; returns the variables' names.

    Args:
        graph: not yet run.
        last_first: whether the last one that was made comes first.
        run: the ids of the ops that a step runs, save for what it fetches besides.
    """
    writes: Dict[int, List[Any]] = {}
    for item in graph.get_collection("update_ops"):
        for operation in _writes_of(getattr(item, "op", item)):
            holder = record_variables.written_by(operation)
            variable_writes = writes.setdefault(id(holder), [])
            if all(operation is not other for other in variable_writes):
                variable_writes.append(operation)
    ordered_ones = []
    for operations in writes.values():
        operations = [each for each in operations if id(each) in run] or operations
        ordered = operations[::-1] if last_first else operations
        for position, after in enumerate(ordered[1:]):
            holder = record_variables.written_by(after)
            for reader in _readers(after, holder):
                reader._add_control_input(ordered[position])
            if holder is not None and holder.name not in ordered_ones:
                ordered_ones.append(holder.name)
    return ordered_ones


def _writes_of(operation: Any) -> List[Any]:
    """Returns the ops that write to a variable and that an update runs, itself or behind it."""
    if operation.type.startswith(record_variables.WRITES):
        return [operation]
    if operation.type in ("NoOp", "Identity", "Merge"):
        behind = [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
        return [write for other in behind for write in _writes_of(other)]
    return []


def _readers(write: Any, holder: Any) -> List[Any]:
    """Returns the ops that compute with the variable for a write, and the write itself."""
    readers, waiting = [write], [tensor.op for tensor in write.inputs[1:]]
    seen: Set[int] = set()
    while waiting and len(seen) < 32:  # the formula of an average is short
        operation = waiting.pop()
        if id(operation) in seen:
            continue
        seen.add(id(operation))
        sources = [source(tensor) for tensor in operation.inputs]
        if any(source is holder for source in sources):
            readers.append(operation)
        else:
            waiting += [tensor.op for tensor in operation.inputs]
    return readers


def source(tensor: Any) -> Any:
    """Returns the op of the variable that a tensor is, or is a read of by reference."""
    operation = tensor.op
    while operation.type in ("Identity", "Enter", "RefEnter") and len(operation.inputs):
        operation = operation.inputs[0].op
    return operation
