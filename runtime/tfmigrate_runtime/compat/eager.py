"""Eager execution: modes of threads, gradients of functions, constants of tf.contrib.eager."""

# tf.contrib.eager.defun, with what makes the traces of tf.function, below: that creates variables
# once, this creates them as eager code does.
from tensorflow.core.function.polymorphism.function_cache import FunctionCache as FunctionCache

# A module, as default_execution_mode in it is set: no function sets the mode of new threads.
from tensorflow.python.eager import context as context

# tf.contrib.eager.gradients_function. tf.GradientTape takes other arguments.
from tensorflow.python.eager.backprop import gradients_function as gradients_function

# tf.contrib.eager.implicit_gradients.
from tensorflow.python.eager.backprop import implicit_grad as implicit_grad

# tf.contrib.eager.implicit_value_and_gradients.
from tensorflow.python.eager.backprop import implicit_val_and_grad as implicit_val_and_grad

# tf.contrib.eager.value_and_gradients_function.
from tensorflow.python.eager.backprop import val_and_grad_function as val_and_grad_function
from tensorflow.python.eager.polymorphic_function.autograph_util import (
    py_func_from_autograph as py_func_from_autograph,
)
from tensorflow.python.eager.polymorphic_function.function_type_utils import (
    canonicalize_function_inputs as canonicalize_function_inputs,
)
from tensorflow.python.eager.polymorphic_function.function_type_utils import (
    make_function_type as make_function_type,
)
from tensorflow.python.eager.polymorphic_function.tracing_compilation import (
    TracingOptions as TracingOptions,
)
from tensorflow.python.eager.polymorphic_function.tracing_compilation import (
    call_function as call_function,
)
from tensorflow.python.eager.polymorphic_function.tracing_compilation import (
    trace_function as trace_function,
)

# What tf.contrib.eager's metrics are: checkpoints have their variables. tf.Module tracks lists too.
from tensorflow.python.trackable.base import Trackable as Trackable
