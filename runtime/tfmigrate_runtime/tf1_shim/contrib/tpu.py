"""tf.contrib.tpu without TPUs: what its Estimator does on CPUs and GPUs.

``TPUEstimator`` is that of tensorflow-estimator, as in TensorFlow 1.15.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import tpu_config, tpu_estimator
from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

__all__ = [
    "CrossShardOptimizer", "InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator",
    "TPUEstimatorSpec", "batch_parallel", "bfloat16_scope", "core", "cross_replica_sum",
    "initialize_system", "outside_compilation", "replicate", "rewrite", "shard", "shutdown_system",
]  # fmt: skip

CrossShardOptimizer = tf.tpu.CrossShardOptimizer
InputPipelineConfig = tpu_config.InputPipelineConfig
RunConfig = tpu_config.RunConfig
TPUConfig = tpu_config.TPUConfig
TPUEstimatorSpec = tpu_estimator.TPUEstimatorSpec
bfloat16_scope = tf.tpu.bfloat16_scope
batch_parallel = tf.tpu.batch_parallel
core = tf.tpu.core
cross_replica_sum = tf.tpu.cross_replica_sum
initialize_system = tf.tpu.initialize_system
outside_compilation = tf.tpu.outside_compilation
replicate = tf.tpu.replicate
rewrite = tf.tpu.rewrite
shard = tf.tpu.shard
shutdown_system = tf.tpu.shutdown_system


class TPUEstimator(tpu_estimator.TPUEstimator):  # type: ignore[misc]
    """An Estimator that gives its functions ``params["batch_size"]``; ``use_tpu=False`` only."""

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        *arguments: Any,
        **options: Any,
    ) -> None:
        """Makes it; the other arguments are those of tensorflow-estimator.

        Raises:
            AttributeError: it shall use TPUs.
            ValueError: an option is wrong.
        """
        if use_tpu:
            raise not_emulated("tf.contrib.tpu.TPUEstimator(use_tpu=True)")
        super().__init__(model_fn, model_dir, config, params, use_tpu, *arguments, **options)
