"""Parts of a graph as functions on the resources of a runner, each made once."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.eager import context
from tfmigrate_runtime.graphs import one_shot, process
from tfmigrate_runtime.graphs.resources import Resources
from tfmigrate_runtime.train.graph_parts import GraphText, Part, part_of
from tfmigrate_runtime.train.late_reads import late_reads

# Jobs whose variables are those of the process itself; None is a variable without a task.
_OF_WORKERS = (None, "localhost", "worker", "chief", "master")
# Reference variables live in the memory of a session; functions cannot reach them.
_OF_SESSIONS = ("Variable", "VariableV2", "TemporaryVariable")


class Functions:
    """The functions of one runner, by what they are fed and what they return."""

    def __init__(
        self, text: GraphText, resources: Resources, place: Callable[[], None] | None
    ) -> None:
        """Takes what functions are made of.

        Args:
            text: the graph's text.
            resources: those on which the functions work.
            place: places what is new in the graph on the tasks of a cluster; None without one.
        """
        self._text, self._resources, self._place = text, resources, place
        self._known: dict[Any, Callable[..., list[Any]]] = {}

    def flat(
        self, feeds: Sequence[Any], fetches: Sequence[Any], targets: Sequence[Any]
    ) -> Callable[..., list[Any]]:
        """Returns the function that returns the values of tensors and runs operations.

        Raises:
            tf.errors.OpError: the part cannot be run without another feed, or in a function.
        """
        key = tuple(tuple(item.name for item in items) for items in (feeds, fetches, targets))
        if key not in self._known:
            if self._place is not None:
                self._place()
            with context.eager_mode():
                values = [_value_of(tensor) for tensor in fetches]
                self._known[key] = self._called(_part_of(values, targets, feeds))
        return self._known[key]

    def _called(self, part: Part) -> Callable[..., list[Any]]:
        """Returns what calls the concrete function of a part."""
        function = self._made(part)
        kinds = [feed.dtype for feed in part.feeds]
        count = len(part.fetches)

        def call(*values: Any) -> list[Any]:
            tensors = (tf.convert_to_tensor(v, k) for v, k in zip(values, kinds, strict=True))
            return list(function(*tensors))[:count]

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
            fetched = [next(results) if isinstance(e, tf.Tensor) else None for e in elements]
            return tf.nest.pack_sequence_as(fetches, fetched)

        return call

    def _made(self, part: Part) -> Any:
        """Returns the concrete function of a part."""
        handles = part.of_types("VarHandleOp")
        variables = {f"{op.name}:0": self._resources.variable(op) for op in handles}
        definition = self._text.of(part, [op.name for op in handles])
        one_shot.begin(definition, self._resources)
        for some in [definition.node, *(f.node_def for f in definition.library.function)]:
            self._resources.share(some)
        self._resources.streams.continue_in(definition)
        late_variables = late_reads(part.nodes, part.fetches, part.feeds)
        # TensorFlow 1.15 sent the value of a variable of another task before the step changed it.
        late_variables = {
            name: pair for name, pair in late_variables.items() if not _is_remote(pair[0])
        }
        writers = [writer.name for _, made_by in late_variables.values() for writer in made_by]

        def execute(*values: Any) -> list[Any]:
            graph = tf.get_default_graph()
            input_values = dict(zip((t.name for t in part.feeds), values, strict=True))
            for name, variable in variables.items():
                graph.watch_variable(variable)
                input_values[name] = graph.capture(variable.handle)
            run = dict.fromkeys([*(op.name for op in part.targets), *writers])
            results, executed = part.imported(definition, input_values, run)
            # In a tf.function, the next call waits for these: it reads what this one writes.
            stateful = [op for op in graph.get_operations() if op.op_def.is_stateful]
            graph.control_outputs.extend(stateful)
            with tf.control_dependencies(executed):
                for name, (handle, _) in late_variables.items():
                    results[name] = variables[f"{handle.name}:0"].read_value()
                return [tf.identity(results[t.name]) for t in part.fetches] or [tf.constant(0)]

        # Shapes of their own: those of the graph have objects for dimensions.
        signature = [tf.TensorSpec(tf.TensorShape(t.shape), t.dtype) for t in part.feeds]
        return tf.wrap_function(execute, signature)


def _part_of(fetches: Sequence[Any], targets: Sequence[Any], feeds: Sequence[Any]) -> Part:
    """Returns what a call executes; refuses reference variables."""
    part = part_of(fetches, targets, feeds)
    for op in part.of_types(*_OF_SESSIONS):
        raise tf.errors.UnimplementedError(
            op.node_def,
            op,
            f"variable '{op.name}' is a reference variable: create it with use_resource=True",
        )
    return part


def _value_of(tensor: Any) -> Any:
    """Returns what is fetched: of a variable by its name (``"w:0"``), a handle, its value."""
    return tensor.graph.as_graph_element(process.variable_or_tensor(tensor))


def _is_remote(handle: Any) -> bool:
    """Returns whether a variable is on a parameter server."""
    return tf.DeviceSpec.from_string(handle.device).job not in _OF_WORKERS
