"""Cells of tf.contrib.rnn, with the same variables and arithmetic.

The source of the formulas is contrib/rnn/python/ops/rnn_cell.py of TensorFlow 1.15.
"""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import Cell, LSTMStateTuple, layer_normalized, linear, width

Activation = Callable[[Any], Any]
_NAS_SPLITS = 8


class LayerNormBasicLSTMCell(Cell):
    """An LSTM with layer normalization of its gates, and dropout of what it takes in."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Activation = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(reuse)
        del input_size  # it had no effect
        self._num_units, self._forget_bias, self._activation = num_units, forget_bias, activation
        self._layer_norm, self._gain, self._shift = layer_norm, norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._state_size = LSTMStateTuple(num_units, num_units)
        self._output_size = num_units

    def _normalized(self, gate: Any, scope: str) -> Any:
        if not self._layer_norm:
            return gate
        return layer_normalized(gate, scope, self._gain, self._shift)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_units], and the state after inputs."""
        cell, hidden = state
        gates = linear([inputs, hidden], 4 * self._num_units, bias=not self._layer_norm)
        i, j, f, o = tf.split(gates, 4, axis=1)
        i, j = self._normalized(i, "input"), self._normalized(j, "transform")
        f, o = self._normalized(f, "forget"), self._normalized(o, "output")
        taken = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            taken = tf.nn.dropout(taken, self._keep_prob, seed=self._seed)
        cell = cell * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * taken
        cell = self._normalized(cell, "state")
        hidden = self._activation(cell) * tf.sigmoid(o)
        return hidden, LSTMStateTuple(cell, hidden)


class UGRNNCell(Cell):
    """A cell with one gate, between the state and what is computed."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Activation = tf.tanh,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(reuse)
        self._num_units, self._initializer = num_units, initializer
        self._forget_bias, self._activation = forget_bias, activation
        self._state_size = self._output_size = num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_units], which is the state too."""
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            both = linear([inputs, state], 2 * self._num_units)
        gate, candidate = tf.split(both, 2, axis=1)
        gate = tf.sigmoid(gate + self._forget_bias)
        state = gate * state + (1.0 - gate) * self._activation(candidate)
        return state, state


class IntersectionRNNCell(Cell):
    """A cell with a gate through time and one through depth."""

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        y_activation: Activation = tf.nn.relu,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(reuse)
        self._num_units, self._projects, self._initializer = num_units, num_in_proj, initializer
        self._forget_bias, self._y_activation = forget_bias, y_activation
        self._state_size = self._output_size = num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the state, both [batch_size, num_units].

        Raises:
            ValueError: the inputs have another size, and no num_in_proj was given.
        """
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            if width(inputs) != self._num_units:
                if not self._projects:
                    raise ValueError(
                        "Must have input size == output size for Intersection RNN. To fix, "
                        "num_in_proj should be set to num_units at cell init."
                    )
                with tf.variable_scope("in_projection"):
                    inputs = linear(inputs, self._num_units)
            together = linear([inputs, state], 4 * self._num_units)
        state_gate, new, depth_gate, y = tf.split(together, 4, axis=1)
        state_gate = tf.sigmoid(state_gate + self._forget_bias)
        depth_gate = tf.sigmoid(depth_gate + self._forget_bias)
        state = state_gate * state + (1.0 - state_gate) * tf.tanh(new)
        return depth_gate * inputs + (1.0 - depth_gate) * self._y_activation(y), state


class NASCell(Cell):
    """The cell that an architecture search found."""

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias
        self._output_size = num_units if num_proj is None else num_proj
        self._state_size = LSTMStateTuple(num_units, self._output_size)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_proj or num_units], and the state."""
        cell, hidden = state
        size, dtype = _NAS_SPLITS * self._num_units, inputs.dtype
        recurrent = tf.get_variable("recurrent_kernel", [self._output_size, size], dtype)
        kernel = tf.get_variable("kernel", [width(inputs), size], dtype)
        of_state = tf.matmul(hidden, recurrent)
        if self._use_bias:
            bias = tf.get_variable("bias", [size], dtype, tf.zeros_initializer(dtype=dtype))
            of_state = tf.nn.bias_add(of_state, bias)
        states = tf.split(of_state, _NAS_SPLITS, axis=1)
        taken = tf.split(tf.matmul(inputs, kernel), _NAS_SPLITS, axis=1)
        first = tf.tanh(tf.sigmoid(taken[0] + states[0]) * tf.nn.relu(taken[1] + states[1]))
        second = tf.tanh(tf.sigmoid(taken[2] + states[2]) + tf.nn.relu(taken[3] * states[3]))
        third = tf.tanh(tf.tanh(taken[4] + states[4]) * tf.sigmoid(taken[5] + states[5]))
        fourth = tf.sigmoid(tf.tanh(taken[6] + states[6]) + tf.sigmoid(taken[7] + states[7]))
        cell = tf.tanh(first + cell) * second
        hidden = tf.tanh(cell * tf.tanh(third + fourth))
        if self._num_proj is not None:
            shape = [self._num_units, self._num_proj]
            hidden = tf.matmul(hidden, tf.get_variable("projection_weights", shape, dtype))
        return hidden, LSTMStateTuple(cell, hidden)


