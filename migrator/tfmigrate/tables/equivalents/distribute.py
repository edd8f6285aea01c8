"""tf.contrib.distribute; what most programs use of it is in the runtime."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.distribute"
NAMES: Mapping[str, Equivalent] = {
    # In 1.15 they are the same objects; programs that use them are reported as programs for TPUs.
    "TPUStrategy": Equivalent("distribute.experimental.TPUStrategy"),
    "initialize_tpu_system": Equivalent("tpu.experimental.initialize_tpu_system"),
}
_PRIVATE = "it was a part of how strategies were made, which is another one in TensorFlow 2"
MISSING: Mapping[str, Missing] = {
    "MultiWorkerAllReduce": Missing(
        "it reduced over the workers of one graph",
        "leave it out: CollectiveAllReduceStrategy reduces over workers by itself",
    ),
    "DistributionStrategyExtended": Missing(
        _PRIVATE, "make a subclass of tf.distribute.StrategyExtended"
    ),
    "UpdateContext": Missing(_PRIVATE, "call strategy.extended.update, which enters one itself"),
    "run_standard_tensorflow_server": Missing(
        "it read TF_CONFIG and started a server",
        "start a tf.distribute.Server for the task of TF_CONFIG, and join() it",
    ),
}
