"""tf.contrib.tpu without TPUs: what its Estimator does on CPUs and GPUs.

``TPUEstimator`` is that of tensorflow-estimator, as in TensorFlow 1.15.
"""

from __future__ import annotations

from typing import Any

from tensorflow.python.tpu import bfloat16, tpu, tpu_optimizer, tpu_replication
from tensorflow.python.tpu.ops import tpu_ops
from tensorflow_estimator.python.estimator.tpu import tpu_config, tpu_estimator

from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

__all__ = [
    "CrossShardOptimizer",
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
    "batch_parallel",
    "bfloat16_scope",
    "core",
    "cross_replica_sum",
    "initialize_system",
    "outside_compilation",
    "replicate",
    "rewrite",
    "shard",
    "shutdown_system",
]

CrossShardOptimizer = tpu_optimizer.CrossShardOptimizer
InputPipelineConfig = tpu_config.InputPipelineConfig
RunConfig = tpu_config.RunConfig
TPUConfig = tpu_config.TPUConfig
TPUEstimatorSpec = tpu_estimator.TPUEstimatorSpec
bfloat16_scope = bfloat16.bfloat16_scope
batch_parallel = tpu.batch_parallel
core = tpu.core
cross_replica_sum = tpu_ops.cross_replica_sum
initialize_system = tpu.initialize_system
outside_compilation = tpu_replication.outside_compilation
replicate = tpu.replicate
rewrite = tpu.rewrite
shard = tpu.shard
shutdown_system = tpu.shutdown_system


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
