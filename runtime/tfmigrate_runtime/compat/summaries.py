"""Summaries that are written while a graph runs: TensorFlow 2 keeps tf.contrib.summary privately.

``tf.summary`` is no way: its functions write nothing in the graph of a session.
"""

# tf.contrib.deprecated. tf.raw_ops has the ops, not what collects their results.
from tensorflow.python.ops.logging_ops import (
    audio_summary, histogram_summary, image_summary, scalar_summary,
)  # fmt: skip
from tensorflow.python.ops.summary_ops_v2 import (
    SummaryWriter, always_record_summaries, audio, create_file_writer, create_summary_file_writer,
    eval_dir, flush, generic, graph, histogram, image, import_event, initialize,
    never_record_summaries, record_summaries_every_n_global_steps, scalar, should_record_summaries,
    summary_writer_initializer_op,
)  # fmt: skip
from tensorflow.python.ops.summary_ops_v2 import all_v2_summary_ops as all_summary_ops

__all__ = [
    "SummaryWriter", "all_summary_ops", "always_record_summaries", "audio", "audio_summary",
    "create_file_writer", "create_summary_file_writer", "eval_dir", "flush", "generic", "graph",
    "histogram", "histogram_summary", "image", "image_summary", "import_event", "initialize",
    "never_record_summaries", "record_summaries_every_n_global_steps", "scalar", "scalar_summary",
    "should_record_summaries", "summary_writer_initializer_op",
]  # fmt: skip
