"""Operations that only compute: which they are, and a step without those that nobody needs.

``tf.gradients`` computes the gradients of inputs, too, and nobody asks for those of the features.
A control dependency keeps them: ``tf.tuple`` lets all gradients of an operation wait for each
other. A copy of the step does without.
"""

from collections.abc import Iterable
from typing import Any

from tfmigrate_runtime.estimator.copied_steps import step_nodes
from tfmigrate_runtime.estimator.shared_copies import READS, called_by


class PureOperations:
    """Knows the operations of a graph that have no effect but their results."""

    def __init__(self, graph: Any, library: Any) -> None:
        """Takes a graph.

        Args:
            graph: the graph.
            library: the FunctionDefLibrary of its GraphDef.
        """
        self._graph = graph
        self._library = {function.signature.name: function for function in library.function}
        self._known: dict[str, bool] = {}

    def __contains__(self, node: Any) -> bool:
        functions = [*called_by(node), *([node.op] if node.op in self._library else [])]
        if functions:
            return all(self._is_pure_function(name) for name in functions)
        if node.op not in self._known:
            is_stateful = self._graph.op_def_for_type(node.op).is_stateful
            self._known[node.op] = node.op in READS or not is_stateful
        return self._known[node.op]

    def _is_pure_function(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = False  # a function that calls itself may never end
            self._known[name] = all(node in self for node in self._library[name].node_def)
        return self._known[name]

    def may_be_copied(self, node: Any) -> bool:
        """Returns whether two copies that run once do what one does that runs twice."""
        draws = "seed" in node.attr and "seed2" in node.attr
        return node in self or (draws and not (node.attr["seed"].i or node.attr["seed2"].i))


def remove_unneeded(definition: Any, targets: Iterable[str], pure: PureOperations) -> None:
    """Removes the nodes that only compute what no other node takes.

    Effects keep their order: what waited for a removed node waits for what that node waited for.

    Args:
        definition: a GraphDef, which is changed.
        targets: the names of the nodes that are wanted.
        pure: says which operations have no effects.
    """
    step = _Step(definition.node, pure)
    needed = step.needed_for(targets)
    needed_nodes = [node for node in definition.node if node.name in needed]
    for node in needed_nodes:
        awaited = [
            each for name in step_nodes.awaited_by(node) for each in step.effects_up_to(name)
        ]
        step_nodes.set_inputs(node, step_nodes.values_of(node), awaited)
    del definition.node[:]
    definition.node.extend(needed_nodes)


class _Step:
    """The nodes of a step, and which of them are needed."""

    def __init__(self, nodes: Iterable[Any], pure: PureOperations) -> None:
        self._nodes = {node.name: node for node in nodes}
        self._pure = pure
        self._needed: set[str] = set()
        self._effects: dict[str, list[str]] = {}
        self._takers: dict[str, list[str]] = {name: [] for name in self._nodes}
        for node in self._nodes.values():
            for before in map(step_nodes.node_of, step_nodes.values_of(node)):
                if before in self._nodes:
                    self._takers[before].append(node.name)

    def needed_for(self, targets: Iterable[str]) -> set[str]:
        """Returns the names of the nodes that must run to run others."""
        waiting = list(targets)
        awaited: list[str] = []
        while waiting or awaited:
            # What is awaited comes last: most of it is needed for its values, too.
            if not waiting:
                waiting = self.effects_up_to(awaited.pop())
                continue
            if (name := waiting.pop()) in self._needed or name not in self._nodes:
                continue
            self._needed.add(name)
            waiting += map(step_nodes.node_of, step_nodes.values_of(self._nodes[name]))
            awaited += step_nodes.awaited_by(self._nodes[name])
        return self._needed

    def effects_up_to(self, name: str) -> list[str]:
        """Returns what to wait for instead of a node: the effects before it; itself if needed.

        TensorFlow drops a call, and its effects, if others wait for it and nobody takes a value of
        it. So one that takes a value stands for the call.
        """
        if name in self._needed:
            return [name]
        if name not in self._effects:
            self._effects[name] = self._effects_before(name)
        return list(self._effects[name])

    def _effects_before(self, name: str) -> list[str]:
        effects: list[str] = []
        seen: set[str] = set()
        waiting = [(name, name)]
        while waiting:
            each, user = waiting.pop()
            if each in seen or each not in self._nodes:
                continue
            seen.add(each)
            if (node := self._nodes[each]) in self._pure:
                waiting += [(step_nodes.node_of(tensor), each) for tensor in node.input]
            elif called_by(node):
                takers = [taker for taker in self._takers[each] if taker in self._needed]
                effects.append((takers or [user])[0])
            else:
                effects.append(each)
        return effects
