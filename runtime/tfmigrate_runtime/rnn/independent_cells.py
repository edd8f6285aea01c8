"""Cells of tf.contrib.rnn whose units see their own state only (arXiv:1803.04831).

The source of the formulas is contrib/rnn/python/ops/rnn_cell.py of TensorFlow 1.15.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import Cell, LSTMStateTuple, width
from tfmigrate_runtime.rnn.cells import Activation


def _independent(
    inputs: Any, state: Any, names: tuple[str, str, str], initializers: tuple[Any, Any]
) -> Any:
    """Returns inputs times a kernel, plus the state times a vector, plus a bias.

    Args:
        inputs: [batch_size, n].
        state: [batch_size, size].
        names: those of the kernel, the vector and the bias.
        initializers: those of the kernel and the bias.
    """
    size, dtype = width(state), inputs.dtype
    kernel = tf.get_variable(names[0], [width(inputs), size], dtype, initializers[0])
    spread = tf.random_uniform_initializer(-1, 1, dtype=dtype)
    vector = tf.get_variable(names[1], [1, size], dtype, spread)
    initializer = initializers[1] or tf.zeros_initializer(dtype=dtype)
    bias = tf.get_variable(names[2], [size], dtype, initializer)
    return tf.nn.bias_add(tf.matmul(inputs, kernel) + state * vector, bias)


class IndRNNCell(Cell):
    """A plain cell whose units see their own state only."""

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(reuse, name=name, dtype=dtype)
        self._activation = activation or tf.tanh
        self._state_size = self._output_size = num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_units], which is the state too."""
        names = ("kernel_w", "kernel_u", "bias")
        output = self._activation(_independent(inputs, state, names, (None, None)))
        return output, output


class IndyGRUCell(Cell):
    """A GRU whose units see their own state only."""

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(reuse, name=name, dtype=dtype)
        self._activation = activation or tf.tanh
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer
        self._state_size = self._output_size = num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_units], which is the state too."""
        kernel = self._kernel_initializer
        ones = self._bias_initializer or tf.constant_initializer(1.0, dtype=inputs.dtype)
        names = ("gates/kernel_w", "gates/kernel_u", "gates/bias")
        twice = tf.tile(state, [1, 2])
        gates = tf.sigmoid(_independent(inputs, twice, names, (kernel, ones)))
        reset, update = tf.split(gates, 2, axis=1)
        # Not "kernel_w", which the gates have: TensorFlow 1.15 called it so.
        names = ("candidate/kernel", "candidate/kernel_u", "candidate/bias")
        initializers = (kernel, self._bias_initializer)
        candidate = self._activation(_independent(inputs, reset * state, names, initializers))
        state = update * state + (1 - update) * candidate
        return state, state


class IndyLSTMCell(Cell):
    """An LSTM whose units see their own state only."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Activation | None = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(reuse, name=name, dtype=dtype)
        self._forget_bias, self._activation = forget_bias, activation or tf.tanh
        self._initializers = (kernel_initializer, bias_initializer)
        self._state_size = LSTMStateTuple(num_units, num_units)
        self._output_size = num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_units], and the state."""
        cell, hidden = state
        names = ("kernel_w", "kernel_u", "bias")
        gates = _independent(inputs, tf.tile(hidden, [1, 4]), names, self._initializers)
        i, j, f, o = tf.split(gates, 4, axis=1)
        cell = cell * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * self._activation(j)
        hidden = self._activation(cell) * tf.sigmoid(o)
        return hidden, LSTMStateTuple(cell, hidden)
