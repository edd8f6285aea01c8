"""Runs the function of a tower once for every replica, into the graph that the loop made."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.replicas import replica_count
from tfmigrate_runtime.towers import private


def run(
    strategy: Any, replica_fn: Callable[[Any], Any], values: Iterable[Any] | None = None
) -> list[Any]:
    """Calls a function for every replica of a strategy, in its context and on its device.

    The replicas build their parts of the graph one after the other, so that a list may be appended
    to, or a name rebound, as in the loop that the function was. Names of operations are those of
    the loop. Variables are reused by all replicas but the first, and after the call too where the
    function called ``tf.get_variable_scope().reuse_variables()``.

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
    given = list(range(count) if values is None else values)
    if len(given) != count:
        raise ValueError(f"the strategy has {count} replicas, but there are {len(given)} values")
    results: dict[int, Any] = {}
    scope = tf.get_variable_scope()
    reused = []
    name_scope = tf.get_default_graph().get_name_scope()

    def replica() -> None:
        index = _replica_id()
        with _name_scope(name_scope):
            results[index] = replica_fn(given[index])
        reused.append(index == 0 and tf.get_variable_scope().reuse is True)

    with strategy.scope(), private.summaries_of_all_replicas():
        # AutoGraph would rewrite the function, which TensorFlow 1.x took as it is.
        strategy.extended.call_for_each_replica(tf.autograph.experimental.do_not_convert(replica))
    if any(reused) and not scope.reuse:
        scope.reuse_variables()
    return [results[index] for index in range(count)]


def _replica_id() -> int:
    identifier = tf.distribute.get_replica_context().replica_id_in_sync_group
    return int(identifier if isinstance(identifier, int) else tf.get_static_value(identifier))


@contextlib.contextmanager
def _name_scope(name: str) -> Iterator[None]:
    """Goes back to a scope by its full name: replicas would add their own to it."""
    with tf.name_scope(f"{name}/" if name else None):
        yield
