"""Strategies for training and for evaluation, as RunConfig takes them."""

from typing import Any, NamedTuple


class DistributeConfig(NamedTuple):
    """``tf.contrib.distribute.DistributeConfig``, for ``RunConfig(experimental_distribute=...)``.

    Attributes:
        train_distribute: the strategy to train under, None for one device.
        eval_distribute: the strategy to evaluate under.
        remote_cluster: a cluster for a standalone client. RunConfig refuses one: give each task
            its TF_CONFIG.
    """

    train_distribute: Any = None
    eval_distribute: Any = None
    remote_cluster: Any = None
