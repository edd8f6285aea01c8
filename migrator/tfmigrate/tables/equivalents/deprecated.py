"""tf.contrib.deprecated: the summaries of TensorFlow before 1.0."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.deprecated"
# What collects and merges summaries writes no tags; the runtime has what does.
NAMES: Mapping[str, Equivalent] = {
    "merge_all_summaries": Equivalent("summary.merge_all"),
    "merge_summary": Equivalent("summary.merge"),
}
MISSING: Mapping[str, Missing] = {}
