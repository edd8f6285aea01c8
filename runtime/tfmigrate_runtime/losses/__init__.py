"""tf.contrib.losses on TensorFlow 2: the losses of tf_slim.

``from tfmigrate_runtime import losses`` instead of ``tf.contrib.losses``. They are not those
of ``tf.losses``: predictions come before labels, and weights are those of examples.
"""

from tfmigrate_runtime.compat.tf_slim_loader import load_tf_slim
from tfmigrate_runtime.losses import metric_learning

_losses = load_tf_slim().losses

absolute_difference = _losses.absolute_difference
add_loss = _losses.add_loss
compute_weighted_loss = _losses.compute_weighted_loss
cosine_distance = _losses.cosine_distance
get_losses = _losses.get_losses
get_regularization_losses = _losses.get_regularization_losses
get_total_loss = _losses.get_total_loss
hinge_loss = _losses.hinge_loss
log_loss = _losses.log_loss
mean_pairwise_squared_error = _losses.mean_pairwise_squared_error
mean_squared_error = _losses.mean_squared_error
sigmoid_cross_entropy = _losses.sigmoid_cross_entropy
softmax_cross_entropy = _losses.softmax_cross_entropy
sparse_softmax_cross_entropy = _losses.sparse_softmax_cross_entropy

__all__ = [
    "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_losses", "get_total_loss", "hinge_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "metric_learning", "sigmoid_cross_entropy",
    "softmax_cross_entropy", "sparse_softmax_cross_entropy",
]  # fmt: skip
