"""Runs a tower's function once for each replica, in the graph that the loop built."""

from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.replicas import replica_count
from tfmigrate_runtime.towers import private


def run(
    strategy: Any, replica_fn: Callable[[Any], Any], values: Iterable[Any] | None = None
) -> list[Any]:
    """Calls a function for every replica of a strategy, in its context and on its device.

    The replicas build their parts of the graph one after the other, as the turns of the loop did
    that the function was: a list may be appended to, a name rebound. Names of ops, variable scopes,
    what they reuse and all devices are those of the loop.
    What a replica builds sees no strategy: its assignments, moving averages, metrics, optimizers
    and summaries are that tower's alone (under TensorFlow's strategy they would be merged over all
    replicas, or dropped).

    Args:
        strategy: the strategy, as ``central_storage_strategy`` makes it.
        replica_fn: gets the index of the replica, or its value of ``values``.
        values: one value a replica.

    Returns:
        What the function returned, by replica.

    Raises:
        ValueError: there are more or fewer values than replicas.
    """
    count = replica_count(strategy)
    replica_values = list(range(count) if values is None else values)
    if len(replica_values) != count:
        raise ValueError(
            f"the strategy has {count} replicas, but there are {len(replica_values)} values"
        )
    results: dict[int, Any] = {}
    scopes = private.VariableScopes()
    # An absolute name scope: replicas would add their own to that of the code around them.
    name_scope = tf.get_default_graph().get_name_scope()
    name_scope = f"{name_scope}/" if name_scope else None
    devices = getattr(strategy, "tower_devices", strategy.extended.worker_devices)
    parameter_device = getattr(strategy, "parameter_device", None)

    def placed(creator: Callable[..., Any], **options: Any) -> Any:
        if parameter_device is None:
            return creator(**options)
        with tf.device(None), tf.device(parameter_device):
            return creator(**options)

    def replica() -> None:
        index = _replica_id()
        with (
            scopes.in_replica(),
            tf.name_scope(name_scope),
            tf.variable_creator_scope(placed),
            tf.device(devices[index]),
            tf.device(device_of_readers),
        ):
            results[index] = replica_fn(replica_values[index])

    with strategy.scope():
        # AutoGraph would rewrite the function, which TensorFlow 1.x took as it is.
        strategy.extended.call_for_each_replica(tf.autograph.experimental.do_not_convert(replica))
    scopes.leave_behind()
    return [results[index] for index in range(count)]


def _replica_id() -> int:
    identifier = tf.distribute.get_replica_context().replica_id_in_sync_group
    return int(identifier if isinstance(identifier, int) else tf.get_static_value(identifier))


def device_of_readers(op: Any) -> str:
    """Returns the device of an operation: the first CPU for a queue or a reader, else its own.

    A device function, for ``tf.device``. TensorFlow 2 makes queues on "CPU" (``tf.queue.FIFOQueue``
    and its like), of which the tower's index makes CPU:1; a reader, which takes names from the
    queue, is asked for on the tower's GPU. The two cannot be placed apart, not by
    ``allow_soft_placement`` either. In TensorFlow 1.x both were asked for on the GPU and came to
    the CPU together, since there are no such operations for GPUs.

    Args:
        op: an operation that is being made (``tf.Operation``).
    """
    kind = op.type.removesuffix("V2")
    is_held_by_cpu = kind.endswith(("Queue", "Reader")) or kind.startswith("Reader")
    return "/device:CPU:0" if is_held_by_cpu else str(op.device)
