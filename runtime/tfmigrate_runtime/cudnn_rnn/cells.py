"""The cells that compute what networks of cuDNN compute."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn import LSTMBlockCell

__all__ = ["CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell"]


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """An LSTM as cuDNN has it: nothing is added to the forget gate."""

    def __init__(self, num_units: int, reuse: bool | None = None) -> None:
        """Makes the cell.

        Args:
            num_units: the size of its output.
            reuse: whether its variables are there.
        """
        super().__init__(num_units, forget_bias=0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(tf.nn.rnn_cell.GRUCell):  # type: ignore[misc]
    """A GRU as cuDNN has it: the reset gate is applied after the product with the state.

    contrib/cudnn_rnn/python/ops/cudnn_rnn_ops.py.
    """

    def __init__(
        self, num_units: int, reuse: bool | None = None, kernel_initializer: Any = None
    ) -> None:
        """Makes the cell.

        Args:
            num_units: the size of its output.
            reuse: whether its variables are there.
            kernel_initializer: of its matrices.
        """
        super().__init__(num_units, reuse=reuse, kernel_initializer=kernel_initializer)
        self._size = num_units

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables.

        Raises:
            ValueError: the size of the inputs is not known.
        """
        if (width := tf.TensorShape(inputs_shape).as_list()[-1]) is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}")
        size = self._size
        of_input, of_state = "candidate/input_projection", "candidate/hidden_projection"
        # In this order: what variables start from may depend on it.
        gates = self._kernel("gates", width + size, 2 * size)
        self._gates = gates, self._bias("gates", 2 * size, 1.0)
        kernels = self._kernel(of_input, width, size), self._kernel(of_state, size, size)
        self._of_input = kernels[0], self._bias(of_input, size, 0.0)
        self._of_state = kernels[1], self._bias(of_state, size, 0.0)
        self.built = True

    def _kernel(self, name: str, rows: int, columns: int) -> Any:
        start = self._kernel_initializer
        return self.add_weight(f"{name}/kernel", shape=[rows, columns], initializer=start)

    def _bias(self, name: str, columns: int, value: float) -> Any:
        start = tf.constant_initializer(value, dtype=self.dtype)
        return self.add_weight(f"{name}/bias", shape=[columns], initializer=start)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the state, which are the same, float [batch_size, num_units]."""
        gates = tf.sigmoid(_linear(tf.concat([inputs, state], 1), self._gates))
        reset, update = tf.split(gates, 2, axis=1)
        candidate = _linear(inputs, self._of_input) + reset * _linear(state, self._of_state)
        hidden = (1 - update) * tf.tanh(candidate) + update * state
        return hidden, hidden


def _linear(inputs: Any, variables: tuple[Any, Any]) -> Any:
    kernel, bias = variables
    return tf.nn.bias_add(tf.matmul(inputs, kernel), bias)
