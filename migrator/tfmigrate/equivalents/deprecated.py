"""tf.contrib.deprecated: the summaries of TensorFlow before 1.0 under their old names."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing, early_names

MODULE = "tensorflow.contrib.deprecated"
# Their tags have no name scope in them; those of tf.summary have (python/ops/logging_ops.py).
NAMES: Mapping[str, Equivalent] = {
    name: early_names.NAMES[name]
    for name in (
        "audio_summary",
        "histogram_summary",
        "image_summary",
        "merge_all_summaries",
        "merge_summary",
        "scalar_summary",
    )
}
MISSING: Mapping[str, Missing] = {}
