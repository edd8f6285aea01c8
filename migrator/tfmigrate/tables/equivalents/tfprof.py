"""tf.contrib.tfprof."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.tfprof"
NAMES: Mapping[str, Equivalent] = {}
_CONTEXT = Missing(
    "it profiled steps through a hook into tf.Session that TensorFlow 2 does not have",
    "use tf.train.ProfilerHook, or trace steps with tf.profiler.experimental.start and stop",
)
MISSING: Mapping[str, Missing] = {
    "ProfileContext": _CONTEXT,
    "model_analyzer.ProfileContext": _CONTEXT,
}
