"""Session calls as functions: the part of a graph that some fetches need, with its feeds.

``Session.run`` executes what its fetches need of a graph. A function of the same nodes does the
same and can be sent to a worker; variables and tables become handles of resources that stay on
the parameter servers.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.coordinator.eager import captured
from tfmigrate_runtime.train.executed import executed_by

SHARED_RESOURCES = frozenset(
    ("VarHandleOp", "HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2")
)
_READS_FILES = frozenset(("RestoreV2", "ReadFile", "MatchingFiles"))
_WRITES_FILES = frozenset(("SaveV2", "MergeV2Checkpoints", "WriteFile"))
_NOT_CARRIED = {
    "PyFunc": "a Python function (tf.py_func), which only this process has",
    "PyFuncStateless": "a Python function (tf.py_func), which only this process has",
    "EagerPyFunc": "a Python function (tf.py_function), which only this process has",
    "FIFOQueueV2": "an input queue",
    "RandomShuffleQueueV2": "an input queue",
    "PaddingFIFOQueueV2": "an input queue",
    "PriorityQueueV2": "an input queue",
    "ConditionalAccumulator": "a gradient accumulator (SyncReplicasOptimizer)",
    "SparseConditionalAccumulator": "a gradient accumulator (SyncReplicasOptimizer)",
    "VariableV2": "a reference variable (use_resource=False)",
    "Variable": "a reference variable (use_resource=False)",
    "IteratorV2": "a tf.data iterator",
    "Iterator": "a tf.data iterator",
    "OneShotIterator": "a tf.data iterator",
}
_TRAINING = re.compile(r"^Resource(Sparse)?Apply")


@dataclass(frozen=True)
class Part:
    """The part of a graph that one kind of session call executes.

    Attributes:
        nodes: its operations.
        fetches: the tensors that it returns.
        targets: the operations that it executes without a result.
        feeds: the tensors whose values are given.
    """

    nodes: tuple[Any, ...]
    fetches: tuple[Any, ...]
    targets: tuple[Any, ...]
    feeds: tuple[Any, ...]

    @property
    def resources(self) -> list[Any]:
        """The operations that make variables and tables."""
        return [op for op in self.nodes if op.type in SHARED_RESOURCES]

    @property
    def read_from_files(self) -> list[Any]:
        """What comes from files, which are those of the coordinator."""
        return [t for op in self.nodes if op.type in _READS_FILES for t in op.outputs]

    @property
    def written_from(self) -> list[Any]:
        """What comes from variables and tables and is written to files; [] without such files."""
        if not any(op.type in _WRITES_FILES for op in self.nodes):
            return []
        return [
            tensor
            for op in self.nodes
            if any(operand.dtype == tf.resource for operand in op.inputs)
            for tensor in op.outputs
        ]

    @property
    def trains(self) -> bool:
        """Whether an optimizer applies gradients."""
        return any(_TRAINING.match(op.type) for op in self.nodes)

    def increments(self, variable: Any) -> list[int | None]:
        """Returns what is added to a variable, by operation; None where that is not known."""
        amounts: list[int | None] = []
        for op in self.nodes:
            if not op.type.startswith("Assign") or op.inputs[0] is not variable.handle:
                continue
            constant = tf.get_static_value(op.inputs[1])
            known = op.type == "AssignAddVariableOp" and constant is not None
            amounts.append(int(constant) if known else None)
        return amounts


def part_of(fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any]) -> Part:
    """Returns what a session call with these fetches and feeds executes.

    Raises:
        ValueError: the call needs something that only one process can have, such as a queue.
    """
    operations = executed_by(fetches, targets, feeds)
    for op in operations.values():
        if op.type in _NOT_CARRIED:
            raise ValueError(
                f"{op.name} is {_NOT_CARRIED[op.type]}; steps run on any worker, so they cannot "
                "use it"
            )
    unfed = [op.name for op in operations.values() if op.type == "Placeholder"]
    if unfed:
        raise tf.errors.InvalidArgumentError(
            None, None, f"You must feed a value for placeholder tensor {unfed[0]!r}"
        )
    return Part(tuple(operations.values()), tuple(fetches), tuple(targets), tuple(feeds))


def function_of(part: Part, graph_def: Any, handle_of: Callable[[Any], Any]) -> Any:
    """Returns the concrete function that executes a part of a graph.

    Args:
        part: the part.
        graph_def: the whole graph.
        handle_of: returns the eager handle of a resource, given the operation that makes it.

    Returns:
        A function of the fed tensors, in the order of ``part.feeds``, that returns the fetched
        ones. Eager execution must be on.
    """
    definition = _definition(part, graph_def)
    used = {name for node in definition.node for name in node.input}

    def execute(*values: Any) -> list[Any]:
        input_values = dict(zip((tensor.name for tensor in part.feeds), values, strict=True))
        for op in part.resources:
            input_values[f"{op.name}:0"] = captured(handle_of(op))
        wanted = [t for t in part.fetches if t.name not in input_values]
        imported = tf.graph_util.import_graph_def(
            definition,
            input_map={
                k: v for k, v in input_values.items() if k in used or k.removesuffix(":0") in used
            },
            return_elements=[t.name for t in wanted] + [op.name for op in part.targets],
            name="",
        )
        result_of = {**input_values, **dict(zip((t.name for t in wanted), imported, strict=False))}
        # Only what results depend on is executed for certain.
        with tf.control_dependencies(imported[len(wanted) :]):
            results = [tf.identity(result_of[tensor.name]) for tensor in part.fetches]
            return results or [tf.constant(0)]

    signature = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in part.feeds]
    return tf.wrap_function(execute, signature)


def _definition(part: Part, graph_def: Any) -> Any:
    """Returns the nodes of a part without the places they had in a cluster of sessions."""
    part_names = {op.name for op in part.nodes}
    resource_names = {op.name for op in part.resources}
    result = tf.GraphDef(versions=graph_def.versions, library=graph_def.library)
    for node in graph_def.node:
        if node.name not in part_names or node.name in resource_names:
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        # Which task executes an operation follows from the worker and the resources it uses.
        copy.device = _without_task(node.device)
        copy.attr.pop("_class", None)
        copy.ClearField("input")
        copy.input.extend(_inputs(node.input, part_names - resource_names))
    return result


def _inputs(names: Iterable[str], part_names: set[str]) -> list[str]:
    return [name for name in names if not name.startswith("^") or name[1:] in part_names]


def _without_task(device: str) -> str:
    spec = tf.DeviceSpec.from_string(device)
    if spec.job == "ps" or spec.device_type is None:
        return ""
    kind = tf.DeviceSpec(device_type=spec.device_type, device_index=spec.device_index)
    return str(kind.to_string())
