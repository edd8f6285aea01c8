"""Session calls as functions: the part of a graph that some fetches need, with its feeds.

``Session.run`` executes what its fetches need of a graph. A function of the same nodes does the
same and can be sent to a worker; variables and tables become handles of resources that stay on
the parameter servers.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.coordinator.eager import captured
from tfmigrate_runtime.train import graph_parts
from tfmigrate_runtime.train.graph_parts import GraphText

SHARED_RESOURCES = (
    "VarHandleOp", "HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2",
)  # fmt: skip
_READS_FILES = ("RestoreV2", "ReadFile", "MatchingFiles")
_WRITES_FILES = ("SaveV2", "MergeV2Checkpoints", "WriteFile")
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


class Part(graph_parts.Part):
    """The part of a graph that one kind of session call executes."""

    @property
    def resources(self) -> list[Any]:
        """The operations that make variables and tables."""
        return self.of_types(*SHARED_RESOURCES)

    @property
    def read_from_files(self) -> list[Any]:
        """What comes from files, which are those of the coordinator."""
        return [t for op in self.of_types(*_READS_FILES) for t in op.outputs]

    @property
    def written_from(self) -> list[Any]:
        """What comes from variables and tables and is written to files; [] without such files."""
        if not self.of_types(*_WRITES_FILES):
            return []
        return [
            tensor
            for op in self.nodes.values()
            if any(operand.dtype == tf.resource for operand in op.inputs)
            for tensor in op.outputs
        ]

    @property
    def trains(self) -> bool:
        """Whether an optimizer applies gradients."""
        return any(_TRAINING.match(op.type) for op in self.nodes.values())

    def increments(self, variable: Any) -> list[int | None]:
        """Returns what is added to a variable, by operation; None where that is not known."""
        amounts: list[int | None] = []
        for op in self.nodes.values():
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
    part = graph_parts.part_of(fetches, targets, feeds)
    for op in part.of_types(*_NOT_CARRIED):
        raise ValueError(
            f"{op.name} is {_NOT_CARRIED[op.type]}; steps run on any worker, so they cannot use it"
        )
    return Part(part.nodes, part.fetches, part.targets, part.feeds)


def function_of(part: Part, text: GraphText, handle_of: Callable[[Any], Any]) -> Any:
    """Returns the concrete function that executes a part of a graph.

    Args:
        part: the part.
        text: of the whole graph.
        handle_of: returns the eager handle of a resource, given the operation that makes it.

    Returns:
        A function of the fed tensors, in the order of ``part.feeds``, that returns the fetched
        ones. Eager execution must be on.
    """
    definition = text.of(part, [op.name for op in part.resources])
    for node in definition.node:
        # Which task executes an operation follows from the worker and the resources it uses.
        node.device = _without_task(node.device)

    def execute(*values: Any) -> list[Any]:
        given = dict(zip((tensor.name for tensor in part.feeds), values, strict=True))
        given.update({f"{op.name}:0": captured(handle_of(op)) for op in part.resources})
        results, executed = part.imported(definition, given, [op.name for op in part.targets])
        with tf.control_dependencies(executed):
            return [tf.identity(results[t.name]) for t in part.fetches] or [tf.constant(0)]

    signature = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in part.feeds]
    return tf.wrap_function(execute, signature)


def _without_task(device: str) -> str:
    spec = tf.DeviceSpec.from_string(device)
    if spec.job == "ps" or spec.device_type is None:
        return ""
    kind = tf.DeviceSpec(device_type=spec.device_type, device_index=spec.device_index)
    return str(kind.to_string())
