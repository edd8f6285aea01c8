"""tf.contrib.legacy_seq2seq on TensorFlow 2: models over lists of steps.

The source of the meaning, and of the variables' names, is
contrib/legacy_seq2seq/python/ops/seq2seq.py of TensorFlow 1.15. one2many_rnn_seq2seq is not here.
"""

import copy
import functools
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn import EmbeddingWrapper, OutputProjectionWrapper
from tfmigrate_runtime.rnn.base import linear

__all__ = [
    "attention_decoder", "basic_rnn_seq2seq", "embedding_attention_decoder",
    "embedding_attention_seq2seq", "embedding_rnn_decoder", "embedding_rnn_seq2seq",
    "embedding_tied_rnn_seq2seq", "model_with_buckets", "rnn_decoder", "sequence_loss",
    "sequence_loss_by_example", "tied_rnn_seq2seq",
]  # fmt: skip

Loop = Callable[[Any, int], Any] | None
Decoded = tuple[list[Any], Any]


def rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: Any,
    cell: Any,
    loop_function: Loop = None,
    scope: Any = None,
) -> Decoded:
    """Runs a cell over steps; each input is that of a loop function of the output before, if any.

    Args:
        decoder_inputs: [batch_size, n] for each step.
        initial_state: the cell's state.
        cell: the cell.
        loop_function: returns an input of the output before and the number of the step.
        scope: the variable scope, "rnn_decoder" by default.

    Returns:
        The outputs of the steps, and the last state.
    """
    with tf.variable_scope(scope or "rnn_decoder"):
        outputs: list[Any] = []
        state = initial_state
        for step, inputs in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with tf.variable_scope("loop_function", reuse=True):
                    inputs = loop_function(outputs[-1], step)
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(inputs, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> Decoded:
    """Runs a copy of a cell over one list, and the cell from that state over another."""
    with tf.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = tf.nn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    loop_function: Loop = None,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> Decoded:
    """Runs a cell over one list, and from that state over another, with the same variables."""
    with tf.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        tf.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function, scope)


