"""Eager execution: modes of threads, gradients of functions, constants of tf.contrib.eager."""

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

# What tf.contrib.eager's metrics are: checkpoints have their variables. tf.Module tracks lists too.
from tensorflow.python.trackable.base import Trackable as Trackable
