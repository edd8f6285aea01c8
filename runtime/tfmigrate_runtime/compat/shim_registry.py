"""Ops that TensorFlow has, for op_def_registry of TensorFlow 1.15."""

# Messages of ops.
from tensorflow.core.framework import op_def_pb2 as op_def_pb2

# The C function that lists ops.
from tensorflow.python.client import pywrap_tf_session as pywrap_tf_session
