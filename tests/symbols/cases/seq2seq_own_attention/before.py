"""An attention that computes scores of its own, as speech models have it."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.seq2seq.python.ops import decoder
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import (
    BahdanauAttention,
    _BaseAttentionMechanism,
)


class LocationAttention(BahdanauAttention):
    """Adds the place of the previous alignments to the scores."""

    def __call__(self, query, state):
        """Returns the alignments and the next state."""
        asked = tf.expand_dims(self.query_layer(query), 1)
        score = tf.reduce_sum(tf.tanh(self.keys + asked + tf.expand_dims(state, 2)), [2])
        alignments = self._probability_fn(score, state)
        return alignments, alignments + state


class ScaledAttention(_BaseAttentionMechanism):
    """Scores of another class, from the keys that the base makes."""

    def __init__(self, num_units, memory, lengths, name):
        """Makes the layers with a scope of their names."""
        super().__init__(
            query_layer=tf.layers.Dense(num_units, name="query_layer", use_bias=False),
            memory_layer=tf.layers.Dense(
                num_units, name="memory_layer", use_bias=False, dtype=tf.float32
            ),
            memory=memory,
            probability_fn=lambda score, state: tf.nn.softmax(score + state),
            memory_sequence_length=lengths,
            check_inner_dims_defined=False,
            name=name,
        )

    def __call__(self, query, state):
        """Returns the alignments twice."""
        product = self._keys * tf.expand_dims(self.query_layer(query), 1)
        alignments = self._probability_fn(tf.reduce_mean(product, 2), state)
        return alignments, alignments


draw = np.random.RandomState(4)
memory = tf.constant(draw.rand(2, 5, 3).astype(np.float32))
query = tf.constant(draw.rand(2, 4).astype(np.float32))
result = {}
with tf.variable_scope("attention", initializer=tf.constant_initializer(0.3)):
    options = {
        "masked": {"memory_sequence_length": [2, 5]},
        "value": {"memory_sequence_length": [3, 1], "score_mask_value": -1.0},
        "plain": {},
    }
    tensors = {}
    for name, given in options.items():
        attention = LocationAttention(6, memory, name=name, **given)
        start = attention.initial_alignments(2, tf.float32)
        tensors[name], second = attention(query, start)
        tensors[name + " again"] = attention(query, second)[0]
    scaled = ScaledAttention(6, memory, [2, 5], "scaled")
    tensors["scaled"] = scaled(query, scaled.initial_state(2, tf.float32))[1]
    tensors["by time"] = decoder._transpose_batch_time(memory)
    tensors["row"] = decoder._transpose_batch_time(query[0])
    tensors["values"] = scaled.values * scaled._alignments_size * scaled.batch_size
    cell = tf.nn.rnn_cell.GRUCell(4)
    wrapper = tf.contrib.seq2seq.AttentionWrapper(cell, scaled, alignment_history=True)
    tensors["wrapped"], _ = wrapper(query, wrapper.zero_state(2, tf.float32))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    result.update(session.run(tensors))
