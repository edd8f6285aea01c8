"""tf.contrib.framework."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.framework"
# Each was an alias of the function in tf.train (contrib/framework/python/ops/variables.py).
NAMES: Mapping[str, Equivalent] = {
    name: Equivalent(f"train.{name}")
    for name in (
        "assert_global_step",
        "create_global_step",
        "get_global_step",
        "get_or_create_global_step",
    )
}
MISSING: Mapping[str, Missing] = {}
