"""Parts of a graph as functions on the resources of a runner, each made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.eager import context
from tfmigrate_runtime.train.graphs import one_shot
from tfmigrate_runtime.train.graphs.late_reads import late_reads, writers_of
from tfmigrate_runtime.train.graphs.parts import GraphText, Part, part_of
from tfmigrate_runtime.train.graphs.resources import Resources


class Functions:
    """The functions of one runner, by what they are fed and what they return."""

    def __init__(self, text: GraphText, resources: Resources) -> None:
        """Takes the graph's text and the resources on which the functions work."""
        self._text = text
        self._resources = resources
        self._known: dict[Any, Any] = {}

    def flat(
        self, feeds: Sequence[Any], fetches: Sequence[Any], targets: Sequence[Any]
    ) -> Callable[..., list[Any]]:
        """Returns the function that returns the values of tensors and runs operations.

        Args:
            feeds: tensors of the graph.
            fetches: tensors of the graph.
            targets: operations of the graph.

        Raises:
            tf.errors.OpError: the part cannot be run without another feed, or in a function.
        """
        key = tuple(tuple(item.name for item in items) for items in (feeds, fetches, targets))
        if key not in self._known:
            with context.eager_mode():
                self._known[key] = self._made(part_of(fetches, targets, feeds))
        function = self._known[key]
        kinds = [feed.dtype for feed in feeds]

        def call(*values: Any) -> list[Any]:
            given = (tf.convert_to_tensor(v, k) for v, k in zip(values, kinds, strict=True))
            return list(function(*given))[: len(fetches)]

        return call

    def structured(self, feeds: Sequence[Any], fetches: Any) -> Callable[..., Any]:
        """Returns the function with its results in the structure of ``fetches``."""
        graph = tf.get_default_graph()
        flat = tf.nest.flatten(fetches)
        elements = [graph.as_graph_element(fetch) for fetch in flat]
        tensors = [e for e in elements if isinstance(e, tf.Tensor)]
        targets = [e for e in elements if not isinstance(e, tf.Tensor)]
        function = self.flat(feeds, tensors, targets)

        def call(*values: Any) -> Any:
            results = iter(function(*values))
            found = [next(results) if isinstance(e, tf.Tensor) else None for e in elements]
            return tf.nest.pack_sequence_as(fetches, found)

        return call

    def _made(self, part: Part) -> Any:
        """Returns the concrete function of a part."""
        handles = part.of_type("VarHandleOp")
        variables = {f"{op.name}:0": self._resources.variable(op) for op in handles}
        definition = self._text.of(part, [op.name for op in handles])
        one_shot.begin(definition, self._resources)
        nodes = [definition.node, *(f.node_def for f in definition.library.function)]
        for some in nodes:
            self._resources.share(some)
        self._resources.streams.continue_in(definition)
        used = {name for node in definition.node for name in node.input}
        late = late_reads(part)
        writers = {w.name: w for op in late.values() for w in writers_of(part, op)}

        def execute(*values: Any) -> list[Any]:
            graph = tf.get_default_graph()
            given = dict(zip((t.name for t in part.feeds), values, strict=True))
            for name, variable in variables.items():
                graph.watch_variable(variable)
                given[name] = graph.capture(variable.handle)
            wanted = [t.name for t in part.fetches if t.name not in given]
            run = list(dict.fromkeys([*(op.name for op in part.targets), *writers]))
            imported = tf.graph_util.import_graph_def(
                definition,
                input_map={
                    name: value
                    for name, value in given.items()
                    if name in used or name.removesuffix(":0") in used
                },
                return_elements=wanted + run,
                name="",
            )
            # In a tf.function, the next call waits for these: it reads what this one writes.
            stateful = [op for op in graph.get_operations() if op.op_def.is_stateful]
            graph.control_outputs.extend(stateful)
            results = {**given, **dict(zip(wanted, imported, strict=False))}
            # Only what results depend on is executed for certain.
            with tf.control_dependencies(imported[len(wanted) :]):
                for name, handle in late.items():
                    results[name] = variables[f"{handle.name}:0"].read_value()
                return [tf.identity(results[t.name]) for t in part.fetches] or [tf.constant(0)]

        signature = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in part.feeds]
        return tf.wrap_function(execute, signature)
