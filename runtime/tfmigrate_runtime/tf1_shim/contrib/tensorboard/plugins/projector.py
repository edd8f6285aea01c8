"""tf.contrib.tensorboard.plugins.projector."""

from tfmigrate_runtime.projector import (
    EmbeddingInfo,
    ProjectorConfig,
    SpriteMetadata,
    visualize_embeddings,
)

__all__ = ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"]
