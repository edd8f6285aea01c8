"""Recurrent layers in fused steps: loops whose number of iterations is known, written out.

``tf.nn.dynamic_rnn`` makes a loop of a dozen small operations. As many again keep the books: they
count, pass each value on, and store it in a list for the loop of the gradients. A copy of a step
has the iterations one after the other instead: what was stored is used where it was computed. The
operations of the model stay the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.graphs import function_def_to_graph_def
from tfmigrate_runtime.estimator.copied_steps.pure_operations import PureOperations
from tfmigrate_runtime.estimator.copied_steps.step_nodes import (
    StepNodes,
    awaited_by,
    node_of,
    set_inputs,
    tensor_of,
    values_of,
)
from tfmigrate_runtime.estimator.copied_steps.tensor_lists import TensorLists
from tfmigrate_runtime.estimator.copied_steps.time_major import take_from_batch_major

# TensorFlow takes 0.2 ms to prepare a node, which then saves 0.17 us in each step (measured on
# LSTMs of 20 to 150 steps): so many steps pay for it. The most nodes take some seconds.
FEWEST_STEPS = 1200
MOST_NODES = 40_000
_LOOPS = ("While", "StatelessWhile")


def unroll(definition: Any, pure: PureOperations, shapes: Mapping[str, Any]) -> None:
    """Writes out the loops of a step whose number of iterations is known.

    All of them, or none where that makes a large graph. What the step no longer needs stays in it.

    Args:
        definition: a GraphDef, which is changed.
        pure: says which operations may be copied.
        shapes: what is known of the shape that a node "Shape" gives, by its name.
    """
    nodes = StepNodes(definition.node, shapes)
    functions = {function.signature.name: function for function in definition.library.function}
    waiting = [node for node in definition.node if node.op in _LOOPS]
    results: dict[str, list[str]] = {}
    left = MOST_NODES
    while waiting:
        loop = waiting.pop(0)
        iterations = _Iterations(loop, nodes, functions, pure)
        if iterations.add(left):
            node_names = [node_of(nodes.source(tensor)) for tensor in iterations.variables]
            results[loop.name] = [name for name in node_names if name in nodes.by_name]
            waiting += [node for node in iterations.added if node.op in _LOOPS]
            left -= len(iterations.added)
        if left <= 0:
            return
    if not results:
        return
    TensorLists(nodes).replace_reads()
    take_from_batch_major(nodes)
    other_nodes = [node for name, node in nodes.by_name.items() if name not in results]
    for node in other_nodes:
        values = [nodes.source(name) for name in values_of(node)]
        awaited = [each for name in awaited_by(node) for each in results.get(name, [name])]
        set_inputs(node, values, awaited)
    del definition.node[:]
    definition.node.extend(other_nodes)


class _Iterations:
    """The iterations of a loop, one after the other.

    Attributes:
        variables: the tensors that the loop carries, after the iterations that were added.
        added: the nodes of the iterations.
    """

    def __init__(
        self, loop: Any, nodes: StepNodes, functions: Mapping[str, Any], pure: PureOperations
    ) -> None:
        self.variables = values_of(loop)
        self.added: list[Any] = []
        self._calls, self._loop, self._nodes = 0, loop, nodes
        self._pure = pure
        self._condition, self._body = (
            _Function(functions[loop.attr[part].func.name]) for part in ("cond", "body")
        )

    def add(self, most_nodes: int) -> bool:
        """Adds the nodes of all iterations; says whether their number is known.

        Args:
            most_nodes: after so many the rest is left out.
        """
        if not all(self._pure.may_be_copied(node) for node in self._body.nodes):
            return False
        goes_on = self._goes_on()
        while goes_on and len(self.added) < most_nodes:
            self.variables = self._call(self._body, "body")
            goes_on = self._goes_on()
        if goes_on is None:
            for node in self.added:
                del self._nodes.by_name[node.name]
            return False
        for output, tensor in enumerate(self.variables):
            self._nodes.instead[tensor_of(self._loop.name, output)] = tensor
        return True

    def _goes_on(self) -> Any:
        """Returns whether there is another iteration, None if that is not known."""
        (result,) = self._call(self._condition, "condition")
        return self._nodes.value(result)

    def _call(self, function: _Function, part: str) -> list[str]:
        """Adds the nodes of a call; returns the tensors that it gives."""
        by_argument: dict[str, str] = dict(zip(function.arguments, self.variables, strict=True))
        folder = f"{self._loop.name}/unrolled/{part}"
        prefix = f"{folder}_{self._calls}"
        self._calls += 1

        def renamed(tensor: str) -> str:
            name, _, output = str(tensor).partition(":")
            if name in by_argument:
                return by_argument[name]
            # A constant is the same in each iteration.
            new = f"{folder if name in function.constants else prefix}/{name}"
            return tensor_of(new, int(output or 0))

        for node in function.nodes:
            if (name := renamed(node.name)) in self._nodes.by_name:
                continue
            new = tf.NodeDef()
            new.CopyFrom(node)
            new.name, new.device = name, node.device or self._loop.device
            awaited = [renamed(each) for each in awaited_by(node) if each not in by_argument]
            set_inputs(new, [renamed(each) for each in values_of(node)], awaited)
            new.attr.pop("_class", None)
            self._nodes.by_name[name] = new
            self.added.append(new)
        return [renamed(tensor) for tensor in function.results]


class _Function:
    """The nodes of a function, named as in a graph.

    Attributes:
        arguments: the names of what it takes.
        nodes: its nodes, without those of the arguments.
        constants: the names of the constants.
        results: the tensors that it gives.
    """

    def __init__(self, definition: Any) -> None:
        graph, names = function_def_to_graph_def(definition)
        self.arguments = [argument.name for argument in definition.signature.input_arg]
        taken = set(self.arguments)
        self.nodes = [node for node in graph.node if node.name not in taken]
        self.constants = {node.name for node in self.nodes if node.op == "Const" and not node.input}
        self.results = [
            names[definition.ret[result.name]] for result in definition.signature.output_arg
        ]
