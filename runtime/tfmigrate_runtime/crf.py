"""tf.contrib.crf on TensorFlow 2: linear-chain conditional random fields.

The source of the meaning is contrib/crf/python/ops/crf.py of TensorFlow 1.15.
"""

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import compat as compat  # refuses other versions of TensorFlow

__all__ = [
    "crf_binary_score", "crf_decode", "crf_log_likelihood", "crf_log_norm",
    "crf_multitag_sequence_score", "crf_sequence_score", "crf_unary_score", "viterbi_decode",
]  # fmt: skip


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Any, Any]:
    """Returns the log likelihood of tags, and the scores of transitions.

    Args:
        inputs: the scores of tags, float32 [batch_size, time, num_tags].
        tag_indices: the tags, int32 or int64 [batch_size, time].
        sequence_lengths: int32 or int64 [batch_size].
        transition_params: the scores of transitions, [num_tags, num_tags]; the variable
            "transitions" by default.

    Returns:
        [batch_size], and the scores of transitions.
    """
    if transition_params is None:
        num_tags = inputs.shape.as_list()[2]
        transition_params = tf.get_variable("transitions", [num_tags, num_tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Returns the score of tags, [batch_size]: see crf_log_likelihood for the arguments."""
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


def crf_multitag_sequence_score(
    inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Returns the score of all sequences of tags that are allowed, [batch_size].

    Args:
        inputs: the scores of tags, float32 [batch_size, time, num_tags].
        tag_bitmap: which tags are allowed, bool [batch_size, time, num_tags].
        sequence_lengths: int32 or int64 [batch_size].
        transition_params: the scores of transitions, [num_tags, num_tags].
    """
    allowed = tf.where(tag_bitmap, inputs, tf.fill(tf.shape(inputs), float("-inf")))
    if inputs.shape.as_list()[1] == 1:  # whatever its length, as in TensorFlow 1.15
        return tf.reduce_logsumexp(allowed, axis=[1, 2])
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the logarithm of the sum over all tags, [batch_size].

    Args:
        inputs: the scores of tags, float32 [batch_size, time, num_tags].
        sequence_lengths: int32 or int64 [batch_size].
        transition_params: the scores of transitions, [num_tags, num_tags].
    """
    lengths = tf.convert_to_tensor(sequence_lengths)
    steps = tf.transpose(inputs, [1, 0, 2])
    transitions = tf.expand_dims(transition_params, 0)

    def forwards(alphas: Any, step: tuple[Any, Any]) -> Any:
        time, scores = step
        new = scores + tf.reduce_logsumexp(tf.expand_dims(alphas, 2) + transitions, [1])
        return tf.where(time < lengths, new, alphas)

    times = tf.range(1, tf.shape(steps)[0])
    times = tf.cast(times, lengths.dtype)
    alphas = tf.foldl(forwards, (times, steps[1:]), steps[0])
    norm = tf.reduce_logsumexp(alphas, [1])
    return tf.where(lengths <= 0, tf.zeros_like(norm), norm)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Returns the sum of the scores of tags, [batch_size]."""
    scores = tf.gather(inputs, tag_indices, batch_dims=2)
    mask = tf.sequence_mask(sequence_lengths, tf.shape(tag_indices)[1], tf.float32)
    return tf.reduce_sum(scores * mask, 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Returns the sum of the scores of transitions, [batch_size]."""
    pairs = tf.stack([tag_indices[:, :-1], tag_indices[:, 1:]], axis=2)
    scores = tf.gather_nd(transition_params, pairs)
    mask = tf.sequence_mask(sequence_lengths, tf.shape(tag_indices)[1], tf.float32)
    return tf.reduce_sum(scores * mask[:, 1:], 1)


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> Any:
    """Finds the best tags.

    Args:
        potentials: the scores of tags, float32 [batch_size, time, num_tags].
        transition_params: the scores of transitions, [num_tags, num_tags].
        sequence_length: int32 or int64 [batch_size].

    Returns:
        The tags, int32 [batch_size, time], and their scores, [batch_size].
    """
    potentials = tf.convert_to_tensor(potentials)
    if (length := potentials.shape.as_list()[1]) == 1:
        return _best_single(potentials)
    if length is not None:
        return _best_sequence(potentials, transition_params, sequence_length)
    return tf.cond(
        tf.equal(tf.shape(potentials)[1], 1),
        lambda: _best_single(potentials),
        lambda: _best_sequence(potentials, transition_params, sequence_length),
    )


def _best_single(potentials: Any) -> tuple[Any, Any]:
    scores = tf.squeeze(potentials, [1])
    tags = tf.expand_dims(tf.argmax(scores, axis=1, output_type=tf.int32), 1)
    return tags, tf.reduce_max(scores, axis=1)


def _best_sequence(potentials: Any, transition_params: Any, sequence_length: Any) -> Any:
    lengths = tf.cast(sequence_length, tf.int32)
    steps = tf.transpose(potentials, [1, 0, 2])
    transitions = tf.expand_dims(transition_params, 0)
    times = tf.range(1, tf.shape(steps)[0])

    def forwards(last: tuple[Any, Any], step: tuple[Any, Any]) -> tuple[Any, Any]:
        time, scores = step
        both = tf.expand_dims(last[0], 2) + transitions
        best = tf.argmax(both, 1, output_type=tf.int32)
        inside = time < lengths
        return (
            tf.where(inside, scores + tf.reduce_max(both, [1]), last[0]),
            tf.where(inside, best, tf.zeros_like(best)),
        )

    first = (steps[0], tf.zeros_like(steps[0], tf.int32))
    scores, pointers = tf.scan(forwards, (times, steps[1:]), first)
    pointer_lengths = tf.maximum(0, lengths - 1)
    pointers = tf.reverse_sequence(pointers, pointer_lengths, seq_axis=0, batch_axis=1)
    last = tf.argmax(scores[-1], axis=1, output_type=tf.int32)

    def backwards(later: tuple[Any, Any], step: tuple[Any, Any]) -> tuple[Any, Any]:
        time, before = step
        tag = tf.gather(before, later[0], batch_dims=1)
        inside = time < lengths
        return tf.where(inside, tag, later[0]), tf.where(inside, tag, tf.zeros_like(tag))

    _, tags = tf.scan(backwards, (times, pointers), (last, last))
    tags = tf.concat([tf.expand_dims(last, 1), tf.transpose(tags)], 1)
    return tf.reverse_sequence(tags, lengths, seq_axis=1), tf.reduce_max(scores[-1], axis=1)


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[Any], Any]:
    """Finds the best tags of one sequence, with numpy.

    Args:
        score: the scores of tags, [time, num_tags].
        transition_params: the scores of transitions, [num_tags, num_tags].

    Returns:
        The tags, one for each step, and their score.
    """
    best, pointers = score[0], []
    for scores in score[1:]:
        both = np.expand_dims(best, 1) + transition_params
        pointers.append(np.argmax(both, 0))
        best = scores + np.max(both, 0)
    tags = [np.argmax(best)]
    for before in reversed(pointers):
        tags.append(before[tags[-1]])
    return tags[::-1], np.max(best)
