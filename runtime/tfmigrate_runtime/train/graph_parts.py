"""The part of a graph that a call executes, as a separate GraphDef, and in a function."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.train.executed import executed_by


@dataclass(frozen=True)
class Part:
    """What one kind of call executes.

    Attributes:
        nodes: its operations, by name.
        fetches: the tensors that it returns.
        targets: the operations that it executes without a result.
        feeds: the tensors whose values are given.
    """

    nodes: dict[str, Any]
    fetches: tuple[Any, ...]
    targets: tuple[Any, ...]
    feeds: tuple[Any, ...]

    def of_types(self, *kinds: str) -> list[Any]:
        """Returns its operations of some types."""
        return [op for op in self.nodes.values() if op.type in kinds]

    def imported(
        self, definition: Any, given: dict[str, Any], targets: Iterable[str]
    ) -> tuple[dict[str, Any], list[Any]]:
        """Puts the part into the graph of a function.

        Args:
            definition: its GraphDef.
            given: tensors of the function, by the names of those that they replace.
            targets: names of operations that are executed without a result.

        Returns:
            The tensors of the function, by the names of the fetched ones and of the given ones; and
            the operations, for which results have to wait: only what these depend on is executed
            for certain.
        """
        used = {name for node in definition.node for name in node.input}
        wanted = [t.name for t in self.fetches if t.name not in given]
        elements = tf.graph_util.import_graph_def(
            definition,
            input_map={
                name: value
                for name, value in given.items()
                if name in used or name.removesuffix(":0") in used
            },
            return_elements=[*wanted, *targets],
            name="",
        )
        return {**given, **dict(zip(wanted, elements, strict=False))}, elements[len(wanted) :]


def part_of(fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any]) -> Part:
    """Returns what a call with these fetches and feeds executes.

    Args:
        fetches: tensors.
        targets: operations.
        feeds: tensors; what only they need is not executed.

    Raises:
        tf.errors.InvalidArgumentError: a placeholder is needed and not fed.
    """
    nodes = executed_by(fetches, targets, feeds)
    for op in nodes.values():
        if op.type == "Placeholder":
            raise tf.errors.InvalidArgumentError(
                op.node_def,
                op,
                f"You must feed a value for placeholder tensor '{op.name}' with dtype "
                f"{op.outputs[0].dtype.name} and shape {op.outputs[0].shape}",
            )
    return Part(nodes, tuple(fetches), tuple(targets), tuple(feeds))


class GraphText:
    """The GraphDef of a graph, read again when the graph has grown."""

    def __init__(self, graph: Any) -> None:
        """Takes the graph."""
        self._graph = graph
        self._version = -1
        self._definition: Any = None

    def definition(self) -> Any:
        """Returns the GraphDef of the whole graph; not to be changed."""
        if self._version != self._graph.version:
            self._definition = self._graph.as_graph_def()
            self._version = self._graph.version
        return self._definition

    def of(self, part: Part, left_out: Iterable[str]) -> Any:
        """Returns the GraphDef of a part.

        Args:
            part: the part.
            left_out: names of its operations that are given from outside.
        """
        whole = self.definition()
        included = part.nodes.keys() - set(left_out)
        result = tf.GraphDef(versions=whole.versions)
        for node in whole.node:
            if node.name not in included:
                continue
            copy = result.node.add()
            copy.CopyFrom(node)
            copy.attr.pop("_class", None)  # may name an operation that is left out
            copy.ClearField("input")
            copy.input.extend(i for i in node.input if i[:1] != "^" or i[1:] in included)
        result.library.function.extend(_called(result.node, whole.library.function))
        return result


def _called(nodes: Iterable[Any], functions: Sequence[Any]) -> list[Any]:
    """Returns the functions of a library that some nodes call, and those that these call."""
    by_name = {function.signature.name: function for function in functions}
    needed: dict[str, Any] = {}
    waiting = [called.name for node in nodes for called in functions_of(node)]
    while waiting:
        if (name := waiting.pop()) in needed or name not in by_name:
            continue
        needed[name] = by_name[name]
        inner = by_name[name].node_def
        waiting += [called.name for node in inner for called in functions_of(node)]
    return list(needed.values())


def functions_of(node: Any) -> Iterator[Any]:
    """Yields the functions (NameAttrList) in the attributes of a NodeDef."""
    for value in node.attr.values():
        if value.HasField("func"):
            yield value.func
        yield from value.list.func
