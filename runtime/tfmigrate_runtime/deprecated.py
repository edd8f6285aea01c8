"""tf.contrib.deprecated on TensorFlow 2: summaries of TensorFlow before 1.0, whose tags are kept.

The tags of tf.summary have the name scope in them and are made unique.
"""

from tfmigrate_runtime.compat.summaries import (
    audio_summary,
    histogram_summary,
    image_summary,
    scalar_summary,
)

__all__ = ["audio_summary", "histogram_summary", "image_summary", "scalar_summary"]
