"""Keeps the order of reading and counting the global step, which TensorFlow leaves to threads.

Hooks that read the global step in the run of a training step read it before it is incremented: else
threads decide whether they read it before or after, and SummarySaverHook and CheckpointSaverHook
write at different steps in each run. Estimators build models that way.

What a step computes of a variable that it assigns as well, it reads before, too. BERT's optimizer,
which most programs of that time copied, returns ``tf.group(train_op, [global_step.assign(...)])``:
threads decide whether the learning rate is that of this step or of the next. In sessions of 1.15 it
is mostly that of the next (semantics.md, section 3): a port may follow either, so the original can
be recorded in the other order, too. ``meta["unordered_reads"]`` has the names of such variables.

What ``tf.gradients`` alone computes needs not be complete when a part of it is applied:
okuchaiev/f-lm updates the kernel of a cell while other gradients are still computed from it.

Private names of TensorFlow that are touched: ``training_util._get_or_create_global_step_read``, by
which hooks read the global step; ``Operation._add_control_input``, which orders two ops.
"""

from typing import Any, Dict, List, Sequence, Set

from ..program import wrapping
from . import graph_variables, settled_values

_ASSIGNS = (
    *("Assign", "AssignAdd", "AssignSub"),
    *("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"),
)
# What a step may not be made to compute only because an assignment waits for it.
_INPUTS = ("Placeholder", "PlaceholderV2", "IteratorGetNext", "IteratorGetNextSync", "QueueDequeue")


def read_step_before_it_counts() -> None:
    """Lets hooks read the global step before an op of the same run increments it."""
    from tensorflow.python.framework import ops
    from tensorflow.python.training import training_util

    def get_or_create(original: Any, graph: Any = None) -> Any:
        before = training_util._get_global_step_read(graph)
        reading = original(graph)
        # Later, a session may have the ops already, and refuses those that change.
        if before is None and reading is not None:
            graph = graph or ops.get_default_graph()
            needed = {one.name for one in graph_variables.run_by([reading.op])}
            for count in _counts_of_step(training_util.get_global_step(graph)):
                if count.name not in needed:
                    count._add_control_input(reading.op)
        return reading

    wrapping.wrap(training_util, "_get_or_create_global_step_read", get_or_create)


def order_reads(graph: Any, assigns_first: bool = False) -> None:
    """Lets assignments of a training step wait for what its updates read of these variables.

    Args:
        graph: not yet run.
        assigns_first: lets what is read wait for the assignments. What computes it in a run that is
            no step then assigns as well.
    """
    training = getattr(graph, "_tfmigrate_training", None)
    if training is None or hasattr(graph, "_tfmigrate_unordered_reads"):
        return
    unordered = graph._tfmigrate_unordered_reads = set()
    run = _run_with(graph, training.operations)
    assigns: Dict[int, List[Any]] = {}
    for write in graph.get_operations():
        if id(write) in run and write.type in _ASSIGNS and _is_plain(write):
            assigns.setdefault(id(graph_variables.written_by(write)), []).append(write)
    for reader in list(graph_variables.run_by(training.operations)) if assigns else ():
        # By reference it passes the variable's memory on: what computes with that reads it.
        is_reference = reader.type == "Identity"
        if not _is_plain(reader) or (is_reference and assigns_first):
            continue
        for holder in _read_by(reader):
            for write in assigns.get(id(holder), ()):
                if _set_order(reader, write, assigns_first) and not is_reference:
                    unordered.add(holder.name)
    unordered.update(_read_before_updating(training.operations))


def unordered_reads(graph: Any) -> List[str]:
    """Returns the names of the variables whose reads and assignments got an order."""
    return sorted(getattr(graph, "_tfmigrate_unordered_reads", ()))