def embedding_rnn_decoder(
    decoder_inputs: list[Any],
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> Decoded:
    """Runs a cell over the vectors of ids, int32 [batch_size] for each step: see rnn_decoder."""
    with tf.variable_scope(scope or "embedding_rnn_decoder"):
        vectors = tf.get_variable("embedding", [num_symbols, embedding_size])
        best = _best_of(vectors, output_projection, update_embedding_for_previous)
        inputs = [tf.nn.embedding_lookup(vectors, ids) for ids in decoder_inputs]
        return rnn_decoder(inputs, initial_state, cell, best if feed_previous else None)


def embedding_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> Decoded:
    """Translates ids to ids; feed_previous is whether the decoder reads what it said, bool []."""
    with tf.variable_scope(scope or "embedding_rnn_seq2seq") as own:
        if dtype is not None:
            own.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=own.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        passed = decoder_inputs, state, cell, num_decoder_symbols, embedding_size, output_projection
        return _fed_or_not(feed_previous, functools.partial(embedding_rnn_decoder, *passed))


def embedding_tied_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> Decoded:
    """Translates ids to ids of the same vectors and variables: see embedding_rnn_seq2seq."""
    with tf.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as own:
        vectors = tf.get_variable("embedding", [num_symbols, embedding_size], own.dtype)
        encoded = [tf.nn.embedding_lookup(vectors, ids) for ids in encoder_inputs]
        decoded = [tf.nn.embedding_lookup(vectors, ids) for ids in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols or num_symbols)

        def decode(previous: bool, update: bool) -> Decoded:
            best = _best_of(vectors, output_projection, update) if previous else None
            return tied_rnn_seq2seq(encoded, decoded, cell, best, own.dtype)

        return _fed_or_not(feed_previous, decode)


def attention_decoder(
    decoder_inputs: list[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Loop = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """Runs a cell that attends to states.

    Args:
        decoder_inputs: [batch_size, n] for each step.
        initial_state: the cell's state.
        attention_states: [batch_size, time, size].
        cell: the cell.
        output_size: that of the outputs, the cell's by default.
        num_heads: how often it attends at each step.
        loop_function: as in rnn_decoder.
        dtype: of the variables.
        scope: the variable scope, "attention_decoder" by default.
        initial_state_attention: whether the first step attends too, by the initial state.

    Returns:
        The outputs of the steps, [batch_size, output_size], and the last state.

    Raises:
        ValueError: there are no inputs or no heads, or the size of the states is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if (size := attention_states.shape.as_list()[2]) is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    output_size = cell.output_size if output_size is None else output_size
    with tf.variable_scope(scope or "attention_decoder", dtype=dtype) as own:
        attend = _attention(attention_states, size, num_heads, own.dtype)
        outputs: list[Any] = []
        state = initial_state
        batch_size = tf.shape(decoder_inputs[0])[0]
        attended = [tf.zeros([batch_size, size], own.dtype) for _ in range(num_heads)]
        for zeros in attended:
            zeros.set_shape([None, size])
        if initial_state_attention:
            attended = attend(initial_state)
        for step, inputs in enumerate(decoder_inputs):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            if loop_function is not None and outputs:
                with tf.variable_scope("loop_function", reuse=True):
                    inputs = loop_function(outputs[-1], step)
            together = [tf.cast(part, own.dtype) for part in (inputs, *attended)]
            output, state = cell(linear(together, inputs.shape.as_list()[1]), state)
            with tf.variable_scope(
                tf.get_variable_scope(), reuse=True if initial_state_attention else None
            ):
                attended = attend(state)
            with tf.variable_scope("AttnOutputProjection"):
                outputs.append(linear([tf.cast(output, own.dtype), *attended], output_size))
    return outputs, state


def _attention(states: Any, size: int, num_heads: int, dtype: Any) -> Callable[[Any], list[Any]]:
    """Returns a function that attends to states, [batch_size, time, size], by a cell's state."""
    length = states.shape.as_list()[1] or tf.shape(states)[1]
    hidden = tf.reshape(states, [-1, length, 1, size])
    heads = []
    for head in range(num_heads):
        weights = tf.get_variable(f"AttnW_{head}", [1, 1, size, size], dtype)
        features = tf.nn.conv2d(hidden, weights, [1, 1, 1, 1], "SAME")
        heads.append((features, tf.get_variable(f"AttnV_{head}", [size], dtype)))

    def attend(state: Any) -> list[Any]:
        query, contexts = tf.concat(tf.nest.flatten(state), 1), []
        for head, (features, vector) in enumerate(heads):
            with tf.variable_scope(f"Attention_{head}"):
                asked = tf.cast(tf.reshape(linear(query, size), [-1, 1, 1, size]), dtype)
                scores = tf.reduce_sum(vector * tf.tanh(features + asked), [2, 3])
                shares = tf.cast(tf.nn.softmax(tf.cast(scores, tf.float32)), dtype)
                shares = tf.reshape(shares, [-1, length, 1, 1])
                contexts.append(tf.reshape(tf.reduce_sum(shares * hidden, [1, 2]), [-1, size]))
        return contexts

    return attend


def embedding_attention_decoder(
    decoder_inputs: list[Any],
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """Runs a cell that attends to states over the vectors of ids: see attention_decoder."""
    with tf.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        vectors = tf.get_variable("embedding", [num_symbols, embedding_size])
        best = _best_of(vectors, output_projection, update_embedding_for_previous)
        return attention_decoder(
            [tf.nn.embedding_lookup(vectors, ids) for ids in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=best if feed_previous else None,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """Translates ids to ids, and attends to the encoder's outputs: see embedding_rnn_seq2seq."""
    with tf.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as own:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=own.dtype)
        attended = tf.concat([tf.reshape(o, [-1, 1, cell.output_size]) for o in outputs], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        sizes = num_decoder_symbols, embedding_size, num_heads, output_size

        def decode(previous: bool, update: bool) -> Decoded:
            return embedding_attention_decoder(
                *(decoder_inputs, state, attended, cell, *sizes, output_projection),
                *(previous, update),
                initial_state_attention=initial_state_attention,
            )

        return _fed_or_not(feed_previous, decode)


def sequence_loss_by_example(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns the weighted cross entropy of each sequence, [batch_size].

    Args:
        logits: [batch_size, classes] for each step.
        targets: int32 [batch_size] for each step.
        weights: [batch_size] for each step.
        average_across_timesteps: whether to divide by the sum of the weights.
        softmax_loss_function: used with labels and logits instead of the cross entropy.
        name: of the scope.

    Raises:
        ValueError: the lists have different lengths.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            "Lengths of logits, weights, and targets must be the same "
            f"{len(logits)}, {len(weights)}, {len(targets)}."
        )
    with tf.name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        function, losses = softmax_loss_function, []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if function is None:
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=tf.reshape(target, [-1]), logits=logit
                )
            else:
                loss = function(labels=target, logits=logit)
            losses.append(loss * weight)
        total = tf.add_n(losses)
        # 1e-12 keeps rows whose weights are all 0 from being divided by 0.
        return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns the sum of sequence_loss_by_example, or the average over the batch, []."""
    with tf.name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        losses = sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps, softmax_loss_function
        )
        cost = tf.reduce_sum(losses)
        if not average_across_batch:
            return cost
        return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype)


def model_with_buckets(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    targets: list[Any],
    weights: list[Any],
    buckets: list[tuple[int, int]],
    seq2seq: Callable[[list[Any], list[Any]], Decoded],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[list[Any]], list[Any]]:
    """Makes a model for each pair of lengths, all with the same variables.

    Args:
        encoder_inputs: the steps that the encoder reads.
        decoder_inputs: the steps that the decoder reads.
        targets: what it shall say, int32 [batch_size] for each step.
        weights: [batch_size] for each step.
        buckets: lengths of the encoder and the decoder, the longest last.
        seq2seq: makes a model of the inputs of both.
        softmax_loss_function: as in sequence_loss.
        per_example_loss: whether losses are [batch_size] each.
        name: of the scope.

    Returns:
        The outputs and the losses of the buckets.

    Raises:
        ValueError: there are fewer steps than the last bucket needs.
    """
    for what, steps, needed in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(steps) < needed:
            raise ValueError(
                f"Length of {what} ({len(steps)}) must be at least that of last bucket ({needed})."
            )
    function = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with tf.name_scope(name, "model_with_buckets"):
        for index, (source, target) in enumerate(buckets):
            reuse = True if index > 0 else None
            with tf.variable_scope(tf.get_variable_scope(), reuse=reuse):
                bucket_outputs, _ = seq2seq(encoder_inputs[:source], decoder_inputs[:target])
                outputs.append(bucket_outputs)
                losses.append(
                    function(
                        bucket_outputs,
                        targets[:target],
                        weights[:target],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses


def _best_of(vectors: Any, projection: Any, update: bool) -> Callable[[Any, int], Any]:
    """Returns a loop function that looks up the best id of the output before."""

    def loop_function(output: Any, step: int) -> Any:
        if projection is not None:
            output = tf.nn.xw_plus_b(output, projection[0], projection[1])
        embedded = tf.nn.embedding_lookup(vectors, tf.argmax(output, 1))
        return embedded if update else tf.stop_gradient(embedded)

    return loop_function


def _fed_or_not(feed_previous: Any, decode: Callable[[bool, bool], Decoded]) -> Decoded:
    """Decodes with the outputs before or without, as a bool or a bool tensor says."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)

    def branch(previous: bool) -> Decoded:
        scope = tf.get_variable_scope()
        with tf.variable_scope(scope, reuse=None if previous else True):
            return decode(previous, False)

    decoded: Decoded = tf.cond(feed_previous, lambda: branch(True), lambda: branch(False))
    return list(decoded[0]), decoded[1]
