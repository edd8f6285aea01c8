"""Lets averages of weights be updated after the weights, where a program leaves that to threads.

The multi-GPU tutorial of CIFAR-10, and what was copied from it, runs ``tf.group(apply_gradients,
average.apply(weights))``: whether an average is of the weights before or after the step differs
from run to run. Where both are run by one op, the one that was made later waits for the other.

Nothing is done where they merely stand in one graph: a program may run the averages alone, and must
not train then.

Private names of TensorFlow that are touched: ``Operation._add_control_input``.
"""

from typing import Any, Dict, Iterator, List, Set, Tuple

from ..program import wrapping
from . import graph_variables


def install() -> None:
    """Wraps averages, and what runs several ops together: ``tf.group`` calls it, too."""
    from tensorflow.python.framework import ops
    from tensorflow.python.training import moving_averages

    def noting(original: Any, *arguments: Any, **options: Any) -> Any:
        made_before = len(ops.get_default_graph().get_operations())
        result = original(*arguments, **options)
        operation = getattr(result, "op", result)
        graph = getattr(operation, "graph", None)
        if graph is not None:
            averages: Dict[int, int] = getattr(graph, "_tfmigrate_averages", {})
            averages[id(operation)] = made_before
            graph._tfmigrate_averages = averages
        return result

    def put_in_order(graph: Any, control_inputs: Any) -> None:
        if getattr(graph, "_tfmigrate_averages", None) and control_inputs:
            _put_in_order(graph, [getattr(each, "op", each) for each in control_inputs])

    wrapping.wrap(moving_averages.ExponentialMovingAverage, "apply", noting)
    wrapping.before(ops.Graph, "control_dependencies", put_in_order)


def _put_in_order(graph: Any, together: List[Any]) -> None:
    training = getattr(graph, "_tfmigrate_training", None)
    trains = {id(operation) for operation in training.operations} if training else set()
    run = list(_within(together))
    for average, made_before in _averages(graph, run):
        for step in (operation for operation in run if id(operation) in trains):
            all_operations = graph.get_operations()
            first, last = (
                (step, average) if all_operations.index(step) < made_before else (average, step)
            )
            if any(each is last for each in graph_variables.run_by([first])):
                continue  # the program has an order
            start = made_before if last is average else all_operations.index(first) + 1
            later = {id(operation) for operation in all_operations[start:]}
            for each in graph_variables.run_by([last]):
                if id(each) in later and not _is_of_new_variable(each, later):
                    each._add_control_input(first)


def _is_of_new_variable(operation: Any, later: Set[int]) -> bool:
    """Whether an op is, or reads, a variable made meanwhile: it is initialized and saved, too."""
    source = operation
    if operation.type in ("Identity", "ReadVariableOp"):
        source = operation.inputs[0].op
    is_variable = source.type in ("Variable", "VariableV2", "VarHandleOp", "Const")
    in_flow = operation._get_control_flow_context() is not None
    return in_flow or (is_variable and id(source) in later)


def _averages(graph: Any, run: List[Any]) -> Iterator[Tuple[Any, int]]:
    averages: Dict[int, int] = graph._tfmigrate_averages
    for operation in run:
        if id(operation) in averages:
            yield operation, averages[id(operation)]


def _within(operations: List[Any]) -> Iterator[Any]:
    """Yields ops, and those that groups among them run."""
    for operation in operations:
        yield operation
        if getattr(operation, "type", None) == "NoOp":
            yield from _within(list(operation.control_inputs))
