"""Bidirectional networks of several layers, each reading both directions of the previous one."""

from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf


def stack_bidirectional_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: list[Any],
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], tuple[Any, ...], tuple[Any, ...]]:
    """Runs layers of cells forwards and backwards over a list of inputs.

    Args:
        cells_fw: the cells that run forwards, one a layer.
        cells_bw: those that run backwards.
        inputs: [batch_size, n] for every step.
        initial_states_fw: the states they begin with, one a layer; 0 by default.
        initial_states_bw: those of the cells that run backwards.
        dtype: that of the states, where they are not given.
        sequence_length: how long each sequence is, int32 or int64 [batch_size].
        scope: the variable scope, "stack_bidirectional_rnn" by default; each layer is in a "cell_"
            with its number.

    Returns:
        The outputs of the last layer, both directions concatenated, for every step; the last states
        of the layers forwards, and backwards.

    Raises:
        ValueError: there are no cells, not as many for each direction, or not as many states.
    """
    layers = _layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states = []
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for index, (cells, initial) in enumerate(layers):
            with tf.variable_scope(f"cell_{index}") as layer:
                inputs, *last_states = tf.nn.static_bidirectional_rnn(
                    *cells, inputs, *initial, dtype, sequence_length, layer
                )
            states.append(last_states)
    forwards, backwards = zip(*states, strict=True)
    return inputs, forwards, backwards


def stack_bidirectional_dynamic_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: Any,
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Runs layers of cells forwards and backwards over time.

    Args:
        cells_fw: the cells that run forwards, one a layer.
        cells_bw: those that run backwards.
        inputs: [batch_size, time, n].
        initial_states_fw: the states they begin with, one a layer; 0 by default.
        initial_states_bw: those of the cells that run backwards.
        dtype: that of the states, where they are not given.
        sequence_length: how long each sequence is, int32 or int64 [batch_size].
        parallel_iterations: how many steps may run at a time.
        time_major: whether time comes first, in inputs and outputs.
        scope: the variable scope, "stack_bidirectional_rnn" by default; each layer is in a "cell_"
            with its number.
        swap_memory: whether tensors may move from the GPU to the host.

    Returns:
        The outputs of the last layer, both directions concatenated; the last states of the layers
        forwards, and backwards.

    Raises:
        ValueError: there are no cells, not as many for each direction, or not as many states.
    """
    layers = _layers(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    options = (dtype, parallel_iterations, swap_memory, time_major)
    states = []
    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        for index, (cells, initial) in enumerate(layers):
            with tf.variable_scope(f"cell_{index}"):
                outputs, last_states = tf.nn.bidirectional_dynamic_rnn(
                    *cells, inputs, sequence_length, *initial, *options
                )
            inputs = tf.concat(outputs, 2)
            states.append(last_states)
    forwards, backwards = zip(*states, strict=True)
    return inputs, forwards, backwards


def _layers(
    cells_fw: list[Any],
    cells_bw: list[Any],
    initial_states_fw: list[Any] | None,
    initial_states_bw: list[Any] | None,
) -> Iterator[tuple[tuple[Any, Any], tuple[Any, Any]]]:
    """Returns the two cells and the two initial states of each layer."""
    for cells, way in ((cells_fw, "fw"), (cells_bw, "bw")):
        if not cells:
            raise ValueError(f"Must specify at least one {way} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{way} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    none = [None] * len(cells_fw)
    for states, way in ((initial_states_fw, "fw"), (initial_states_bw, "bw")):
        if states is not None and (not isinstance(states, list) or len(states) != len(none)):
            raise ValueError(
                f"initial_states_{way} must be a list of state tensors (one per layer)."
            )
    first, last = initial_states_fw or none, initial_states_bw or none
    pairs = zip(cells_fw, cells_bw, strict=True)
    return zip(pairs, zip(first, last, strict=True), strict=True)
