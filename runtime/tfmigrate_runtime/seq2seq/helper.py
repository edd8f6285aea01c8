"""Helpers of tf.contrib.seq2seq, which choose the inputs of the next step.

From contrib/seq2seq/python/ops/helper.py of TensorFlow 1.15, with the private names that helpers of
programs read and override.
"""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf


class Helper:
    """What chooses the inputs of a BasicDecoder.

    Subclasses have ``batch_size``, ``sample_ids_shape``, ``sample_ids_dtype``,
    ``initialize(name)``: (finished, inputs), ``sample(time, outputs, state, name)`` and
    ``next_inputs(time, outputs, state, sample_ids, name)``: (finished, inputs, state).
    """


class _IdHelper(Helper):
    """A helper whose samples are int32 [batch_size]."""

    _batch_size: Any

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of one sample."""
        return tf.TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """The dtype of the samples."""
        return tf.int32


class CustomHelper(Helper):
    """A helper made of functions."""

    sample_ids_shape = property(lambda self: self._sample_ids_shape, doc="The shape of one sample.")
    sample_ids_dtype = property(lambda self: self._sample_ids_dtype, doc="The dtype of samples.")

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self) -> Any:
        """How many sequences there are.

        Raises:
            ValueError: ``initialize`` was not called.
        """
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    def initialize(self, name: str | None = None) -> Any:
        """Returns what is finished, and the first inputs."""
        finished, inputs = self._initialize_fn()
        if self._batch_size is None:
            self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns samples of the outputs."""
        return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """Returns what is finished, the next inputs and the next state."""
        return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(_IdHelper):
    """Reads the inputs that are given."""

    inputs = property(lambda self: self._inputs, doc="The inputs, as they are given.")
    sequence_length = property(lambda self: self._sequence_length, doc="The lengths of sequences.")

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None
    ) -> None:
        """Makes the helper.

        Args:
            inputs: [batch_size, time, ...], or a structure of such.
            sequence_length: int32 [batch_size].
            time_major: whether time comes first.
            name: of the operations.
        """
        with tf.name_scope(name, "TrainingHelper", [*tf.nest.flatten(inputs), sequence_length]):
            self._inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
            steps = self._inputs if time_major else tf.nest.map_structure(_transposed, self._inputs)
            self._input_tas = tf.nest.map_structure(_unstacked, steps)
            self._sequence_length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.ndims != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._sequence_length.shape}"
                )
            self._zero_inputs = tf.nest.map_structure(lambda step: tf.zeros_like(step[0]), steps)
            self._batch_size = tf.size(self._sequence_length)

    def initialize(self, name: str | None = None) -> Any:
        """Returns what is finished, and the first inputs."""
        finished = tf.equal(0, self._sequence_length)
        return finished, self._read(0, finished)

    def sample(self, time: Any, outputs: Any, name: str | None = None, **unused_kwargs: Any) -> Any:
        """Returns the best ids of the outputs."""
        return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, name: str | None = None, **unused_kwargs: Any
    ) -> Any:
        """Returns what is finished, the next inputs and the state."""
        finished = time + 1 >= self._sequence_length
        return finished, self._read(time + 1, finished), state

    def _read(self, time: Any, finished: Any) -> Any:
        return tf.cond(
            tf.reduce_all(finished),
            # No step follows: there is nothing to read behind the end of the arrays.
            lambda: self._zero_inputs,
            lambda: tf.nest.map_structure(lambda array: array.read(time), self._input_tas),
        )


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Reads the inputs that are given, and now and then looks up what it sampled."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        self._embedding_fn = lookup_of(embedding)
        self._sampling_probability = _probability(sampling_probability)
        self._seed, self._scheduling_seed = seed, scheduling_seed
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Returns ids, and -1 where nothing was sampled."""
        chosen = _bernoulli(self._sampling_probability, self.batch_size, self._scheduling_seed)
        none = tf.fill([self.batch_size], -1)
        return tf.where(chosen, _categorical(outputs, self._seed), none)

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """Returns what is finished, the next inputs and the state."""
        finished, base_inputs, state = super().next_inputs(time, outputs, state)

        def mixed() -> Any:
            chosen = sample_ids > -1
            looked_up = self._embedding_fn(tf.boolean_mask(sample_ids, chosen))
            return _where_chosen(chosen, looked_up, base_inputs)

        return finished, tf.cond(tf.reduce_all(finished), lambda: base_inputs, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Reads the inputs that are given, and now and then takes the outputs."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Callable[[Any], Any] | None = None,
        auxiliary_inputs: Any = None,
        name: str | None = None,
    ) -> None:
        self._sampling_probability, self._seed = _probability(sampling_probability), seed
        self._next_inputs_fn, self._auxiliary_input_tas = next_inputs_fn, None
        if auxiliary_inputs is not None:
            more = tf.convert_to_tensor(auxiliary_inputs)
            self._auxiliary_input_tas = _unstacked(more if time_major else _transposed(more))
            inputs = tf.concat([tf.convert_to_tensor(inputs), more], -1)
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Returns 1 for the sequences whose output is taken, int32 [batch_size]."""
        chosen = _bernoulli(self._sampling_probability, self.batch_size, self._seed)
        return tf.cast(chosen, tf.int32)

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """Returns what is finished, the next inputs and the state."""
        finished, base_inputs, state = super().next_inputs(time, outputs, state)
        chosen = tf.cast(sample_ids, tf.bool)

        def mixed() -> Any:
            taken = outputs
            if self._next_inputs_fn is not None:
                taken = self._next_inputs_fn(tf.boolean_mask(outputs, chosen))
            if self._auxiliary_input_tas is not None:
                more = self._auxiliary_input_tas.read(time + 1)
                if self._next_inputs_fn is not None:
                    more = tf.boolean_mask(more, chosen)
                taken = tf.concat([taken, more], -1)
            if self._next_inputs_fn is None:
                return tf.where(chosen, taken, base_inputs)
            return _where_chosen(chosen, taken, base_inputs)

        none = tf.logical_or(tf.reduce_all(finished), tf.logical_not(tf.reduce_any(chosen)))
        return finished, tf.cond(none, lambda: base_inputs, mixed), state


