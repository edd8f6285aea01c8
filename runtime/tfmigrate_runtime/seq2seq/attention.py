"""Attention mechanisms of tf.contrib.seq2seq.

The source of the formulas and of the variables' names is
contrib/seq2seq/python/ops/attention_wrapper.py of TensorFlow 1.15.

Speech models derive from these classes and compute other scores: see mechanism.py.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.seq2seq.mechanism import (
    Probability,
    _BaseAttentionMechanism,
    _BaseMonotonicAttentionMechanism,
    dense,
)
from tfmigrate_runtime.train.passed_on import pass_on


class _Mechanism(_BaseAttentionMechanism):
    """Scores of a memory, as probabilities."""

    _scope_name: str

    def __init__(
        self,
        num_units: int,
        memory: Any,
        probability_fn: Probability,
        memory_sequence_length: Any,
        score_mask_value: float | None,
        dtype: Any,
        name: str,
        custom_key_value_fn: Callable[[Any, Any], tuple[Any, Any]] | None = None,
    ) -> None:
        self._num_units, self._name = num_units, name
        dtype = dtype or tf.float32
        query_layer = self._layer_of_query(dtype)
        memory_layer = dense(num_units, "memory_layer", dtype)
        pass_on(super().__init__, locals())

    def _layer_of_query(self, dtype: Any) -> Any:
        return None

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Returns the alignments of a query, [batch_size, alignments_size], and the state."""
        with tf.variable_scope(None, self._scope_name, [query]):
            score = self._biased(self._score(query))
        return self._probabilities(score, state)

    def _score(self, query: Any) -> Any:
        raise NotImplementedError

    def _biased(self, score: Any) -> Any:
        return score

    def _probabilities(self, score: Any, state: Any) -> tuple[Any, Any]:
        """Returns the alignments, [batch_size, alignments_size], and the next state: the same."""
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class _Bahdanau(_Mechanism):
    """Additive scores (arXiv:1409.0473)."""

    _normalize: bool

    def _layer_of_query(self, dtype: Any) -> Any:
        return dense(self._num_units, "query_layer", dtype)

    def _score(self, query: Any) -> Any:
        return _bahdanau_score(self.query_layer(query), self.keys, self._normalize)


class _Luong(_Mechanism):
    """Multiplicative scores (arXiv:1508.04025)."""

    _scale: bool

    def _score(self, query: Any) -> Any:
        return _luong_score(query, self.keys, self._scale)


class BahdanauAttention(_Bahdanau):
    """Additive attention."""

    _scope_name = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[..., Any] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], tuple[Any, Any]] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        self._normalize = normalize
        probability_fn = _of_score(probability_fn or tf.nn.softmax)
        pass_on(super().__init__, locals())


class LuongAttention(_Luong):
    """Multiplicative attention."""

    _scope_name = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[..., Any] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], tuple[Any, Any]] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        self._scale = scale
        probability_fn = _of_score(probability_fn or tf.nn.softmax)
        pass_on(super().__init__, locals())


class _Monotonic(_Mechanism, _BaseMonotonicAttentionMechanism):
    """Attention that only moves forwards (arXiv:1704.00784)."""

    _score_bias_init: float

    def _biased(self, score: Any) -> Any:
        bias = tf.constant_initializer(self._score_bias_init)
        return score + tf.get_variable("attention_score_bias", (), score.dtype, bias)


class BahdanauMonotonicAttention(_Monotonic, _Bahdanau):
    """Additive attention that only moves forwards."""

    _scope_name = "bahdanau_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: float | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        self._normalize, self._score_bias_init = normalize, score_bias_init
        probability_fn = _monotonic(sigmoid_noise, mode, sigmoid_noise_seed)
        pass_on(super().__init__, locals())


class LuongMonotonicAttention(_Monotonic, _Luong):
    """Multiplicative attention that only moves forwards."""

    _scope_name = "luong_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: float | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        self._scale, self._score_bias_init = scale, score_bias_init
        probability_fn = _monotonic(sigmoid_noise, mode, sigmoid_noise_seed)
        pass_on(super().__init__, locals())