class SRUCell(Cell):
    """The simple recurrent unit."""

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: bool | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(reuse, name=name, **kwargs)
        self._num_units, self._activation = num_units, activation or tf.tanh
        self._state_size = self._output_size = num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the state, both [batch_size, num_units]."""
        dtype = inputs.dtype
        product = linear(inputs, 4 * self._num_units, bias=False)
        initializer = tf.zeros_initializer(dtype=dtype)
        bias = tf.get_variable("bias", [2 * self._num_units], dtype, initializer)
        x_bar, forget, reset, x = tf.split(product, 4, axis=1)
        gates = tf.sigmoid(tf.nn.bias_add(tf.concat([forget, reset], 1), bias))
        forget, reset = tf.split(gates, 2, axis=1)
        state = forget * state + (1.0 - forget) * x_bar
        return reset * self._activation(state) + (1.0 - reset) * x, state


class CoupledInputForgetGateLSTMCell(Cell):
    """An LSTM whose input gate is what its forget gate leaves."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Activation = tf.tanh,
        reuse: bool | None = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        super().__init__(reuse)
        if max(num_unit_shards, num_proj_shards) > 1:
            raise ValueError(
                "sharded weights are not supported: remove num_unit_shards and num_proj_shards"
            )
        del initializer  # it had no effect
        self._num_units, self._use_peepholes, self._num_proj = num_units, use_peepholes, num_proj
        self._proj_clip, self._forget_bias, self._activation = proj_clip, forget_bias, activation
        self._tuple, self._layer_norm = state_is_tuple, layer_norm
        self._gain, self._shift = norm_gain, norm_shift
        self._output_size = num_proj or num_units
        sizes = LSTMStateTuple(num_units, self._output_size)
        self._state_size = sizes if state_is_tuple else sum(sizes)

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_proj or num_units], and the state."""
        sizes = [self._num_units, self._output_size]
        cell, hidden = state if self._tuple else tf.split(state, sizes, axis=1)
        j, f, o = tf.split(self._gates(inputs, hidden), 3, axis=1)
        if self._layer_norm:
            j, f, o = (
                layer_normalized(gate, scope, self._gain, self._shift)
                for gate, scope in ((j, "transform"), (f, "forget"), (o, "output"))
            )
        diagonal = [
            tf.get_variable(name, [self._num_units], inputs.dtype)
            for name in ("W_F_diag", "W_O_diag")
            if self._use_peepholes
        ]
        f = f + self._forget_bias
        f = tf.sigmoid(f + diagonal[0] * cell if self._use_peepholes else f)
        cell = f * cell + (1 - f) * self._activation(j)
        if self._layer_norm:
            cell = layer_normalized(cell, "state", self._gain, self._shift)
        o = tf.sigmoid(o + diagonal[1] * cell if self._use_peepholes else o)
        hidden = o * self._activation(cell)
        if self._num_proj is not None:
            hidden = tf.matmul(hidden, tf.get_variable("W_P_0", sizes, inputs.dtype))
            if self._proj_clip is not None:
                hidden = tf.clip_by_value(hidden, -self._proj_clip, self._proj_clip)
        whole = LSTMStateTuple(cell, hidden) if self._tuple else tf.concat([cell, hidden], 1)
        return hidden, whole

    def _gates(self, inputs: Any, hidden: Any) -> Any:
        together, dtype = tf.concat([inputs, hidden], 1), inputs.dtype
        # "_0": the first of the shards that TensorFlow 1.x cut a kernel into.
        kernel = tf.get_variable("W_0", [width(together), 3 * self._num_units], dtype)
        initializer = tf.zeros_initializer(dtype=dtype)
        bias = tf.get_variable("B", [3 * self._num_units], dtype, initializer)
        product = tf.matmul(together, kernel)
        return product if self._layer_norm else tf.nn.bias_add(product, bias)
