"""Variables on parameter servers, placed by the device function of the program.

``tf.distribute.experimental.ParameterServerStrategy`` of compat.v1 places variables by a setter of
its own, with the default arguments, and makes one replica for every GPU. Programs that called
``tf.train.replica_device_setter`` chose the arguments, had one replica in each process, and
placed some operations themselves.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.global_step import find_by_name
from tfmigrate_runtime.compat.distribute import ParameterServerStrategyExtended

Setter = Callable[[Any], str]
_AVERAGES = tf.train.ExponentialMovingAverage.__module__


class _Extended(ParameterServerStrategyExtended):  # type: ignore[misc]
    """One replica, in which the program's setter places every operation and variable."""

    def __init__(self, strategy: Any, setter: Setter, worker_device: str, servers: int) -> None:
        self._setter, self._device_of_worker = setter, worker_device
        self._number_of_servers = servers
        self._wanted_use_resource: bool | None = None
        super().__init__(strategy)

    def _initialize_strategy(self, **_: Any) -> None:
        self._initialize_local(
            compute_devices=[self._device_of_worker], parameter_device=self._device_of_worker
        )
        self._worker_device = self._device_of_worker
        self._variable_device = self._default_device = self._setter
        self._parameter_devices = tuple(
            f"/job:ps/task:{number}" for number in range(self._number_of_servers)
        )

    def note_use_resource(self, next_creator: Callable[..., Any], **options: Any) -> Any:
        """A variable creator that notes which kind of variable the program asks for."""
        self._wanted_use_resource = options.get("use_resource")
        return next_creator(**options)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """Returns a scope in which variables are where another one is, as without a strategy."""
        return _beside(colocate_with_variable)

    def _allow_variable_partition(self) -> bool:
        return True

    def _create_variable(self, next_creator: Callable[..., Any], **options: Any) -> Any:
        # The scope of a strategy asks for resource variables, whatever the program asked for.
        options["use_resource"] = self._wanted_use_resource
        beside = options.pop("colocate_with", None)
        with contextlib.nullcontext() if beside is None else _beside(beside):
            return find_by_name(next_creator(**options))

    def _call_for_each_replica(
        self, function: Callable[..., Any], arguments: Any, options: Any
    ) -> Any:
        with tf2.distribute.ReplicaContext(self._container_strategy(), 0):
            return function(*arguments, **options)

    def _reduce_to(self, reduce_op: Any, value: Any, *_: Any, **__: Any) -> Any:
        return value

    def _batch_reduce_to(self, reduce_op: Any, pairs: Any, *_: Any, **__: Any) -> Any:
        return [value for value, _ in pairs]

    def _update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        group: bool,
    ) -> Any:
        # Outside of strategies a worker computes an average, of the value that its step has read;
        # next to the variable it would be of the value after the step.
        with contextlib.nullcontext() if fn.__module__ == _AVERAGES else _beside(var):
            result = fn(var, *args, **kwargs)
        return result if group else tf.nest.map_structure(self._local_results, result)

    def _update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        group: bool,
    ) -> Any:
        result = fn(*args, **kwargs)
        return result if group else tf.nest.map_structure(self._local_results, result)


class ParameterServerStrategy(
    tf.distribute.experimental.ParameterServerStrategy  # type: ignore[misc]
):
    """compat.v1's strategy of this name, with the placement of ``tf.train.replica_device_setter``.

    Each worker trains on its own, with one replica; updates are applied as they come.
    """

    def __init__(
        self, setter: Setter, worker_device: str, servers: int, cluster_resolver: Any = None
    ) -> None:
        """Makes the strategy of one worker.

        Args:
            setter: what ``tf.train.replica_device_setter`` returned.
            worker_device: the device of operations that are not variables.
            servers: the number of parameter servers.
            cluster_resolver: says which task of which cluster this is; None where the program
                did not say.
        """
        extended = _Extended(self, setter, worker_device, servers)
        extended._cluster_resolver = cluster_resolver
        # Not the one of compat.v1's strategy: it would place variables itself.
        tf.distribute.Strategy.__init__(self, extended)

    @contextlib.contextmanager
    def _entered(self, inner: Any) -> Iterator[Any]:
        with inner as entered, tf.variable_creator_scope(self.extended.note_use_resource):
            yield entered

    def scope(self) -> Any:
        """Returns a scope in which operations and variables are placed by the setter.

        Raises:
            NotImplementedError: eager execution is on.
        """
        return self._entered(super().scope())

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function in the context of the replica, and returns what it returns.

        Args:
            fn: builds a part of the graph, whose operations the setter places.
            args: its arguments.
            kwargs: its keyword arguments.
            options: unused, as there is one replica.

        Raises:
            NotImplementedError: eager execution is on.
        """
        # AutoGraph would rewrite the program's code, which TensorFlow 1.x took as it is.
        function = tf.autograph.experimental.do_not_convert(fn)
        with self.scope():
            return self.extended.call_for_each_replica(function, args, kwargs)


def _beside(variable: Any) -> Any:
    return tf.get_default_graph()._colocate_with_for_gradient(variable, None, False)
