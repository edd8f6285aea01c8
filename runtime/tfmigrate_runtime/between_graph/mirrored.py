"""Workers in lockstep, each with its own copy of the variables."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.global_step import find_by_name
from tfmigrate_runtime.between_graph.own_values import note_reduced
from tfmigrate_runtime.between_graph.tasks import resolver
from tfmigrate_runtime.compat.distribute import (
    CollectiveAllReduceExtended,
    rows_in_order_of_appearance,
)
from tfmigrate_runtime.estimator.slots import slots_of_scope
from tfmigrate_runtime.estimator.task import CHIEFS, PS, Task

_made: list[MultiWorkerMirroredStrategy] = []


class _Extended(CollectiveAllReduceExtended):  # type: ignore[misc]
    """Leaves gradients as they are while they are known to be means over the workers.

    Initial values are each worker's own: sessions begin with the chief's (``SharedState.begin``).
    Broadcast, they would have to be computed by all workers or by none, which TensorFlow does not
    ensure: the chief's may depend on another variable's, where all others receive them.

    What one worker reads, others need not read at once, as the chief alone writes checkpoints and
    prints metrics: moving averages are averaged when they are updated, and metrics are of each
    worker.
    """

    gradients_are_means = False

    def _get_variable_creator_initial_value(
        self, replica_id: int, device: Any, primary_var: Any, **options: Any
    ) -> Any:
        return options["initial_value"]  # there is one replica

    def _allow_variable_partition(self) -> bool:
        # The parts of a variable are initialized and clipped one by one, as on parameter servers.
        return True

    def _create_variable(self, next_creator: Callable[..., Any], **options: Any) -> Any:
        if tf.GraphKeys.METRIC_VARIABLES in (options.get("collections") or ()):
            return next_creator(**options)
        on_read = tf.VariableSynchronization.ON_READ
        if options.get("trainable") is None:
            options["trainable"] = options.get("synchronization") != on_read
        if options.get("synchronization") == on_read:
            options["synchronization"] = tf.VariableSynchronization.ON_WRITE
        variable = super()._create_variable(next_creator, **options)
        # Else each look at it adds an operation, which a graph that is finalized does not take.
        variable._initializer_op = (
            self._container_strategy().experimental_local_results(variable)[0].initializer
        )
        return find_by_name(variable)

    def _reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any) -> Any:
        reduced = super()._reduce_to(reduce_op, value, destinations, options)
        parts = map(self._container_strategy().experimental_local_results, (reduced, value))
        note_reduced(*(part[0] for part in parts))
        return reduced

    def _batch_reduce_to(self, reduce_op: Any, pairs: Any, *more: Any, **options: Any) -> Any:
        if self.gradients_are_means:
            return [value for value, _ in pairs]
        return super()._batch_reduce_to(reduce_op, pairs, *more, **options)


class MultiWorkerMirroredStrategy(
    tf.distribute.experimental.MultiWorkerMirroredStrategy  # type: ignore[misc]
):
    """compat.v1's strategy of this name, with one replica in each worker."""

    def __init__(self, task: Task, gpus: int) -> None:
        """Makes the strategy of one worker.

        Args:
            task: this worker, in the cluster of those that train.
            gpus: how many GPUs each worker uses: 0 or 1.

        Raises:
            ValueError: eager execution is on.
        """
        if tf.executing_eagerly_outside_functions():
            raise ValueError(
                "synchronous workers need graph mode: call tf.disable_v2_behavior() before "
                "creating the server"
            )
        self.task = task
        options = tf2.distribute.experimental.CommunicationOptions()
        extended = _Extended(
            self, cluster_resolver=resolver(task, gpus), communication_options=options
        )
        # Not that of compat.v1's strategy, which would make another extended part.
        tf.distribute.Strategy.__init__(self, extended)

    @contextlib.contextmanager
    def gradients_are_means(self) -> Iterator[None]:
        """Lets optimizers apply what they are given: it is the mean over the workers already.

        What they place next to a variable (``AdagradDAOptimizer`` its slots) is next to this
        worker's copy.
        """
        graph: Any = tf.get_default_graph()
        colocate_with = graph.colocate_with

        def beside_copy(place: Any, ignore_existing: bool = False) -> Any:
            return colocate_with(self.experimental_local_results(place)[0], ignore_existing)

        self.extended.gradients_are_means = True
        graph.colocate_with = beside_copy
        try:
            yield
        finally:
            self.extended.gradients_are_means = False
            del graph.colocate_with

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function in the context of this worker's replica; returns what it returns.

        Args:
            fn: builds a part of the graph; its variables are mirrored on the workers.
            args: its arguments.
            kwargs: its keyword arguments.
            options: unused.
        """
        results: list[Any] = []

        def replica() -> None:
            with tf.device(self._on_this_worker):
                results.append(fn(*args, **(kwargs or {})))

        # The rows of the workers' gradients are merged in their order (``accumulated_slices``).
        with self.scope(), slots_of_scope(), rows_in_order_of_appearance():
            # AutoGraph would rewrite the program's code, which TensorFlow 1.x took as it is.
            self.extended.call_for_each_replica(tf.autograph.experimental.do_not_convert(replica))
        return results[0]

    def _on_this_worker(self, operation: Any) -> str:
        """A device function: what was placed on a parameter server manually is on the worker.

        So is what was placed on the "master", whose job is "chief" here.
        """
        device = tf.DeviceSpec.from_string(operation.device or "")
        if device.job not in (PS, *CHIEFS) or device.job == self.task.type:
            return str(operation.device or "")
        return str(device.replace(job=self.task.type, task=self.task.index).to_string())


def strategy_of(task: Task, device: str = "") -> MultiWorkerMirroredStrategy:
    """Returns the one strategy of this process.

    Args:
        task: this worker, in the cluster of those that train.
        device: the device that the program chose for operations, which may name a GPU.

    Raises:
        ValueError: the process already has a strategy as another task, or the device is a GPU
            which is not the first.
    """
    if not _made:
        _made.append(MultiWorkerMirroredStrategy(task, _gpus(device)))
    strategy = _made[0]
    if strategy.task != task:
        raise ValueError(f"this process is already {strategy.task}, and cannot be {task} too")
    return strategy


def made() -> MultiWorkerMirroredStrategy | None:
    """Returns the strategy of this process, None where there is none yet."""
    return _made[0] if _made else None


def _gpus(device: str) -> int:
    """Returns how many GPUs a worker uses: one, where there are any, as without towers."""
    spec = tf.DeviceSpec.from_string(device)
    available = len(tf2.config.list_physical_devices("GPU"))
    if spec.device_type == "CPU" or not available:
        return 0
    if spec.device_type == "GPU" and spec.device_index:
        raise ValueError(
            f"the worker's device is {device!r}, but a worker uses the first GPU that it sees: "
            f"start it with CUDA_VISIBLE_DEVICES={spec.device_index} and device index 0"
        )
    return 1
