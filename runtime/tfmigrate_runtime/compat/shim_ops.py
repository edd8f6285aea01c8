"""Functions and classes that tf.contrib showed and the legacy runtime gives programs."""

# tf.contrib.autograph: converted_call and errors.
from tensorflow.python.autograph.impl import api as api

# replicate_model_fn asks it for the devices of the process, as in 1.15.
from tensorflow.python.client import device_lib as device_lib

# tf.contrib.util: ops of a GraphDef.
from tensorflow.python.framework import meta_graph as meta_graph

# tf.contrib.framework.get_graph_from_inputs.
from tensorflow.python.framework.ops import _get_graph_from_inputs as _get_graph_from_inputs

# tf.contrib.framework.BoundedTensorSpec.
from tensorflow.python.framework.tensor import BoundedTensorSpec as BoundedTensorSpec

# tf.contrib.framework.python.ops.audio_ops.
from tensorflow.python.ops import gen_audio_ops as gen_audio_ops

# tf.contrib.deprecated: summaries of TensorFlow 0.x.
from tensorflow.python.ops import logging_ops as logging_ops

# tf.contrib.layers.optimize_loss is made of it, op by op.
from tensorflow.python.ops.control_flow_ops import with_dependencies as with_dependencies

# tf.contrib.framework.RecordInput.
from tensorflow.python.ops.data_flow_ops import RecordInput as RecordInput

# tf.contrib.nn.nth_element.
from tensorflow.python.ops.nn_ops import nth_element as nth_element

# tf.contrib.rnn.best_effort_input_batch_size.
from tensorflow.python.ops.rnn import _best_effort_input_batch_size as _best_effort_input_batch_size

# tf.contrib.rnn.transpose_batch_time.
from tensorflow.python.ops.rnn import _transpose_batch_time as _transpose_batch_time

# tf.contrib.eager.EagerVariableStore.
from tensorflow.python.ops.variable_scope import EagerVariableStore as EagerVariableStore

# A module, as is_built_with_cuda in it is replaced.
from tensorflow.python.platform import test as test

# tf.contrib.saved_model.reader.
from tensorflow.python.tools.saved_model_utils import (
    get_saved_model_tag_sets as get_saved_model_tag_sets,
)

# As above.
from tensorflow.python.tools.saved_model_utils import read_saved_model as read_saved_model

# tf.contrib.checkpoint.
from tensorflow.python.trackable import autotrackable as autotrackable

# As above.
from tensorflow.python.trackable import base as base

# As above.
from tensorflow.python.trackable import data_structures as data_structures

# Evaluations of contrib.learn Estimators.
from tensorflow.python.training import evaluation as evaluation

# Moving averages of tf.contrib.layers.
from tensorflow.python.training import moving_averages as moving_averages

# The global step as contrib.learn Estimators read it.
from tensorflow.python.training import training_util as training_util

# Names of the arguments of a model function, as Estimators find them.
from tensorflow.python.util import function_utils as function_utils
