"""Keras 2, where the legacy runtime names layers and counts ops as TensorFlow 1.15 did."""

# to_snake_case in it names layers after their class, and is replaced.
from tf_keras.src.engine import base_layer as base_layer

# As above.
from tf_keras.src.engine import base_layer_v1 as base_layer_v1

# MetricsContainer in it names the metrics of eager models, and is amended.
from tf_keras.src.engine import compile_utils as compile_utils

# An attribute of tensorflow.python.layers.base.
from tf_keras.src.engine.input_spec import InputSpec as InputSpec

# A layer that makes fewer ops than in 1.15, which are counted.
from tf_keras.src.layers.convolutional.base_conv import Conv as Conv

# As above.
from tf_keras.src.layers.core.dense import Dense as Dense

# As above.
from tf_keras.src.layers.normalization.batch_normalization import (
    BatchNormalizationBase as BatchNormalizationBase,
)

# As above.
from tf_keras.src.layers.reshaping.flatten import Flatten as Flatten

# backend in it opens a name scope for cells, and is replaced.
from tf_keras.src.layers.rnn import base_rnn as base_rnn

# tf.nn.rnn_cell.
from tf_keras.src.layers.rnn import legacy_cells as legacy_cells

# As base_rnn.
from tf_keras.src.layers.rnn import stacked_rnn_cells as stacked_rnn_cells

# tf.layers.
from tf_keras.src.legacy_tf_layers import base as base

# As above.
from tf_keras.src.legacy_tf_layers import convolutional as convolutional

# As above.
from tf_keras.src.legacy_tf_layers import core as core

# As above.
from tf_keras.src.legacy_tf_layers import normalization as normalization

# As above.
from tf_keras.src.legacy_tf_layers import pooling as pooling

# A regularizer that makes fewer ops than in 1.15, which are counted.
from tf_keras.src.regularizers import L1 as L1

# As above.
from tf_keras.src.regularizers import L2 as L2

# As base_layer.
from tf_keras.src.utils import generic_utils as generic_utils
