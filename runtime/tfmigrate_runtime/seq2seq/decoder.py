"""Decoding step by step: the decoder, and the loop that runs it.

The source of the meaning is contrib/seq2seq/python/ops (decoder.py, basic_decoder.py) of
TensorFlow 1.15.
"""

import collections
import contextlib
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import as_cell
from tfmigrate_runtime.seq2seq.helper import Helper


class Decoder:
    """What ``dynamic_decode`` runs.

    Subclasses have the properties ``batch_size``, ``output_size`` and ``output_dtype`` (both in
    the structure of the output), ``initialize(name)``, which returns (finished, first inputs,
    first state), and ``step(time, inputs, state, name)``, which returns (outputs, next state, next
    inputs, finished).
    """

    @property
    def tracks_own_finished(self) -> bool:
        """Whether ``finished`` of a step counts alone: not so unless a subclass says it."""
        return False

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Changes what was decoded at the end.

        Raises:
            NotImplementedError: always here; dynamic_decode leaves it as it is then.
        """
        raise NotImplementedError


class BasicDecoderOutput(collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    """The output of a cell, and what was sampled from it."""


def layer_output_size(cell: Any, layer: Any) -> Any:
    """Returns the size of a cell's output behind a layer, or of the output where there is none.

    Raises:
        TypeError: the layer is none.
    """
    size = cell.output_size
    if layer is None:
        return size
    if not hasattr(layer, "compute_output_shape"):
        raise TypeError(f"output_layer must be a Layer, received: {type(layer)}")
    batches = tf.nest.map_structure(lambda s: tf.TensorShape([None]).concatenate(s), size)
    shapes = layer.compute_output_shape(batches)
    return tf.nest.map_structure(lambda shape: shape[1:], shapes)


class BasicDecoder(Decoder):
    """A decoder whose next inputs a helper chooses."""

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None
    ) -> None:
        """Makes the decoder.

        Args:
            cell: the cell.
            helper: chooses the inputs.
            initial_state: the cell's state.
            output_layer: put on the cell's output before it is sampled from.
        """
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        self._cell = as_cell(cell)
        self._helper: Any = helper
        self._initial_state, self._output_layer = initial_state, output_layer
        self._rnn_output_size()  # checks the layer

    @property
    def batch_size(self) -> Any:
        """How many sequences are decoded."""
        return self._helper.batch_size

    def _rnn_output_size(self) -> Any:
        return layer_output_size(self._cell, self._output_layer)

    @property
    def output_size(self) -> Any:
        """The size of the outputs and of the samples."""
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:
        """The dtype of the state for the outputs, and that of the samples."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        outputs = tf.nest.map_structure(lambda _: dtype, self._rnn_output_size())
        return BasicDecoderOutput(outputs, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> Any:
        """Returns what is finished, the first inputs and the first state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns the outputs, the next state, the next inputs and what is finished."""
        with tf.name_scope(name, "BasicDecoderStep", tf.nest.flatten((time, inputs))):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Decodes until all sequences are finished.

    Args:
        decoder: a Decoder.
        output_time_major: whether time comes before the batch in the outputs.
        impute_finished: whether the outputs of finished sequences are 0, and their states stay.
        maximum_iterations: after how many steps it ends in any case, int32 [].
        parallel_iterations: how many steps may run at a time.
        swap_memory: whether tensors may move from the GPU to the host.
        scope: the variable scope, "decoder" by default.

    Returns:
        The outputs, [batch_size, time, ...], the last state, and the lengths, int32 [batch_size].

    Raises:
        TypeError: it is not a Decoder.
        ValueError: maximum_iterations is not a scalar.
    """
    _check_decoder(decoder)
    with tf.variable_scope(scope, "decoder"):
        finished, inputs, state = decoder.initialize()
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(maximum_iterations, tf.int32)
            if maximum_iterations.shape.ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        zeros = _zero_outputs(decoder)
        arrays = tf.nest.map_structure(
            lambda size, dtype: _array(decoder.batch_size, size, dtype),
            decoder.output_size,
            decoder.output_dtype,
        )

        def body(
            time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any
        ) -> Any:
            outputs, new_state, new_inputs, new_finished = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                new_finished = tf.logical_or(new_finished, finished)
            lengths = tf.where(finished, lengths, tf.fill(tf.shape(lengths), time + 1))
            tf.nest.assert_same_structure(state, new_state)
            tf.nest.assert_same_structure(arrays, outputs)
            tf.nest.assert_same_structure(inputs, new_inputs)
            if impute_finished:
                outputs = tf.nest.map_structure(
                    lambda new, zero: tf.where(finished, zero, new), outputs, zeros
                )
                new_state = tf.nest.map_structure(
                    lambda new, old: _kept(new, old, finished), new_state, state
                )
            arrays = tf.nest.map_structure(
                lambda array, output: array.write(time, output), arrays, outputs
            )
            return time + 1, arrays, new_state, new_inputs, new_finished, lengths

        _, arrays, state, _, _, lengths = tf.while_loop(
            lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(
                tf.reduce_all(finished)
            ),
            body,
            (tf.constant(0), arrays, state, inputs, finished, tf.zeros_like(finished, tf.int32)),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf.nest.map_structure(lambda array: array.stack(), arrays)
        with contextlib.suppress(NotImplementedError):  # most decoders have nothing to change
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = tf.nest.map_structure(_transpose_batch_time, outputs)
    return outputs, state, lengths


def _check_decoder(decoder: Any) -> None:
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")


def _zero_outputs(decoder: Any) -> Any:
    def zeros(size: Any, dtype: Any) -> Any:
        shape = tf.TensorShape(size).as_list()
        return tf.zeros(tf.concat([[decoder.batch_size], tf.constant(shape, tf.int32)], 0), dtype)

    return tf.nest.map_structure(zeros, decoder.output_size, decoder.output_dtype)


def _array(batch_size: Any, size: Any, dtype: Any) -> Any:
    """Returns an array over time, with the static shape that is known."""
    shape = None
    if isinstance(size, tf.TensorShape) and size.ndims != 0:
        known = tf.get_static_value(tf.convert_to_tensor(batch_size))
        shape = tf.TensorShape([known]).concatenate(size)
    return tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape)


def _kept(new: Any, old: Any, finished: Any) -> Any:
    """Returns the new state, and the old one of sequences that are finished."""
    if isinstance(old, tf.TensorArray):
        return new
    new.set_shape(old.shape)
    return new if new.shape.ndims == 0 else tf.where(finished, old, new)


def _transpose_batch_time(x: Any) -> Any:
    """Returns a tensor with its first two dimensions swapped; as it is where it has fewer."""
    if (rank := x.shape.ndims) is None:
        return tf.transpose(x, tf.concat([[1, 0], tf.range(2, tf.rank(x))], 0))
    return x if rank < 2 else tf.transpose(x, [1, 0, *range(2, rank)])
