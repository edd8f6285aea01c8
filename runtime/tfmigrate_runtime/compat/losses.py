"""Weights of losses."""

# How tf.compat.v1.losses broadcasts weights. tf.__internal__ has it for Keras only.
from tensorflow.python.ops.weights_broadcast_ops import broadcast_weights as broadcast_weights
