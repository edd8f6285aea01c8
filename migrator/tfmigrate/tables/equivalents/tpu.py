"""tf.contrib.tpu, without the classes of its Estimator, which the runtime has."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.tpu"
# Each was an alias of the one in tf.tpu (contrib/tpu/__init__.py).
_CORE = (
    "CrossShardOptimizer", "batch_parallel", "bfloat16_scope", "core", "cross_replica_sum",
    "initialize_system", "outside_compilation", "replicate", "rewrite", "shard", "shutdown_system",
)  # fmt: skip
NAMES: Mapping[str, Equivalent] = {name: Equivalent(f"tpu.{name}") for name in _CORE}
MISSING: Mapping[str, Missing] = {
    "": Missing(
        "its interface to TPUs was removed",
        "remove it to train on CPUs and GPUs, or use tf.distribute.TPUStrategy for TPUs",
    )
}
