"""What tfmigrate_runtime.training has of tf.contrib.training."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.training",
    "tfmigrate_runtime.training",
    {
        "": frozenset(
            {
                "GreedyLoadBalancingStrategy",
                "HParams",
                "RandomStrategy",
                "StopAfterNEvalsHook",
                "SummaryAtEndHook",
                "add_gradients_summaries",
                "bucket",
                "bucket_by_sequence_length",
                "byte_size_load_fn",
                "checkpoints_iterator",
                "clip_gradient_norms",
                "clip_gradient_norms_fn",
                "create_train_op",
                "evaluate_once",
                "evaluate_repeatedly",
                "get_or_create_eval_step",
                "multiply_gradients",
                "parse_values",
                "train",
                "wait_for_new_checkpoint",
            }
        ),
    },
)
