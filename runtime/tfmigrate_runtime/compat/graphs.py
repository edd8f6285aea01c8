"""Names, scopes, conditions and stored variables of graphs."""

# What a MetaGraph says of a variable. No public way.
from tensorflow.core.framework.variable_pb2 import VariableDef as VariableDef

# It refuses Datasets of other graphs, which TensorFlow 1.x copied. No public way.
from tensorflow.python.data.ops import dataset_ops as dataset_ops

# The body of a loop as a graph, whose nodes a step copies. No public way.
from tensorflow.python.framework.function_def_to_graph import (
    function_def_to_graph_def as function_def_to_graph_def,
)

# The class of tensors that are in a graph, whose operators and shapes are its. No public way.
from tensorflow.python.framework.ops import SymbolicTensor as SymbolicTensor

# Whether a tf.function is being traced, or a graph of a session is being built. No public way.
from tensorflow.python.framework.ops import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)

# tf.contrib.framework.prepend_name_scope. No public way.
from tensorflow.python.framework.ops import prepend_name_scope as prepend_name_scope

# tf.contrib.framework.strip_name_scope. No public way.
from tensorflow.python.framework.ops import strip_name_scope as strip_name_scope

# tf.case for conditions that may be Python values. No public way.
from tensorflow.python.framework.smart_cond import smart_case as smart_case

# tf.cond for a condition that may be a Python value. tf.__internal__ has it for Keras only.
from tensorflow.python.framework.smart_cond import smart_cond as smart_cond

# tf.contrib.framework.smart_constant_value. No public way.
from tensorflow.python.framework.smart_cond import smart_constant_value as smart_constant_value

# The stack of the default graph, which says whether it can be reset. No public way.
from tensorflow.python.framework.stack import DefaultStack as DefaultStack
from tensorflow.python.framework.tensor_shape import TensorShape as TensorShape

# tf.contrib.graph_editor.get_backward_walk_ops. No public way.
from tensorflow.python.ops.op_selector import get_backward_walk_ops as get_backward_walk_ops

# The variable scope of a thread and its counts, which replicas continue. No public way.
from tensorflow.python.ops.variable_scope import (
    get_variable_scope_store as get_variable_scope_store,
)

# tf.contrib.framework.deprecated: a decorator for messages. No public way.
from tensorflow.python.util.deprecation import deprecated as deprecated

# tf.contrib.framework.deprecated_arg_values. No public way.
from tensorflow.python.util.deprecation import deprecated_arg_values as deprecated_arg_values

# tf.contrib.framework.deprecated_args. No public way.
from tensorflow.python.util.deprecation import deprecated_args as deprecated_args
