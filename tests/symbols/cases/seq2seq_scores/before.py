"""The private functions of attention mechanisms that classes of programs call."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.seq2seq.python.ops import attention_wrapper
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import (
    _BaseMonotonicAttentionMechanism, _bahdanau_score, _luong_score, _maybe_mask_score,
    _monotonic_probability_fn, _prepare_memory,
)

draw = np.random.RandomState(6)
memory = tf.constant(draw.rand(2, 5, 3).astype(np.float32))
keys = tf.constant(draw.rand(2, 5, 4).astype(np.float32))
query = tf.constant(draw.rand(2, 4).astype(np.float32))
vector = tf.constant(draw.rand(4).astype(np.float32))
before = tf.one_hot([0, 0], 5)
mask = tf.constant([[True, True, False, True, False], [True, False, False, False, True]])


class OwnMonotonic(_BaseMonotonicAttentionMechanism):
    """Attention that starts at the first place."""

    def __init__(self, memory):
        """Makes the layers."""
        super().__init__(
            query_layer=None,
            memory_layer=tf.layers.Dense(4, name="memory_layer", use_bias=False, dtype=tf.float32),
            memory=memory,
            probability_fn=lambda score, state: _monotonic_probability_fn(score, state, 0.0, "hard"),
        )

    def __call__(self, query, state):
        """Returns the alignments twice."""
        alignments = self._probability_fn(_luong_score(query, self.keys, None), state)
        return alignments, alignments


score = _bahdanau_score(query, keys, vector)
scores = {
    "additive": score,
    "normalized": _bahdanau_score(query, keys, vector, tf.constant(0.7), -vector),
    "multiplicative": _luong_score(query, keys, None),
    "scaled": attention_wrapper._luong_score(query, keys, tf.constant(0.3)),
    "by length": _maybe_mask_score(score, [2, 5], score_mask_value=-3.0),
    "by mask": _maybe_mask_score(score, memory_mask=mask, score_mask_value=-3.0),
    "not masked": _maybe_mask_score(score, None, None, -3.0),
    "parallel": _monotonic_probability_fn(score, before, 0.0, "parallel"),
    "memory by length": _prepare_memory(memory, [2, 5]),
    "memory by mask": _prepare_memory(memory, memory_mask=mask, check_inner_dims_defined=False),
    "lengths": _prepare_memory(memory[:, :, 0], [2, 5]),
}
with tf.variable_scope("attention", initializer=tf.constant_initializer(0.3)):
    own = OwnMonotonic(memory)
    scores["own"] = own(query, own.initial_alignments(2, tf.float32))[0]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    result = session.run(scores)
