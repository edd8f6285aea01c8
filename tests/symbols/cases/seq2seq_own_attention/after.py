"""An attention that computes scores of its own, as speech models have it."""

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime.seq2seq import BahdanauAttention

tf.disable_v2_behavior()


class LocationAttention(BahdanauAttention):
    """Adds the place of the previous alignments to the scores."""

    def __call__(self, query, state):
        """Returns the alignments and the next state."""
        asked = tf.expand_dims(self.query_layer(query), 1)
        score = tf.reduce_sum(tf.tanh(self.keys + asked + tf.expand_dims(state, 2)), [2])
        alignments = self._probability_fn(score, state)
        return alignments, alignments + state


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
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    result.update(session.run(tensors))
