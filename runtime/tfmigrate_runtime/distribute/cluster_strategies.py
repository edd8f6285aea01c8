"""The strategies of tf.contrib.distribute for several processes."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.distribute import cluster_of_environment
from tfmigrate_runtime.distribute.early_methods import EarlyMethods


class CollectiveAllReduceStrategy(
    EarlyMethods,
    tf.distribute.experimental.MultiWorkerMirroredStrategy,  # type: ignore[misc]
):
    """``tf.contrib.distribute.CollectiveAllReduceStrategy``: workers in lockstep."""

    def __init__(self, num_gpus_per_worker: int = 0, communication: Any = None) -> None:
        """Makes the strategy for the cluster of TF_CONFIG.

        Args:
            num_gpus_per_worker: how many GPUs each worker uses; 0 for the CPU.
            communication: a ``tf.distribute.experimental.CollectiveCommunication``.
        """
        if communication is None:
            communication = tf.distribute.experimental.CollectiveCommunication.AUTO
        super().__init__(communication, cluster_of_environment(num_gpus_per_worker))


class ParameterServerStrategy(
    EarlyMethods,
    tf.distribute.experimental.ParameterServerStrategy,  # type: ignore[misc]
):
    """``tf.contrib.distribute.ParameterServerStrategy``: workers that do not wait."""

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        """Makes the strategy for the cluster of TF_CONFIG.

        Args:
            num_gpus_per_worker: how many GPUs each worker uses; 0 for the CPU.
        """
        super().__init__(cluster_of_environment(num_gpus_per_worker))
