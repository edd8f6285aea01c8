"""Where a piece of code runs: in a replica, across replicas, under which strategy."""

from typing import Any

import tensorflow.compat.v1 as tf

DistributionStrategy = tf.distribute.Strategy
ReplicaContext = tf.distribute.ReplicaContext
TowerContext = tf.distribute.ReplicaContext
get_loss_reduction = tf.distribute.get_loss_reduction
get_replica_context = tf.distribute.get_replica_context
get_tower_context = tf.distribute.get_replica_context
get_strategy = tf.distribute.get_strategy
get_distribution_strategy = tf.distribute.get_strategy
has_strategy = tf.distribute.has_strategy
has_distribution_strategy = tf.distribute.has_strategy
in_cross_replica_context = tf.distribute.in_cross_replica_context


def get_cross_replica_context() -> Any:
    """Returns the strategy where code is outside of its replicas, None in a replica."""
    return tf.distribute.get_strategy() if tf.distribute.in_cross_replica_context() else None


def require_replica_context(replica_ctx: Any) -> None:
    """Checks that code runs in a replica.

    Args:
        replica_ctx: the context that it has to be in.

    Raises:
        RuntimeError: it is another one, or none.
    """
    if tf.distribute.get_replica_context() is not replica_ctx:
        raise RuntimeError("call this in the given replica context")


get_cross_tower_context = get_cross_replica_context
require_tower_context = require_replica_context
