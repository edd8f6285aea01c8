"""What attention mechanisms of tf.contrib.seq2seq have in common.

The source is contrib/seq2seq/python/ops/attention_wrapper.py of TensorFlow 1.15. Speech models
derive from these classes and compute other scores, so that private names which they read are here
as well, and mask as those of TensorFlow 1.15 did.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

Probability = Callable[[Any, Any], Any]


class AttentionMechanism:
    """What an AttentionWrapper asks.

    Subclasses have ``values``, ``keys``, ``batch_size``, ``alignments_size`` and ``state_size``,
    ``initial_alignments`` and ``initial_state`` of (batch_size, dtype), and are called with a query
    and their state.
    """


class _BaseAttentionMechanism(AttentionMechanism):
    """The memory of a mechanism, by the names that classes of programs read and set."""

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Probability,
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: float | None = None,
        custom_key_value_fn: Callable[[Any, Any], tuple[Any, Any]] | None = None,
        name: str | None = None,
    ) -> None:
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        self._probability_of = probability_fn
        self._mask_value = -np.inf if score_mask_value is None else score_mask_value
        with tf.name_scope(name, "BaseAttentionMechanismInit", tf.nest.flatten(memory)):
            self._lengths = memory_sequence_length
            if memory_sequence_length is not None:
                self._lengths = tf.convert_to_tensor(memory_sequence_length)
            # Behind the ends of sequences are zeros, whose scores are masked besides.
            self._values = _prepare_memory(
                memory, self._lengths, check_inner_dims_defined=check_inner_dims_defined
            )
            self._keys = memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            known = self._keys.shape.as_list()
            self._batch_size = known[0] or tf.shape(self._keys)[0]
            self._alignments_size = known[1] or tf.shape(self._keys)[1]

    @property
    def query_layer(self) -> Any:
        """What queries go through before they are compared."""
        return self._query_layer

    @property
    def memory_layer(self) -> Any:
        """What makes keys of the memory."""
        return self._memory_layer

    @property
    def values(self) -> Any:
        """The memory, [batch_size, time, ...]."""
        return self._values

    @property
    def keys(self) -> Any:
        """The memory as it is compared with queries."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """How many memories there are."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """How long the memory is."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """The size of the state, which is the alignments."""
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns 0, [batch_size, alignments_size]."""
        return zeros(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the initial alignments."""
        return self.initial_alignments(batch_size, dtype)

    def _probability_fn(self, score: Any, state: Any) -> Any:
        """Returns the alignments; subclasses of programs call it with scores of their own."""
        return self._probability_of(
            _maybe_mask_score(score, self._lengths, self._mask_value), state
        )


class _BaseMonotonicAttentionMechanism(_BaseAttentionMechanism):
    """A mechanism whose attention starts at the first place."""

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Returns 1 for the first place and 0 elsewhere, [batch_size, alignments_size]."""
        return tf.one_hot(tf.zeros((batch_size,), tf.int32), self.alignments_size, dtype=dtype)


def dense(num_units: int, name: str, dtype: Any) -> Any:
    """Returns a linear layer without a bias."""
    return tf.layers.Dense(num_units, name=name, use_bias=False, dtype=dtype)


def zeros(size: Any, batch_size: Any, dtype: Any) -> Any:
    """Returns 0, [batch_size, size], with the static shape that is known."""
    tensor = tf.zeros(tf.stack([batch_size, size]), dtype)
    known = [tf.get_static_value(tf.convert_to_tensor(part)) for part in (batch_size, size)]
    tensor.set_shape(known)
    return tensor


def _prepare_memory(
    memory: Any,
    memory_sequence_length: Any = None,
    memory_mask: Any = None,
    check_inner_dims_defined: bool = True,
) -> Any:
    """Returns the memory, [batch_size, time, ...], with 0 behind the ends of its sequences."""
    if isinstance(memory_mask, bool):  # the third argument up to TensorFlow 1.12
        memory_mask, check_inner_dims_defined = None, memory_mask
    _check_masks(memory_sequence_length, memory_mask)

    def masked(tensor: Any) -> Any:
        tensor = tf.convert_to_tensor(tensor, name="memory")
        if check_inner_dims_defined and not tensor.shape[2:].is_fully_defined():
            raise ValueError(
                f"Expected memory {tensor.name} to have fully defined inner dims, "
                f"but saw shape: {tensor.shape}"
            )
        if memory_sequence_length is not None:
            mask = tf.sequence_mask(memory_sequence_length, tf.shape(tensor)[1], tensor.dtype)
        elif memory_mask is not None:
            mask = tf.cast(memory_mask, tensor.dtype)
        else:
            return tensor
        ones = [1] * (tensor.shape.ndims - 2)
        return tensor * (tf.reshape(mask, tf.concat([tf.shape(mask), ones], 0)) if ones else mask)

    return tf.nest.map_structure(masked, memory)


def _maybe_mask_score(
    score: Any,
    memory_sequence_length: Any = None,
    memory_mask: Any = None,
    score_mask_value: Any = None,
) -> Any:
    """Returns scores with the value of the mask behind the ends of sequences."""
    if isinstance(memory_mask, (float, np.floating)):  # the third argument up to TensorFlow 1.12
        memory_mask, score_mask_value = None, memory_mask
    _check_masks(memory_sequence_length, memory_mask)
    if memory_sequence_length is not None:
        message = "All values in memory_sequence_length must be greater than zero."
        check = tf.assert_positive(memory_sequence_length, message=message)
        with tf.control_dependencies([check]):
            memory_mask = tf.sequence_mask(memory_sequence_length, tf.shape(score)[1])
    if memory_mask is None:
        return score
    return tf.where(memory_mask, score, score_mask_value * tf.ones_like(score))


def _check_masks(lengths: Any, mask: Any) -> None:
    if lengths is not None and mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
