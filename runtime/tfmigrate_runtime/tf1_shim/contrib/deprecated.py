"""tf.contrib.deprecated: the summaries of TensorFlow before 1.0."""

from tfmigrate_runtime.compat.shim_ops import logging_ops

__all__ = [
    "audio_summary", "histogram_summary", "image_summary", "merge_all_summaries", "merge_summary",
    "scalar_summary",
]  # fmt: skip

audio_summary = logging_ops.audio_summary
histogram_summary = logging_ops.histogram_summary
image_summary = logging_ops.image_summary
merge_all_summaries = logging_ops.merge_all_summaries
merge_summary = logging_ops.merge_summary
scalar_summary = logging_ops.scalar_summary
