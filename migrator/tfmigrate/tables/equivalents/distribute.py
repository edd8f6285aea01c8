"""tf.contrib.distribute, without what the runtime provides."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.distribute"
NAMES: Mapping[str, Equivalent] = {
    # In 1.15 they are the same objects; programs that use them are reported as programs for TPUs.
    "TPUStrategy": Equivalent("distribute.experimental.TPUStrategy"),
    "initialize_tpu_system": Equivalent("tpu.experimental.initialize_tpu_system"),
}
_PRIVATE = "it was part of the internals of strategies, which TensorFlow 2 replaced"
MISSING: Mapping[str, Missing] = {
    "MultiWorkerAllReduce": Missing(
        "it reduced over the workers of one graph",
        "remove it; CollectiveAllReduceStrategy reduces over workers itself",
    ),
    "DistributionStrategyExtended": Missing(_PRIVATE, "subclass tf.distribute.StrategyExtended"),
    "UpdateContext": Missing(
        _PRIVATE, "call strategy.extended.update, which enters an update context itself"
    ),
    "run_standard_tensorflow_server": Missing(
        "it read TF_CONFIG and started a server",
        "start a tf.distribute.Server for the task of TF_CONFIG, and join() it",
    ),
}