def hardmax(logits: Any, name: str | None = None) -> Any:
    """Returns 1 for the best of the last dimension and 0 for the others."""
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        depth = logits.shape.as_list()[-1] or tf.shape(logits)[-1]
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the cumulative product, by logarithms: see tf.cumsum for the arguments."""
    with tf.name_scope(None, "SafeCumprod", [x]):
        x = tf.convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """Returns monotonic alignments, [batch_size, time] (arXiv:1704.00784).

    Args:
        p_choose_i: the probability of choosing each place, [batch_size, time].
        previous_attention: the alignments of the step before, [batch_size, time].
        mode: "recursive", "parallel" or "hard".

    Raises:
        ValueError: there is no such mode.
    """
    chosen = tf.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = tf.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        size = chosen.shape.as_list()[0] or tf.shape(chosen)[0]
        passed = tf.concat([tf.ones((size, 1)), 1 - chosen[:, :-1]], 1)
        reached = tf.scan(
            lambda before, now: tf.reshape(now[0] * before + now[1], (size,)),
            [tf.transpose(passed), tf.transpose(previous)],
            tf.zeros((size,)),
        )
        return chosen * tf.transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - chosen, axis=1, exclusive=True)
        reached = tf.cumsum(previous / tf.clip_by_value(passed, 1e-10, 1.0), axis=1)
        return chosen * passed * reached
    if mode == "hard":
        chosen = chosen * tf.cumsum(previous, axis=1)
        return chosen * tf.cumprod(1 - chosen, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _bahdanau_score(
    processed_query: Any,
    keys: Any,
    attention_v: Any,
    attention_g: Any = None,
    attention_b: Any = None,
) -> Any:
    """Returns additive scores, [batch_size, time].

    Args:
        processed_query: what the query's layer returns, [batch_size, num_units].
        keys: those of the memory, [batch_size, time, num_units].
        attention_v: a vector of num_units. Up to TensorFlow 1.12, whether the function, which made
            this vector itself, normalizes it.
        attention_g: the length of the normalized vector.
        attention_b: what is added to the query where the vector is normalized.
    """
    dtype = processed_query.dtype
    if isinstance(attention_v, bool):
        normalize, num_units = attention_v, keys.shape.as_list()[2] or tf.shape(keys)[2]
        attention_v = tf.get_variable("attention_v", [num_units], dtype)
        if normalize:
            start = tf.constant_initializer(math.sqrt(1.0 / num_units))
            attention_g = tf.get_variable("attention_g", (), dtype, start)
            no_bias = tf.zeros_initializer()
            attention_b = tf.get_variable("attention_b", [num_units], dtype, no_bias)
    asked = tf.expand_dims(processed_query, 1)
    if attention_g is not None and attention_b is not None:
        attention_v = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
        asked = asked + attention_b
    return tf.reduce_sum(attention_v * tf.tanh(keys + asked), [2])


def _luong_score(query: Any, keys: Any, scale: Any) -> Any:
    """Returns multiplicative scores, [batch_size, time].

    Args:
        query: [batch_size, num_units].
        keys: those of the memory, [batch_size, time, num_units].
        scale: what scores are multiplied by, if anything. Up to TensorFlow 1.12, whether that is a
            variable, which the function made itself.
    """
    depth, known = query.shape.as_list()[-1], keys.shape.as_list()[-1]
    if depth != known:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys. "
            f"Query has units: {depth}. Keys have units: {known}. "
            "Perhaps you need to set num_units to the keys' dimension?"
        )
    score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), keys, transpose_b=True), [1])
    if isinstance(scale, bool):
        one = tf.ones_initializer()
        scale = tf.get_variable("attention_g", (), query.dtype, one) if scale else None
    return score if scale is None else scale * score


def _of_score(probabilities: Callable[[Any], Any]) -> Probability:
    return lambda score, state: probabilities(score)


def _monotonic(sigmoid_noise: float, mode: str, seed: int | None) -> Probability:
    return functools.partial(
        _monotonic_probability_fn, sigmoid_noise=sigmoid_noise, mode=mode, seed=seed
    )


def _monotonic_probability_fn(
    score: Any, previous_alignments: Any, sigmoid_noise: float, mode: str, seed: int | None = None
) -> Any:
    if sigmoid_noise > 0:
        score += sigmoid_noise * tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
    chosen = tf.cast(score > 0, score.dtype) if mode == "hard" else tf.sigmoid(score)
    return monotonic_attention(chosen, previous_alignments, mode)
