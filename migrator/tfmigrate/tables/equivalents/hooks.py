"""tf.contrib.hooks."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.hooks"
# An alias of the one in tf.train (contrib/hooks/__init__.py).
NAMES: Mapping[str, Equivalent] = {"ProfilerHook": Equivalent("train.ProfilerHook")}
MISSING: Mapping[str, Missing] = {}
