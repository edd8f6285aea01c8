"""tf.contrib.summary on TensorFlow 2: summaries that are written while a graph runs.

``from tfmigrate_runtime import summary`` instead of ``tf.contrib.summary``. The functions are
the same ones; TensorFlow 2 keeps them, without a public name, for graphs of TensorFlow 1.x.
"""

from tfmigrate_runtime.compat.summaries import (
    SummaryWriter, all_summary_ops, always_record_summaries, audio, create_file_writer,
    create_summary_file_writer, eval_dir, flush, generic, graph, histogram, image, import_event,
    initialize, never_record_summaries, record_summaries_every_n_global_steps, scalar,
    should_record_summaries, summary_writer_initializer_op,
)  # fmt: skip

__all__ = [
    "SummaryWriter", "all_summary_ops", "always_record_summaries", "audio", "create_file_writer",
    "create_summary_file_writer", "eval_dir", "flush", "generic", "graph", "histogram", "image",
    "import_event", "initialize", "never_record_summaries", "record_summaries_every_n_global_steps",
    "scalar", "should_record_summaries", "summary_writer_initializer_op",
]  # fmt: skip
