"""Keras 2 inside of model functions and model_to_estimator: tf_keras shows none of these."""

# Its PER_GRAPH_OBJECT_NAME_UIDS numbers layers; track_variable, unique_object_name.
from tf_keras.src import backend as backend

# Layer: __call__, _init_set_name and _name are wrapped or set.
from tf_keras.src.engine import base_layer as base_layer

# Layer without the behaviour of TensorFlow 2.
from tf_keras.src.engine import base_layer_v1 as base_layer_v1

# Models of layers check no inputs: their input_spec is set.
from tf_keras.src.engine import functional as functional

# Sample weights as tensors; its tf.__internal__.tf2.enabled is replaced for a while.
from tf_keras.src.engine import training_utils_v1 as training_utils_v1

# Reshape._fix_unknown_dimension, which is wrapped.
from tf_keras.src.layers.reshaping import reshape as reshape

# RNN.build, which is wrapped.
from tf_keras.src.layers.rnn import base_rnn as base_rnn

# StackedRNNCells.build, which is wrapped.
from tf_keras.src.layers.rnn import stacked_rnn_cells as stacked_rnn_cells

# clone_and_build_model builds a model again on given tensors.
from tf_keras.src.models import cloning as cloning

# Optimizers of Keras 2.11 and later become those of before, which work in graphs.
from tf_keras.src.optimizers import convert_to_legacy_optimizer as convert_to_legacy_optimizer

# Its class Optimizer is the one of Keras 2.11 and later.
from tf_keras.src.optimizers import optimizer as optimizer

# OptimizerV2.get_gradients, which is wrapped.
from tf_keras.src.optimizers.legacy import optimizer_v2 as optimizer_v2

# swap_class, which is wrapped, gives classes the bases of TensorFlow 1 or 2; should_use_v2.
from tf_keras.src.utils import version_utils as version_utils
