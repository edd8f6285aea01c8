"""tf.contrib.deprecated: the summaries of TensorFlow before 1.0."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.deprecated"
# What collects and merges summaries writes no tags.
NAMES: Mapping[str, Equivalent] = {
    "merge_all_summaries": Equivalent("summary.merge_all"),
    "merge_summary": Equivalent("summary.merge"),
}
# Measured: a summary "mean" next to an operation "Mean" is called "mean_1" by tf.summary.
MISSING: Mapping[str, Missing] = {
    "": Missing(
        "tf.summary includes the name scope in tags and makes them unique",
        "use tf.summary.scalar(name, tensor); its tags differ",
    )
}
