"""What tfmigrate_runtime.losses has of tf.contrib.losses."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.losses",
    "tfmigrate_runtime.losses",
    {
        "": frozenset(
            {
                "absolute_difference",
                "add_loss",
                "compute_weighted_loss",
                "cosine_distance",
                "get_losses",
                "get_regularization_losses",
                "get_total_loss",
                "hinge_loss",
                "log_loss",
                "mean_pairwise_squared_error",
                "mean_squared_error",
                "sigmoid_cross_entropy",
                "softmax_cross_entropy",
                "sparse_softmax_cross_entropy",
            }
        ),
        "metric_learning": frozenset(
            {
                "cluster_loss",
                "contrastive_loss",
                "lifted_struct_loss",
                "npairs_loss",
                "npairs_loss_multilabel",
                "triplet_semihard_loss",
            }
        ),
    },
)
