"""The session of a coordinator: its calls are steps on the workers."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.coordinator import strategy
from tfmigrate_runtime.coordinator.cluster import Cluster
from tfmigrate_runtime.coordinator.eager import eager_mode
from tfmigrate_runtime.coordinator.graph_functions import Part, function_of, part_of
from tfmigrate_runtime.coordinator.results import Result
from tfmigrate_runtime.train.graph_parts import GraphText


class Session(tf.Session):  # type: ignore[misc]
    """``tf.Session`` of a program's graph, whose calls run on the workers of a cluster.

    * A call that applies gradients is a training step: it returns while a worker runs it, and its
      results are waited for where the program looks at them. As many steps are under way as there
      are workers, and as many again wait for one.
    * ``global_step`` is counted here: a training step returns the number of those begun before
      it, as a session that reads it before the increment, and nothing is waited for.
    * Every other call waits until all steps are done and returns its results at once, so that an
      evaluation or a checkpoint sees whole steps only.
    """

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        """Opens a session on the cluster of this process.

        Args:
            target: not used: the cluster is that of ``coordinator.Server``.
            graph: as for ``tf.Session``.
            config: not used: the workers keep the settings of their servers.

        Raises:
            RuntimeError: this process is not the coordinator of a cluster.
        """
        super().__init__("", graph=graph)
        self._cluster: Cluster = strategy.cluster_of_this_process()
        self._text = GraphText(self.graph)
        self._functions: dict[Any, tuple[Part, Any]] = {}
        self._under_way: deque[Any] = deque()
        self._count: int | None = None
        self._turn = threading.RLock()

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs operations and evaluates tensors, as ``tf.Session.run`` does.

        Args:
            fetches: a graph element, or a nest of them.
            feed_dict: values of tensors.
            options: None, or ``RunOptions`` without a trace level.
            run_metadata: stays empty.

        Returns:
            The results in the structure of ``fetches``; ``Result`` objects for training steps.

        Raises:
            ValueError: a trace is asked for, or a feed has the wrong shape.
        """
        # A session with hooks always gives options and metadata; most ask for nothing.
        if options is not None and options.trace_level != tf.RunOptions.NO_TRACE:
            raise ValueError("steps on workers cannot be traced: remove RunOptions.trace_level")
        # Threads of the program do not know its graph; they would run eagerly.
        with self._turn, self.graph.as_default():
            return super().run(fetches, feed_dict)

    def _extend_graph(self) -> None:
        """Does nothing: the graph is run by the workers."""

    def _do_call(self, fn: Callable[..., Any], *arguments: Any) -> Any:
        return fn(*arguments)

    def _call_tf_sessionrun(
        self, options: Any, feed_dict: Any, fetch_list: Any, target_list: Any, run_metadata: Any
    ) -> list[Any]:
        """Runs a call of BaseSession, which knows the graph's elements by their C objects."""
        graph = self.graph
        fed = [(graph._get_tensor_by_tf_output(feed), value) for feed, value in feed_dict.items()]
        fetches = [graph._get_tensor_by_tf_output(fetch) for fetch in fetch_list]
        targets = [graph._get_operation_by_tf_operation(target) for target in target_list]
        feeds = dict(sorted(fed, key=lambda one: one[0].name))
        return self._run_part(fetches, targets, feeds)[: len(fetches)]  # a function returns one

    def close(self) -> None:
        """Waits for the steps that are under way, then closes the session."""
        with self._turn:
            self._join()
        super().close()

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        """Returns a function that runs the fetches, given values for ``feed_list`` in order."""
        feeds = list(feed_list or ())
        return lambda *values: self.run(fetches, dict(zip(feeds, values, strict=True)))

    def _run_part(self, tensors: list[Any], targets: list[Any], fed: dict[Any, Any]) -> list[Any]:
        """Returns the values of tensors: of a training step, what stands for them."""
        step = global_step_of(self.graph)
        if (
            tensors
            and not targets
            and self._count is not None
            and all(_reads(t, step) for t in tensors)
        ):
            return [_counted(self._count, tensor) for tensor in tensors]
        part, function = self._function(tensors, targets, list(fed))
        if function is not None and part.trains:
            return self._train(part, function, tuple(fed.values()), step)
        self._join()
        if step is not None and part.increments(step):
            self._count = None
        return self._run_now(part, function, fed)

    def _function(self, tensors: list[Any], targets: list[Any], feeds: list[Any]) -> Any:
        """Returns the part of the graph and its function; None for a part that uses files."""
        key = tuple(tuple(item.name for item in items) for items in (tensors, targets, feeds))
        if key not in self._functions:
            part = part_of(tensors, targets, feeds)
            function = None
            if not part.read_from_files and not part.written_from:
                with eager_mode():
                    function = function_of(part, self._text, self._cluster.handle)
            self._functions[key] = part, function
        return self._functions[key]

    def _run_now(self, part: Part, function: Any, fed: dict[Any, Any]) -> list[Any]:
        """Runs a part and waits; files are read and written by this process, not by workers."""
        if function is not None:
            return self._cluster.run(function, tuple(fed.values()))
        if part.read_from_files:
            return self._with(part, fed, part.read_from_files, here_first=True)
        return self._with(part, fed, part.written_from, here_first=False)

    def _with(self, part: Part, fed: dict[Any, Any], between: Any, here_first: bool) -> list[Any]:
        """Computes some tensors in one place and feeds them to the rest in the other."""
        needed = part_of(between, (), [t for t in fed if t not in between])
        values = self._in_place(needed, fed, here_first)
        fed = {**fed, **dict(zip(between, values, strict=True))}
        return self._in_place(part_of(part.fetches, part.targets, list(fed)), fed, not here_first)

    def _in_place(self, part: Part, fed: dict[Any, Any], here: bool) -> list[Any]:
        with eager_mode():
            function = function_of(part, self._text, self._cluster.handle)
        run = self._cluster.run_here if here else self._cluster.run
        return run(function, tuple(fed[tensor] for tensor in part.feeds))

    def _train(self, part: Part, function: Any, values: tuple[Any, ...], step: Any) -> list[Any]:
        """Begins a training step on the next free worker."""
        if self._count is None and step is not None:
            self._join()
            read, reading = self._function([self.graph.as_graph_element(step)], [], [])
            self._count = int(self._run_now(read, reading, {})[0])
        limit = strategy.steps_in_flight() or 2 * self._cluster.workers
        while len(self._under_way) >= limit:
            self._cluster.fetch(self._under_way.popleft())
        remote = self._cluster.schedule(function, values)
        self._under_way.append(remote)
        added = [] if step is None else part.increments(step)
        # A session reads the step before the increment: TensorFlow's hooks count on that.
        if (count := self._count) is not None and added:
            self._count = count + 1 if added == [1] else None
        return [
            _counted(count, tensor)
            if count is not None and added in ([], [1]) and _reads(tensor, step)
            else _later(self._cluster, remote, index, tensor)
            for index, tensor in enumerate(part.fetches)
        ]

    def _join(self) -> None:
        """Waits for the steps that are under way."""
        self._under_way.clear()
        self._cluster.join()


