"""What tfmigrate_runtime.projector has of tf.contrib.tensorboard.plugins.projector."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.tensorboard.plugins.projector",
    "tfmigrate_runtime.projector",
    {
        "": frozenset(
            {"EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"}
        ),
    },
)
