"""Summaries that are written while a graph runs: TensorFlow 2 keeps tf.contrib.summary privately.

``tf.summary`` is no way: its functions write nothing in the graph of a session.
"""

from __future__ import annotations

from tensorflow.python.ops.summary_ops_v2 import (
    SummaryWriter,
    always_record_summaries,
    audio,
    create_file_writer,
    create_summary_file_writer,
    eval_dir,
    flush,
    generic,
    graph,
    histogram,
    image,
    import_event,
    initialize,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    scalar,
    should_record_summaries,
    summary_writer_initializer_op,
)
from tensorflow.python.ops.summary_ops_v2 import all_v2_summary_ops as all_summary_ops

__all__ = [
    "SummaryWriter",
    "all_summary_ops",
    "always_record_summaries",
    "audio",
    "create_file_writer",
    "create_summary_file_writer",
    "eval_dir",
    "flush",
    "generic",
    "graph",
    "histogram",
    "image",
    "import_event",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]