def global_step_of(graph: Any) -> Any:
    """Returns the variable that counts steps, None where there is none.

    It is the one of the graph's collection, else the variable of that name, of any type:
    ``tf.train.get_global_step`` refuses one that the program made by ``tf.Variable`` itself.
    """
    known = graph.get_collection(tf.GraphKeys.GLOBAL_STEP)
    named = [
        variable
        for variable in graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
        if variable.op.name == "global_step"
    ]
    return next(iter([*known, *named]), None)


def _reads(tensor: Any, variable: Any) -> bool:
    """Returns whether a tensor is the value of a variable."""
    if variable is None:
        return False
    op = tensor.op
    while op.type == "Identity":
        op = op.inputs[0].op
    return op.type == "ReadVariableOp" and op.inputs[0] is variable.handle


def _counted(count: int, tensor: Any) -> Any:
    return np.asarray(count, tensor.dtype.as_numpy_dtype)[()]


def _later(cluster: Any, remote: Any, index: int, tensor: Any) -> Any:
    """Returns a result that is waited for where it is looked at; text is waited for at once."""

    def wait() -> Any:
        return cluster.fetch(remote)[index]

    if tensor.dtype == tf.string:
        return wait()
    return Result(wait, tensor.dtype.as_numpy_dtype, tensor.shape)
