"""Importing it lets TensorFlow take Keras 2, where tf.layers and tf.nn.rnn_cell are.

TensorFlow looks when one of them is first used.
"""

import os

VARIABLE = "TF_USE_LEGACY_KERAS"

os.environ.setdefault(VARIABLE, "1")
