"""Modules in which the legacy runtime replaces what numbers the seeds of ops."""

# executing_eagerly is asked.
from tensorflow.python.eager import context as context

# get_default_graph, whose ops are counted.
from tensorflow.python.framework import ops as ops

# get_seed is replaced.
from tensorflow.python.framework import random_seed as random_seed

# _dropout is replaced.
from tensorflow.python.ops import nn_ops as nn_ops

# random_uniform is replaced.
from tensorflow.python.ops import random_ops as random_ops
