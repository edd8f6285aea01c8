"""Wrappers of cells in tf.contrib.rnn, with the same variables and arithmetic.

The source of the formulas is contrib/rnn/python/ops (core_rnn_cell.py, rnn_cell.py) of
TensorFlow 1.15.
"""

import math
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import Cell, Wrapper, as_cell, linear, width


class EmbeddingWrapper(Wrapper):
    """A cell that looks up a vector for each id that it is given."""

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._shape, self._initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the state of the cell inside, for ids of [batch_size, 1]."""
        with tf.device("/cpu:0"):
            own = self._initializer or tf.get_variable_scope().initializer
            # A variance of 1, as in TensorFlow 1.x.
            initializer = own or tf.random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
            dtype = tf.nest.flatten(state)[0].dtype
            vectors = tf.get_variable("embedding", self._shape, dtype, initializer)
            embedded = tf.nn.embedding_lookup(vectors, tf.reshape(inputs, [-1]))
            return self._cell(embedded, state)


class InputProjectionWrapper(Wrapper):
    """A cell with a linear layer before it."""

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Callable[[Any], Any] | None = None,
        input_size: Any = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        del input_size  # it had no effect
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output and the state of the cell inside, for the projected inputs."""
        projected = linear(inputs, self._num_proj)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(Wrapper):
    """A cell with a linear layer after it."""

    def __init__(
        self,
        cell: Any,
        output_size: int,
        activation: Callable[[Any], Any] | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._size, self._activation = output_size, activation

    @property
    def output_size(self) -> Any:
        """The size of the projection."""
        return self._size

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the projected output, [batch_size, output_size], and the state."""
        output, state = self._cell(inputs, state)
        projected = linear(output, self._size)
        return (self._activation(projected) if self._activation else projected), state


class HighwayWrapper(Wrapper):
    """A cell whose output is gated with its input (arXiv:1505.00387)."""

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self._coupled, self._carry_bias = couple_carry_transform_gates, carry_bias_init

    def _gate(self, inputs: Any, name: str, bias: float) -> Any:
        size = width(inputs)
        weights = tf.get_variable(f"{name}_w", [size, size])
        biases = tf.get_variable(f"{name}_b", [size], initializer=tf.constant_initializer(bias))
        return tf.sigmoid(tf.nn.xw_plus_b(inputs, weights, biases))

    def _highway(self, inputs: Any, output: Any) -> Any:
        inputs.shape.assert_is_compatible_with(output.shape)
        carry = self._gate(inputs, "carry", self._carry_bias)
        transform = (
            1 - carry if self._coupled else self._gate(inputs, "transform", -self._carry_bias)
        )
        return inputs * carry + output * transform

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Returns the gated output and the state; the variables are in the scope around.

        Raises:
            ValueError: inputs and outputs have another structure or other shapes.
        """
        outputs, state = self._cell(inputs, state, scope=scope)
        tf.nest.assert_same_structure(inputs, outputs)
        return tf.nest.map_structure(self._highway, inputs, outputs), state


class AttentionCellWrapper(Cell):
    """A cell that attends to its last outputs (arXiv:1601.06733)."""

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(reuse)
        self._cell = as_cell(cell)
        if tf.nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. "
                f"State size is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._tuple, self._length, self._input_size = state_is_tuple, attn_length, input_size
        self._size: int = cell.output_size if attn_size is None else attn_size
        self._features: int = self._size if attn_vec_size is None else attn_vec_size

    @property
    def state_size(self) -> Any:
        """The sizes of the cell's state, of the attention, and of what it attends to."""
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the attention."""
        return self._size

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, attn_size], and the state."""
        if not self._tuple:
            sizes = [self._cell.state_size, self._size, self._size * self._length]
            state = tf.split(state, sizes, axis=1)
        inner, attention, window = state
        window = tf.reshape(window, [-1, self._length, self._size])
        size = width(inputs) if self._input_size is None else self._input_size
        output, inner = self._cell(linear([inputs, attention], size), inner)
        attention, window_tail = self._attended(tf.concat(tf.nest.flatten(inner), 1), window)
        with tf.variable_scope("attn_output_projection"):
            output = linear([output, attention], self._size)
        window = tf.concat([window_tail, tf.expand_dims(output, 1)], 1)
        window = tf.reshape(window, [-1, self._length * self._size])
        new = (inner, attention, window)
        return output, new if self._tuple else tf.concat(new, 1)

    def _attended(self, query: Any, window: Any) -> tuple[Any, Any]:
        """Returns the attention, [batch_size, attn_size], and the window without its oldest."""
        with tf.variable_scope("attention"):
            weights = tf.get_variable("attn_w", [1, 1, self._size, self._features])
            vector = tf.get_variable("attn_v", [self._features])
            hidden = tf.reshape(window, [-1, self._length, 1, self._size])
            features = tf.nn.conv2d(hidden, weights, [1, 1, 1, 1], "SAME")
            asked = tf.reshape(linear(query, self._features), [-1, 1, 1, self._features])
            scores = tf.reduce_sum(vector * tf.tanh(features + asked), [2, 3])
            shares = tf.reshape(tf.nn.softmax(scores), [-1, self._length, 1, 1])
            attended = tf.reshape(tf.reduce_sum(shares * hidden, [1, 2]), [-1, self._size])
        return attended, window[:, 1:]
