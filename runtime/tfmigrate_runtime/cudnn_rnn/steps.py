"""One direction of a layer of cuDNN's networks, step by step."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.cudnn_rnn.weights import Direction


def over_time(
    mode: str, inputs: Any, weights: Direction, state: Any, lengths: Any, backwards: bool
) -> tuple[Any, Any]:
    """Runs over the time.

    Args:
        mode: ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``.
        inputs: [time, batch_size, n].
        weights: those of the direction.
        state: the states to begin with, each [batch_size, num_units].
        lengths: how long each sequence is; None for all of it.
        backwards: whether the last input is the first.

    Returns:
        The outputs, [time, batch_size, num_units], and the last states.
    """
    if backwards:
        inputs = _reversed(inputs, lengths)
    # All products with the inputs are one.
    projected = tf.tensordot(inputs, weights.kernel, [[2], [1]]) + weights.bias
    cell = _Cell(mode, weights, len(state))
    outputs, last = tf.nn.dynamic_rnn(
        cell, projected, sequence_length=lengths, initial_state=tuple(state), time_major=True
    )
    return (_reversed(outputs, lengths) if backwards else outputs), last


def _reversed(steps: Any, lengths: Any) -> Any:
    if lengths is None:
        return tf.reverse(steps, [0])
    return tf.reverse_sequence(steps, lengths, seq_axis=0, batch_axis=1)


class _Cell(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc]
    """A step, given the product with the inputs."""

    def __init__(self, mode: str, weights: Direction, states: int) -> None:
        super().__init__(dtype=weights.kernel.dtype)
        self._step = _STEPS[mode]
        # In a function, which the layer does not take for variables of its own.
        self._product: Callable[[Any], Any] = lambda state: tf.nn.bias_add(
            tf.matmul(state, weights.recurrent, transpose_b=True), weights.recurrent_bias
        )
        self._units = int(weights.recurrent.shape[1])
        self._states = states

    @property
    def state_size(self) -> Any:
        return (self._units,) * self._states

    @property
    def output_size(self) -> int:
        return self._units

    def call(self, inputs: Any, state: Any) -> Any:
        last = self._step(inputs, self._product(state[0]), state)
        return last[0], last


def _lstm(of_input: Any, of_state: Any, state: Any) -> tuple[Any, ...]:
    i, f, candidate, o = tf.split(of_input + of_state, 4, axis=1)
    cell = tf.sigmoid(f) * state[1] + tf.sigmoid(i) * tf.tanh(candidate)
    return tf.sigmoid(o) * tf.tanh(cell), cell


def _gru(of_input: Any, of_state: Any, state: Any) -> tuple[Any, ...]:
    reset_of_input, update_of_input, candidate_of_input = tf.split(of_input, 3, axis=1)
    reset_of_state, update_of_state, candidate_of_state = tf.split(of_state, 3, axis=1)
    reset = tf.sigmoid(reset_of_input + reset_of_state)
    update = tf.sigmoid(update_of_input + update_of_state)
    candidate = tf.tanh(candidate_of_input + reset * candidate_of_state)
    return ((1 - update) * candidate + update * state[0],)


_STEPS: dict[str, Callable[[Any, Any, Any], tuple[Any, ...]]] = {
    "lstm": _lstm,
    "gru": _gru,
    "rnn_tanh": lambda of_input, of_state, _: (tf.tanh(of_input + of_state),),
    "rnn_relu": lambda of_input, of_state, _: (tf.nn.relu(of_input + of_state),),
}
