"""What replaces a session: runs parts of a graph as functions of TensorFlow 2."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.eager import context
from tfmigrate_runtime.compat.sessions import BaseSession
from tfmigrate_runtime.compat.variables import BaseResourceVariable
from tfmigrate_runtime.graphs import settings
from tfmigrate_runtime.graphs.functions import Functions
from tfmigrate_runtime.graphs.resources import Resources
from tfmigrate_runtime.graphs.server import server_of
from tfmigrate_runtime.train.graph_parts import GraphText

_READERS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")  # values of a variable


class Runner(BaseSession):  # type: ignore[misc]
    """Runs parts of a graph as functions, on its own variables.

    It takes what ``tf.Session`` took and returns what that returned, but no session is behind it:
    each combination of feeds and fetches becomes a function of TensorFlow 2, made once, in the
    eager runtime. Each runner has its own variables, tables, iterators and random streams, as each
    session had; variables have no value until an initializer is run or a checkpoint is restored.

    As a context manager it makes itself the default session, so that ``tensor.eval()`` works, and
    the code in the block is eager: what builds more of the graph is in
    ``with tf.get_default_graph().as_default():`` there.

    Attributes:
        graph: the graph.
    """

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        """Makes a runner without values.

        Args:
            target: "" for this process, or that of a :class:`~.server.Server` for its cluster.
            graph: the ``tf.Graph``, None for the default one.
            config: a ``tf.ConfigProto``: threads, memory of GPUs and placement are set for the
                process, where it has not begun to use its devices.

        Raises:
            ValueError: ``target`` is the address of no server of this process.
            PeerLostError: a task of the cluster that holds variables cannot be reached.
            TypeError: ``graph`` is not a graph, or ``config`` no ConfigProto.
        """
        # Not BaseSession's own __init__, which starts a session.
        server = server_of(target)
        if graph is not None and not isinstance(graph, tf.Graph):
            raise TypeError(f"Argument `graph` must be a tf.Graph, but got {graph!r}")
        self._graph = tf.get_default_graph() if graph is None else graph
        self._target = b"" if server is None else server.target.encode()
        self._config = settings.applied(config)
        self._add_shapes = False
        self._session = None  # what BaseSession closes and deletes
        self._closed = False
        self._delete_lock = threading.Lock()
        self._dead_handles: list[Any] = []
        place = None
        if server is not None:
            server.connect(self._graph, self._config.device_filters)
            place = partial(server.place, self._graph, self._config.device_filters)
        self._resources = Resources(self._graph, "" if server is None else server.name)
        self._functions = Functions(GraphText(self._graph), self._resources, place)
        self._entered: list[contextlib.ExitStack] = []

    def __enter__(self) -> Runner:
        """Makes this the default session of its graph, and the block eager."""
        stack = contextlib.ExitStack()
        stack.enter_context(self._graph.as_default())
        stack.enter_context(context.eager_mode())
        stack.enter_context(self.as_default())
        self._entered.append(stack)
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        """Ends the block and closes the runner."""
        self._entered.pop().__exit__(kind, error, traceback)
        self.close()

    def __del__(self) -> None:
        """Does nothing: resources are freed with their last reference."""

    def close(self) -> None:
        """Ends the runner: it runs nothing any more. Its functions and variables stay."""
        self._closed = True

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Evaluates tensors and runs operations, as ``tf.Session.run`` does.

        Args:
            fetches: a tensor, a variable, an operation, a name of one, or a nest of them.
            feed_dict: values of tensors; eager tensors are taken, too.
            options: a ``tf.RunOptions``; only its trace level is used.
            run_metadata: a ``tf.RunMetadata``, which gets what a full trace collects.

        Returns:
            NumPy values in the structure of ``fetches``, None for operations.

        Raises:
            RuntimeError: the runner is closed.
            tf.errors.OpError: as a session.
            TypeError, ValueError: a fetch or a feed is none of this graph, or does not fit.
            NotImplementedError: a variable is fed, and rows of it are gathered.
        """
        feeds = feed_dict and {
            tensor: _fed(value)
            for key, value in feed_dict.items()
            for tensor in self._tensors_of(key)
        }
        if run_metadata is None:
            return super().run(fetches, feeds)
        traced = options is not None and options.trace_level == tf.RunOptions.FULL_TRACE
        with settings.traced(run_metadata) if traced else contextlib.nullcontext():
            return super().run(fetches, feeds)

    def function(self, feeds: Sequence[Any], fetches: Any) -> Any:
        """Returns a part of the graph as a function of TensorFlow 2.

        Args:
            feeds: tensors of the graph, the parameters of the function in their order.
            fetches: tensors, variables and operations, or a nest of them.

        Returns:
            A function that takes the values of ``feeds`` as tensors or arrays, and returns eager
            tensors in the structure of ``fetches``, None for operations. A GradientTape watches
            the trainable variables that it reads; it may be called in a tf.function.

        Raises:
            tf.errors.InvalidArgumentError: a placeholder is needed and not in ``feeds``.
        """
        with self._graph.as_default():
            elements = [self._graph.as_graph_element(feed, True, False) for feed in feeds]
            return self._functions.structured(elements, fetches)

    @property
    def variables(self) -> list[Any]:
        """The global variables of the graph, as variables of TensorFlow 2, in their order."""
        return self._of_collection(tf.GraphKeys.GLOBAL_VARIABLES)

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable variables of the graph, as variables of TensorFlow 2, in their order."""
        return self._of_collection(tf.GraphKeys.TRAINABLE_VARIABLES)

    def drop_if_closed(self, queue: Any) -> None:
        """Drops a queue that has been closed, so that what uses it next makes a new one.

        Args:
            queue: the tensor of the graph that is its handle.
        """
        with context.eager_mode(), tf.device(queue.op.device or None):
            handle = self._resources.queue(queue.op)
            if tf.raw_ops.QueueIsClosedV2(handle=handle):
                tf.raw_ops.DestroyResourceOp(resource=handle)

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Raises an error: a function cannot be continued.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "partial_run needs a session: run the parts by separate calls of `run`, feeding the "
            "results of the first"
        )

    def list_devices(self) -> list[Any]:
        """Returns the devices of the process."""
        return list(tf.config.list_logical_devices())

    def _of_collection(self, key: str) -> list[Any]:
        variables = self._graph.get_collection(key)
        return [self._resources.of_variable(variable) for variable in variables]

    def _tensors_of(self, key: Any) -> list[Any]:
        """Returns what is fed for a key: all that is read of a variable, as of a reference one."""
        if isinstance(key, str):
            with contextlib.suppress(KeyError, ValueError):  # the session's error is another one
                key = self._graph.get_tensor_by_name(key)
        if not isinstance(key, BaseResourceVariable):
            return [key]
        readers = [op for op in key.handle.consumers() if op.type in _READERS]
        if any(op.type != "ReadVariableOp" for op in readers):
            raise NotImplementedError(
                f"variable {key.name!r} is fed, and rows of it are gathered: assign it instead"
            )
        return [op.outputs[0] for op in readers]

    def _extend_graph(self) -> None:
        """Does nothing: functions are made of the graph as it is when they are first called."""

    def _call_tf_sessionrun(
        self, options: Any, feed_dict: Any, fetch_list: Any, target_list: Any, run_metadata: Any
    ) -> list[Any]:
        """Runs a call of BaseSession, which knows the graph's elements by their C objects."""
        graph = self._graph
        feeds = [graph._get_tensor_by_tf_output(feed) for feed in feed_dict]
        fetches = [graph._get_tensor_by_tf_output(fetch) for fetch in fetch_list]
        targets = [graph._get_operation_by_tf_operation(target) for target in target_list]
        # A program may call this while it builds the graph, and from any thread.
        with context.eager_mode():
            function = self._functions.flat(feeds, fetches, targets)
            return [result.numpy() for result in function(*feed_dict.values())]


class InteractiveRunner(Runner):
    """A runner that is the default session from the start, as ``tf.InteractiveSession``."""

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        """Makes a runner; see :class:`Runner`."""
        super().__init__(target, graph, config)
        self._default: Any = self.as_default()
        self._default.enforce_nesting = False
        self._default.__enter__()

    def close(self) -> None:
        """Closes the runner, which is not a default session any more."""
        super().close()
        if self._default is not None:
            self._default.__exit__(None, None, None)
            self._default = None


def _fed(value: Any) -> Any:
    return value.numpy() if isinstance(value, tf.Tensor) and hasattr(value, "numpy") else value
