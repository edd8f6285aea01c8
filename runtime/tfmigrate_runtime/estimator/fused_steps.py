"""Several training steps in one ``session.run``: a copy of the step in a loop of the graph.

A session call costs about as long as a small model's step. The model is built as ever, with the
names that hooks and programs fetch; what one step runs is then copied into the body of a
``tf.while_loop`` that uses the same variables, iterators, tables and queues. The loop is run for
the steps that no hook needs to see (``step_plan``), the original for the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.copied_steps import step_nodes
from tfmigrate_runtime.estimator.copied_steps.pure_operations import PureOperations, remove_unneeded
from tfmigrate_runtime.estimator.copied_steps.small_updates import write_out_small_adam
from tfmigrate_runtime.estimator.copied_steps.unrolled_loops import unroll
from tfmigrate_runtime.estimator.shared_copies import SharedCopies
from tfmigrate_runtime.estimator.sparse_updates import gather_from_variable, row_lookups

_COLOCATION = "_class"
# Each has its own state, which a copy would not share: another stream of random numbers.
_SEEDS = ("seed", "seed2")
# They give what the session was called with, or what only the original keeps.
_NOT_COPIED = ("Placeholder", "PlaceholderV2", "Stage", "Unstage", "MapStage", "MapUnstage")


@dataclass(frozen=True)
class FusedSteps:
    """A loop of training steps.

    Attributes:
        count: int32 placeholder: how many steps.
        loss: scalar: the loss of the last step that was run.
        global_step: int64 scalar: the global step after it.
        variable: int64 scalar: the global step now.
        give_back: operation: gives the other replicas the values that the first one has.
    """

    count: Any
    loss: Any
    global_step: Any
    variable: Any
    give_back: Any

    def read_step(self, session: Any) -> int:
        """Returns the global step of a raw session."""
        return int(session.run(self.variable))

    def run(self, session: Any, steps: int) -> tuple[Any, int]:
        """Runs steps; fewer where a loss is NaN, which is then the last one.

        Args:
            session: the raw session, without hooks.
            steps: how many.

        Returns:
            The last loss and the global step.

        Raises:
            tf.errors.OutOfRangeError: the input ended; the steps before were made.
        """
        try:
            loss, step = session.run([self.loss, self.global_step], {self.count: steps})
        except tf.errors.OutOfRangeError:
            session.run(self.give_back)
            raise
        session.run(self.give_back)
        return loss, int(step)


def why_not(train_op: Any, loss: Any) -> str | None:
    """Returns why a step cannot be copied; None where it can.

    Args:
        train_op: the operation that runs a step.
        loss: scalar tensor, the loss of the step.
    """
    if not tf.control_flow_v2_enabled():
        return "control flow v2 is off (tf.disable_v2_behavior was called)"
    for op in _operations_of([train_op, loss.op]):
        if op.type in _NOT_COPIED:
            return f"{op.name} ({op.type}) is fed, or has state that a loop cannot copy"
        if any(output.dtype.name.endswith("_ref") for output in op.outputs):
            return f"{op.name} is a reference variable (tf.disable_v2_behavior was called)"
        if not _is_resource(op) and _has_seed(op.node_def):
            return f"{op.name} draws random numbers from a given seed"
    for function in train_op.graph.as_graph_def().library.function:
        if any(_has_seed(node) for node in function.node_def):
            return f"{function.signature.name} draws random numbers from a given seed"
    return None


def _has_seed(node: Any) -> bool:
    return any(node.attr[name].i != 0 for name in _SEEDS if name in node.attr)


def build(
    train_op: Any,
    loss: Any,
    global_step: Any,
    variables: Iterable[Sequence[Any]] = (),
    unrolls: bool = True,
) -> FusedSteps:
    """Adds a loop of steps to the default graph.

    Args:
        train_op: the operation that runs a step.
        loss: scalar tensor, the loss of the step.
        global_step: the global step variable.
        variables: the copies, by replica, of each variable that replicas in the same memory have;
            the steps use one of them.
        unrolls: whether loops are written out, which takes some seconds.
    """
    with tf.name_scope("fused_steps"):
        count = tf.placeholder(tf.int32, [], name="count")
        step = _StepCopy(train_op, loss, variables, unrolls)

        def body(done: Any, last_loss: Any, last_step: Any) -> tuple[Any, Any, Any]:
            step_op, value = step.import_into_loop()
            with tf.control_dependencies([step_op, value.op]):
                read = tf.cast(global_step.read_value(), tf.int64)
                return done + 1, tf.reshape(value, []), read

        def condition(done: Any, last_loss: Any, last_step: Any) -> Any:
            return tf.logical_and(done < count, tf.logical_not(tf.math.is_nan(last_loss)))

        now = tf.cast(global_step.read_value(), tf.int64, name="global_step")
        start = (tf.constant(0), tf.zeros([], loss.dtype), tf.constant(0, tf.int64))
        with tf.device(None):
            _, last_loss, last_step = tf.while_loop(
                condition, body, start, parallel_iterations=1, back_prop=False
            )
        give_back = tf.group(
            *[
                copy.assign(copies[0].read_value(), read_value=False)
                for copies in step.shared.variables
                for copy in copies[1:]
            ],
            name="give_back",
        )
    return FusedSteps(count, last_loss, last_step, now, give_back)


class _StepCopy:
    """What one step runs, ready to be imported, and the resources that it shares.

    Attributes:
        shared: what stands for copies of other replicas.
    """

    def __init__(
        self, train_op: Any, loss: Any, variables: Iterable[Sequence[Any]], unrolls: bool
    ) -> None:
        self.shared = SharedCopies(_operations_of([train_op, loss.op]), variables)
        operations = _operations_of([train_op, loss.op], self.shared.instead)
        self._train_op, self._loss = train_op, loss
        self._resources = [op for op in operations if _is_resource(op)]
        self._definition = tf.GraphDef()
        graph = train_op.graph.as_graph_def(add_shapes=False)
        self._definition.versions.CopyFrom(graph.versions)
        self._definition.library.CopyFrom(graph.library)
        self._handles = {op.name for op in self._resources}
        lookups = row_lookups(operations)
        left_out = self._handles | {read.name for read in lookups.values()}
        self._copied = {op.name for op in operations} - left_out
        nodes = {node.name: node for node in graph.node}
        for node in graph.node:
            if node.name in lookups:
                node = gather_from_variable(node, nodes[lookups[node.name].name])
            if node.name in self._copied:
                self._add(node)
        pure = PureOperations(train_op.graph, graph.library)
        if unrolls:
            shapes = {op.name: op.inputs[0].shape for op in operations if op.type == "Shape"}
            unroll(self._definition, pure, shapes)
        write_out_small_adam(self._definition, self._resources)
        remove_unneeded(self._definition, [train_op.name, loss.op.name], pure)
        _place_next_to_copies(self._definition)
        taken = {step_nodes.node_of(name) for node in self._definition.node for name in node.input}
        self._resources = [op for op in self._resources if op.name in taken]

    def import_into_loop(self) -> tuple[Any, Any]:
        """Returns the copies of the train op and of the loss, in the default graph."""
        shared = {output.name: output for op in self._resources for output in op.outputs}
        graph = tf.get_default_graph()
        captured = {name: graph.capture(tensor) for name, tensor in shared.items()}
        train_op, loss = tf.import_graph_def(
            self._definition,
            input_map=captured,
            return_elements=[self._train_op.name, self._loss.name],
            name="step",
        )
        return train_op, loss

    def _add(self, node: Any) -> None:
        new = self._definition.node.add()
        new.CopyFrom(node)
        awaited = [self._instead(name) for name in step_nodes.awaited_by(node)]
        # A resource is there before the loop begins: no step has to wait for it.
        awaited = [name for name in awaited if name not in self._handles]
        step_nodes.set_inputs(
            new, [self._instead(name) for name in step_nodes.values_of(node)], awaited
        )

    def _instead(self, name: str) -> str:
        """Returns the input of a node: that of the op that stands for another one."""
        op, colon, output = name.partition(":")
        other = self.shared.instead.get(op)
        return name if other is None else f"{other.name}{colon}{output}"


def _place_next_to_copies(definition: Any) -> None:
    """Drops from nodes that they are placed next to one that is not copied."""
    names = {b"loc:@" + node.name.encode() for node in definition.node}
    for node in definition.node:
        colocations = list(node.attr[_COLOCATION].list.s) if _COLOCATION in node.attr else []
        if (targets := [name for name in colocations if name in names]) != colocations:
            del node.attr[_COLOCATION]
            if targets:
                node.attr[_COLOCATION].list.s.extend(targets)


def _is_resource(op: Any) -> bool:
    """Returns whether an op is the handle of a variable, an iterator, a table or a queue."""
    return not op.inputs and bool(op.outputs) and op.outputs[0].dtype == tf.resource


def _operations_of(
    targets: Iterable[Any], instead: Mapping[str, Any] = MappingProxyType({})
) -> list[Any]:
    """Returns the operations that must run to run others, themselves included.

    Args:
        targets: the others.
        instead: the operation to use, by the name of the one that it is used instead of.
    """
    operations: dict[str, Any] = {}
    waiting = list(targets)
    while waiting:
        op = waiting.pop()
        op = instead.get(op.name, op)
        if op.name in operations:
            continue
        operations[op.name] = op
        if not _is_resource(op):
            waiting += [tensor.op for tensor in op.inputs]
            waiting += op.control_inputs
    return list(operations.values())