class GreedyEmbeddingHelper(_IdHelper):
    """Looks up the best id of the step before."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        """Makes the helper.

        Args:
            embedding: vectors, or a function of ids.
            start_tokens: the first ids, int32 [batch_size].
            end_token: the id that ends a sequence, int32 [].
        """
        self._embedding_fn = lookup_of(embedding)
        self._start_tokens = tf.convert_to_tensor(start_tokens, tf.int32, name="start_tokens")
        self._end_token = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
        if self._start_tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name: str | None = None) -> Any:
        """Returns what is finished, and the first inputs."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns the best ids, int32 [batch_size].

        Raises:
            TypeError: there are several outputs.
        """
        return tf.argmax(_single(outputs), axis=-1, output_type=tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """Returns what is finished, the next inputs and the state."""
        finished = tf.equal(sample_ids, self._end_token)
        inputs = tf.cond(
            tf.reduce_all(finished),
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Looks up an id that is drawn by its probability."""

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns ids that are drawn, int32 [batch_size].

        Raises:
            TypeError: there are several outputs.
        """
        logits = _single(outputs)
        if self._softmax_temperature is not None:
            logits = logits / self._softmax_temperature
        return _categorical(logits, self._seed)


class InferenceHelper(Helper):
    """Takes what a function samples as the next inputs."""

    batch_size = property(lambda self: self._batch_size, doc="How many sequences there are.")
    sample_ids_shape = property(lambda self: self._sample_shape, doc="The shape of one sample.")
    sample_ids_dtype = property(lambda self: self._sample_dtype, doc="The dtype of the samples.")

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self._sample_shape, self._sample_dtype = tf.TensorShape(sample_shape), sample_dtype
        self._start_inputs = tf.convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = tf.shape(self._start_inputs)[0]

    def initialize(self, name: str | None = None) -> Any:
        """Returns what is finished, and the first inputs."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns samples of the outputs."""
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """Returns what is finished, the next inputs and the state."""
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state


def lookup_of(embedding: Any) -> Callable[[Any], Any]:
    """Returns the function that gives the vectors of ids."""
    if callable(embedding):
        function: Callable[[Any], Any] = embedding
        return function
    return lambda ids: tf.nn.embedding_lookup(embedding, ids)


def _probability(sampling_probability: Any) -> Any:
    probability = tf.convert_to_tensor(sampling_probability, name="sampling_probability")
    if probability.shape.ndims not in (0, 1):
        raise ValueError(
            "sampling_probability must be either a scalar or a vector. "
            f"saw shape: {probability.shape}"
        )
    return probability


def _single(outputs: Any) -> Any:
    if not tf.is_tensor(outputs):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
    return outputs


def _bernoulli(probability: Any, size: Any, seed: int | None) -> Any:
    """Returns bool [size], true with the probability."""
    return tf.random_uniform([size], seed=seed, dtype=probability.dtype) < probability


def _categorical(logits: Any, seed: int | None) -> Any:
    """Returns an id for each row of the logits, int32 [batch_size]."""
    return tf.random.categorical(logits, 1, dtype=tf.int32, seed=seed)[:, 0]


def _where_chosen(chosen: Any, rows: Any, others: Any) -> Any:
    """Returns the rows in the places that are chosen, and others elsewhere."""
    # The gradient of a tf.cond takes the rows back by int32 positions only.
    places, other_places = (
        tf.cast(tf.where(c), tf.int32) for c in (chosen, tf.logical_not(chosen))
    )
    shape = tf.shape(others)
    return tf.scatter_nd(places, rows, shape) + tf.scatter_nd(
        other_places, tf.gather_nd(others, other_places), shape
    )


def _transposed(tensor: Any) -> Any:
    return tf.transpose(tensor, [1, 0, *range(2, tensor.shape.ndims)])


def _unstacked(tensor: Any) -> Any:
    array = tf.TensorArray(tensor.dtype, size=tf.shape(tensor)[0], element_shape=tensor.shape[1:])
    return array.unstack(tensor)