def _read_before_updating(training: Sequence[Any]) -> Set[str]:
    """Lets updates wait for what all steps that make them read of the same variables.

    Returns:
        The names of variables of which an update assigns a part first, in no order with what reads
        them: AdamW of tf.contrib.opt decays weights while the loss is computed from them.
    """
    steps = [{id(each) for each in graph_variables.run_by([one])} for one in training]
    assigned, parts = set(), {}
    for reader, writes in list(settled_values.unordered_reads(training)):
        for write in writes:
            if write.type in _ASSIGNS and id(write) not in parts:
                parts[id(write)] = _is_part(write, training)
        updates = [w for w in writes if _is_plain(w) and parts.get(id(w), True)]
        needed = _needs(reader) if updates else set()
        for update in updates if _is_plain(reader) else ():
            is_read = all(id(reader) in step for step in steps if id(update) in step)
            if is_read and id(update) not in needed:
                update._add_control_input(reader)
                if update.type in _ASSIGNS:
                    assigned.add(graph_variables.written_by(update).name)
    return assigned


def _is_part(assign: Any, training: Sequence[Any]) -> bool:
    """Returns whether an update of the variable that an op assigns waits for it."""
    holder = graph_variables.written_by(assign)
    return any(
        id(assign) in _needs(each)
        for each in graph_variables.run_by(training)
        if each.type.startswith(graph_variables.WRITES)
        and each.type not in _ASSIGNS
        and graph_variables.written_by(each) is holder
    )


def _run_with(graph: Any, training: Sequence[Any]) -> Set[int]:
    """Returns the ids of all ops that may run with these: behind what needs one of them."""
    needs = {id(operation) for operation in training}
    starts = []
    for operation in graph.get_operations():  # in the order in which they were made
        sources = [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
        if id(operation) in needs or any(id(source) in needs for source in sources):
            needs.add(id(operation))
            starts.append(operation)
    return {id(operation) for operation in graph_variables.run_by(starts)}


def _set_order(reader: Any, write: Any, assigns_first: bool) -> bool:
    """Gives an op that reads a variable and one that assigns it an order, where they have none.

    Returns whether it did: no op is made to wait for the input of a step.
    """
    first, second = (write, reader) if assigns_first else (reader, write)
    needed = set()
    for operation in graph_variables.run_by([first]):
        if operation.type.startswith(_INPUTS):  # most readers need it: the graph is not walked
            return False
        needed.add(id(operation))
    if id(second) in needed or id(first) in _needs(second):
        return False
    second._add_control_input(first)
    return True


def _needs(operation: Any) -> Set[int]:
    return {id(needed) for needed in graph_variables.run_by([operation])}


def _read_by(operation: Any) -> List[Any]:
    """Returns the ops of variables whose values an op may compute with."""
    is_write = operation.type.startswith(graph_variables.WRITES)
    return [_source(t) for t in list(operation.inputs)[is_write:]]


def _source(tensor: Any) -> Any:
    """Returns the op of the variable that a tensor is, or is a read of by reference."""
    operation = tensor.op
    while operation.type in ("Identity", "Enter", "RefEnter") and len(operation.inputs):
        operation = operation.inputs[0].op
    return operation


def _is_plain(operation: Any) -> bool:
    """Whether an op is in no branch and no loop."""
    return operation._get_control_flow_context() is None


def _counts_of_step(step: Any) -> List[Any]:
    """Returns the ops that add to the global step, outside of branches and loops."""
    consuming_ops: List[Any] = []
    for copy in graph_variables.GraphVariable(step, False).copies:
        handle = getattr(copy, "handle", None)  # of a resource variable
        source = copy._ref() if handle is None and hasattr(copy, "_ref") else handle
        consuming_ops += [] if source is None else source.consumers()
    counts = [op for op in consuming_ops if op.type in ("AssignAdd", "AssignAddVariableOp")]
    training = getattr(step.graph, "_tfmigrate_training", None)
    if training is not None:  # others initialize the step, or restore it
        run = _run_with(step.graph, training.operations)
        counts += [op for op in consuming_ops if op.type in _ASSIGNS[::3] and id(op) in run]
    return counts
