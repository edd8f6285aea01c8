"""tf.contrib.losses.metric_learning on TensorFlow 2: losses of distances between embeddings."""

import importlib
from typing import Any

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim

load_tf_slim()
_losses: Any = importlib.import_module("tf_slim.losses.metric_learning")

cluster_loss = _losses.cluster_loss
contrastive_loss = _losses.contrastive_loss
lifted_struct_loss = _losses.lifted_struct_loss
npairs_loss = _losses.npairs_loss
npairs_loss_multilabel = _losses.npairs_loss_multilabel
triplet_semihard_loss = _losses.triplet_semihard_loss

__all__ = [
    "cluster_loss", "contrastive_loss", "lifted_struct_loss", "npairs_loss",
    "npairs_loss_multilabel", "triplet_semihard_loss",
]  # fmt: skip
