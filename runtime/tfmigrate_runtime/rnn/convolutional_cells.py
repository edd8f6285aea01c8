"""Convolutional LSTM cells of tf.contrib.rnn (arXiv:1506.04214)."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import Cell, LSTMStateTuple


class ConvLSTMCell(Cell):
    """An LSTM over images, whose products are convolutions."""

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Sequence[int],
        output_channels: int,
        kernel_shape: Sequence[int],
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        del initializers  # it had no effect
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._kernel_shape, self._channels = list(kernel_shape), output_channels
        self._use_bias, self._skip, self._forget_bias = use_bias, skip_connection, forget_bias
        space = list(input_shape[:-1])
        state = tf.TensorShape([*space, output_channels])
        self._state_size = LSTMStateTuple(state, state)
        extra = input_shape[-1] if skip_connection else 0
        self._output_size = tf.TensorShape([*space, output_channels + extra])

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, ..., channels], and the state."""
        cell, hidden = state
        i, j, f, o = tf.split(self._convolved(tf.concat([inputs, hidden], -1)), 4, axis=-1)
        cell = tf.sigmoid(f + self._forget_bias) * cell + tf.sigmoid(i) * tf.tanh(j)
        output = tf.tanh(cell) * tf.sigmoid(o)
        if self._skip:
            # The state gets the inputs, too, though state_size lacks them: as in TensorFlow 1.15.
            output = tf.concat([output, inputs], axis=-1)
        return output, LSTMStateTuple(cell, output)

    def _convolved(self, together: Any) -> Any:
        channels, dtype = 4 * self._channels, together.dtype
        shape = [*self._kernel_shape, together.shape.as_list()[-1], channels]
        kernel = tf.get_variable("kernel", shape, dtype)
        result = tf.nn.convolution(together, kernel, padding="SAME")
        if not self._use_bias:
            return result
        initializer = tf.zeros_initializer(dtype=dtype)
        return result + tf.get_variable("biases", [channels], dtype, initializer)


class Conv1DLSTMCell(ConvLSTMCell):
    """A convolutional LSTM in one dimension."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """A convolutional LSTM in two dimensions."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """A convolutional LSTM in three dimensions."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
