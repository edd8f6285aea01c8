"""What tfmigrate_runtime.summary has of tf.contrib.summary."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.summary",
    "tfmigrate_runtime.summary",
    {
        "": frozenset(
            {
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
            }
        ),
    },
)
