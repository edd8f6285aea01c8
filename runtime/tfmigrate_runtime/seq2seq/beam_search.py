"""Beam search of tf.contrib.seq2seq.

The source of the meaning is contrib/seq2seq/python/ops/beam_search_decoder.py of TensorFlow 1.15;
gather_tree was a kernel of tf.contrib (contrib/seq2seq/kernels/beam_search_ops.cc).
"""

import collections
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import as_cell
from tfmigrate_runtime.seq2seq.attention_wrapper import AttentionWrapperState
from tfmigrate_runtime.seq2seq.decoder import Decoder, layer_output_size
from tfmigrate_runtime.seq2seq.helper import lookup_of


class BeamSearchDecoderState(
    collections.namedtuple(
        "BeamSearchDecoderState",
        ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
    )
):
    """The state of a BeamSearchDecoder: all of [batch_size, beam_width, ...]."""


class BeamSearchDecoderOutput(
    collections.namedtuple("BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids"))
):
    """The beams of a step, and of which beams of the step before they come."""


class FinalBeamSearchDecoderOutput(
    collections.namedtuple(
        "FinalBeamDecoderOutput", ["predicted_ids", "beam_search_decoder_output"]
    )
):
    """The sequences of the beams, and the beams of every step."""


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Repeats every row: [batch_size, ...] becomes [batch_size * multiplier, ...].

    Args:
        t: a tensor, or a structure of tensors.
        multiplier: how often.
        name: of the scope.

    Raises:
        ValueError: the rank of a tensor is not known, or it is a scalar.
    """

    def tiled(tensor: Any) -> Any:
        tensor = tf.convert_to_tensor(tensor, name="t")
        if not tensor.shape.ndims:
            raise ValueError("t must have statically known rank")
        rows, *inner_sizes = tensor.shape.as_list()
        several = tf.tile(
            tf.expand_dims(tensor, 1), [1, multiplier] + [1] * (tensor.shape.ndims - 1)
        )
        shape = tf.shape(tensor)
        several = tf.reshape(several, tf.concat([[shape[0] * multiplier], shape[1:]], 0))
        several.set_shape([None if rows is None else rows * multiplier, *inner_sizes])
        return several

    with tf.name_scope(name, "tile_batch", [*tf.nest.flatten(t), multiplier]):
        return tf.nest.map_structure(tiled, t)


def gather_tree(
    step_ids: Any,
    parent_ids: Any,
    max_sequence_lengths: Any,
    end_token: Any,
    name: str | None = None,
) -> Any:
    """Follows beams from their ends to their beginnings.

    Args:
        step_ids: the ids of every step, int32 [time, batch_size, beam_width].
        parent_ids: of which beam of the step before they come, of the same shape.
        max_sequence_lengths: where the beams of a row end, int32 [batch_size].
        end_token: the id that ends a sequence, int32 [].
        name: of the scope.

    Returns:
        The ids of the sequences, of the same shape; end_token behind their ends.
    """
    with tf.name_scope(name, "GatherTree", [step_ids, parent_ids]):
        step_ids = tf.convert_to_tensor(step_ids)
        end = tf.cast(end_token, step_ids.dtype)
        shape = tf.shape(step_ids)
        places = tf.tile(tf.expand_dims(tf.range(shape[2]), 0), [shape[1], 1])
        lengths = tf.cast(max_sequence_lengths, tf.int32)

        def before(later: tuple[Any, Any], step: tuple[Any, Any, Any]) -> tuple[Any, Any]:
            _, beams = later
            time, ids, parents = step
            inside = tf.tile(tf.expand_dims(time < lengths, 1), [1, shape[2]])
            tokens = tf.gather(ids, beams, batch_dims=1)
            return (
                tf.where(inside, tokens, tf.fill(tf.shape(tokens), end)),
                tf.where(inside, tf.gather(parents, beams, batch_dims=1), beams),
            )

        ids, _ = tf.scan(
            before,
            (tf.range(shape[0]), step_ids, tf.convert_to_tensor(parent_ids)),
            (tf.zeros_like(places, step_ids.dtype), places),
            reverse=True,
        )
        ended = tf.cumsum(tf.cast(tf.equal(ids, end), tf.int32), axis=0, exclusive=True) > 0
        ids = tf.where(ended, tf.fill(tf.shape(ids), end), ids)
        ids.set_shape(step_ids.shape)
        return ids


class BeamSearchDecoder(Decoder):
    """A decoder that keeps the best sequences."""

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        """Makes the decoder.

        Args:
            cell: the cell.
            embedding: vectors, or a function of ids.
            start_tokens: the first ids, int32 [batch_size].
            end_token: the id that ends a sequence, int32 [].
            initial_state: the cell's state, tiled: [batch_size * beam_width, ...].
            beam_width: how many sequences are kept of each row.
            output_layer: put on the cell's output.
            length_penalty_weight: of the penalty of long sequences (arXiv:1609.08144).
            coverage_penalty_weight: of the penalty of what was not attended to.
            reorder_tensor_arrays: whether TensorArrays of the state are put in the beams' order at
                the end.
        """
        self._cell, self._output_layer, self._beam_width = as_cell(cell), output_layer, beam_width
        self._length_weight, self._coverage_weight = length_penalty_weight, coverage_penalty_weight
        self._reorders = reorder_tensor_arrays
        self._rnn_output_size()  # checks the layer
        self._embedding_fn = lookup_of(embedding)
        tokens = tf.convert_to_tensor(start_tokens, tf.int32, name="start_tokens")
        self._end_token = tf.convert_to_tensor(end_token, tf.int32, name="end_token")
        if tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._static_size = tokens.shape.as_list()[0]
        self._batch_size = tf.size(tokens)
        self._initial_state = tf.nest.map_structure(self._split, initial_state)
        self._start_inputs = self._embedding_fn(tf.tile(tf.expand_dims(tokens, 1), [1, beam_width]))

    @property
    def batch_size(self) -> Any:
        """How many rows there are, each with its beams."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """It does: beams change places."""
        return True

    def _rnn_output_size(self) -> Any:
        return layer_output_size(self._cell, self._output_layer)

    @property
    def output_size(self) -> Any:
        """The beam width, for each part of the output."""
        beams = tf.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(beams, beams, beams)

    @property
    def output_dtype(self) -> Any:
        """The dtype of the state for the scores, int32 for ids."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        scores = tf.nest.map_structure(lambda _: dtype, self._rnn_output_size())
        return BeamSearchDecoderOutput(scores, tf.int32, tf.int32)

    def initialize(self, name: str | None = None) -> Any:
        """Returns what is finished, the first inputs and the first state: one beam counts."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        first = tf.zeros([self._batch_size], tf.int32)
        finished = tf.one_hot(first, self._beam_width, False, True, dtype=tf.bool)
        attended = _attention_probabilities(self._initial_state, self._coverage_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_state,
            # All beams begin equal: continued, they would be one sequence beam_width times.
            log_probs=tf.one_hot(
                first,
                self._beam_width,
                tf.constant(0.0, dtype),
                tf.constant(-np.inf, dtype),
                dtype=dtype,
            ),
            finished=finished,
            lengths=tf.zeros([self._batch_size, self._beam_width], tf.int64),
            accumulated_attention_probs=() if attended is None else attended,
        )
        return finished, self._start_inputs, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Returns the outputs, the next state, the next inputs and what is finished."""
        with tf.name_scope(name, "BeamSearchDecoderStep"):
            outputs, cell_state = self._cell(
                tf.nest.map_structure(self._merge, inputs),
                tf.nest.map_structure(self._merge_state, state.cell_state),
            )
            outputs = tf.nest.map_structure(self._split, outputs)
            cell_state = tf.nest.map_structure(self._split, cell_state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            beam_outputs, new = self._best(outputs, cell_state, state)
            inputs = tf.cond(
                tf.reduce_all(new.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(beam_outputs.predicted_ids),
            )
        return beam_outputs, new, inputs, new.finished

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Returns the sequences of the beams, and the state."""
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorders:
            sorted_state = tf.nest.map_structure(
                lambda part: self._in_order(part, outputs.parent_ids, final_state.lengths),
                final_state.cell_state,
            )
            final_state = final_state._replace(cell_state=sorted_state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _split(self, tensor: Any) -> Any:
        """Returns [batch_size, beam_width, ...] of [batch_size * beam_width, ...]."""
        if isinstance(tensor, tf.TensorArray) or not _rank(tensor):
            return tensor
        shape = tf.concat([[self._batch_size, self._beam_width], tf.shape(tensor)[1:]], 0)
        split = tf.reshape(tensor, shape)
        split.set_shape([self._static_size, self._beam_width, *tensor.shape.as_list()[1:]])
        return split

    def _merge(self, tensor: Any) -> Any:
        """Returns [batch_size * beam_width, ...] of [batch_size, beam_width, ...]."""
        shape = tf.concat([[self._batch_size * self._beam_width], tf.shape(tensor)[2:]], 0)
        merged = tf.reshape(tensor, shape)
        rows = None if self._static_size is None else self._static_size * self._beam_width
        merged.set_shape([rows, *tensor.shape.as_list()[2:]])
        return merged

    def _merge_state(self, tensor: Any) -> Any:
        return tensor if _is_unsplit(tensor) else self._merge(tensor)

    def _of_parents(self, tensor: Any, parents: Any) -> Any:
        """Returns the rows of the beams that the new ones come of."""
        if _is_unsplit(tensor):
            return tensor
        rows = tf.gather(tensor, parents, batch_dims=1)
        rows.set_shape(tensor.shape)
        return rows

    def _best(self, logits: Any, cell_state: Any, state: Any) -> tuple[Any, Any]:
        """Returns the output and the state of the best beams among all continuations."""
        size, width = self._batch_size, self._beam_width
        words = logits.shape.as_list()[-1] or tf.shape(logits)[-1]
        going_on = tf.logical_not(state.finished)
        log_probs = _only_end(tf.nn.log_softmax(logits), self._end_token, state.finished)
        total = tf.expand_dims(state.log_probs, 2) + log_probs
        not_end = 1 - tf.one_hot(self._end_token, words, dtype=tf.int64)
        longer = tf.expand_dims(tf.cast(going_on, tf.int64), 2) * not_end
        attended = _attention_probabilities(cell_state, self._coverage_weight)
        if attended is not None:
            attended *= tf.expand_dims(tf.cast(going_on, tf.float32), 2)
            attended = state.accumulated_attention_probs + attended
        scores = self._scores(
            total, tf.expand_dims(state.lengths, 2) + longer, state.finished, attended
        )
        best, places = tf.nn.top_k(tf.reshape(scores, [size, -1]), k=width)
        best.set_shape([self._static_size, width])
        places.set_shape([self._static_size, width])
        ids, parents = tf.mod(places, words), tf.floordiv(places, words)
        finished = self._of_parents(state.finished, parents)
        lengths = self._of_parents(state.lengths, parents)
        probabilities = tf.gather(tf.reshape(total, [size, -1]), places, batch_dims=1)
        probabilities.set_shape([self._static_size, width])
        new = BeamSearchDecoderState(
            cell_state=tf.nest.map_structure(
                lambda part: self._of_parents(part, parents), cell_state
            ),
            log_probs=probabilities,
            finished=tf.logical_or(finished, tf.equal(ids, self._end_token)),
            lengths=lengths + tf.cast(tf.logical_not(finished), tf.int64),
            accumulated_attention_probs=(
                () if attended is None else self._of_parents(attended, parents)
            ),
        )
        return BeamSearchDecoderOutput(best, ids, parents), new

    def _scores(self, log_probs: Any, lengths: Any, finished: Any, attended: Any) -> Any:
        weight = tf.convert_to_tensor(self._length_weight, name="penalty_factor")
        if tf.get_static_value(weight) != 0:
            penalty = (5.0 + tf.cast(lengths, tf.float32)) ** weight / (5.0 + 1.0) ** weight
            log_probs = log_probs / tf.cast(penalty, log_probs.dtype)
        weight = tf.convert_to_tensor(self._coverage_weight, name="coverage_penalty_weight")
        if weight.shape.ndims != 0:
            raise ValueError(
                f"coverage_penalty_weight should be a scalar, but saw shape: {weight.shape}"
            )
        if tf.get_static_value(weight) == 0.0:
            return log_probs
        seen = tf.where(tf.equal(attended, 0.0), tf.ones_like(attended), attended)
        coverage = tf.reduce_sum(tf.log(tf.minimum(seen, 1.0)), 2)
        coverage *= tf.cast(finished, tf.float32)
        return log_probs + tf.expand_dims(coverage * weight, 2)

    def _in_order(self, array: Any, parents: Any, lengths: Any) -> Any:
        """Returns a TensorArray of the state stacked, each beam with its own past."""
        if not isinstance(array, tf.TensorArray) or not self._can_be_split(array.element_shape):
            return array
        values = array.stack()
        shape, size = tf.shape(values), [tf.shape(parents)[0], self._batch_size, self._beam_width]
        beams = tf.tile(tf.reshape(tf.range(self._beam_width), [1, 1, -1]), [*size[:2], 1])
        longest = tf.cast(tf.reduce_max(lengths, axis=1), tf.int32)
        # No beam has this number, so that none of them ends early.
        order = gather_tree(beams, parents, longest, self._beam_width + 1)
        inside = tf.transpose(tf.sequence_mask(lengths, size[0]), [2, 0, 1])
        order = tf.where(inside, order, beams)
        split = tf.reshape(values, tf.stack([*size, -1]))
        return tf.reshape(tf.gather(split, order, batch_dims=2), shape)

    def _can_be_split(self, shape: Any) -> bool:
        """Returns whether elements of a shape may be [batch_size, beam_width, ...], flat or not.

        Elements whose second dimension is known to be another are taken for something else, even
        where the first is batch_size * beam_width, as in TensorFlow 1.15.
        """
        if not shape.ndims:
            return False
        rows, columns = (*shape.as_list()[:2], None)[:2]
        if self._static_size is None or rows is None:
            return True
        if columns is not None:
            return bool([rows, columns] == [self._static_size, self._beam_width])
        return bool(rows == self._static_size * self._beam_width)


def _rank(tensor: Any) -> int:
    if (rank := tensor.shape.ndims) is None:
        raise ValueError(f"Expected tensor ({tensor}) to have known rank, but ndims == None.")
    return int(rank)


def _is_unsplit(part: Any) -> bool:
    return isinstance(part, tf.TensorArray) or _rank(part) < 2


def _only_end(log_probs: Any, end_token: Any, finished: Any) -> Any:
    """Returns log probabilities by which finished beams end again, and do nothing else."""
    words = tf.shape(log_probs)[2]
    row = tf.one_hot(
        end_token,
        words,
        tf.constant(0.0, log_probs.dtype),
        tf.constant(log_probs.dtype.min, log_probs.dtype),
        dtype=log_probs.dtype,
    )
    rows = tf.tile(tf.reshape(row, [1, 1, -1]), tf.concat([tf.shape(finished), [1]], 0))
    return tf.where(tf.tile(tf.expand_dims(finished, 2), [1, 1, words]), rows, log_probs)


def _attention_probabilities(cell_state: Any, weight: float) -> Any:
    """Returns the alignments, averaged, [batch_size, beam_width, time]; None where not needed.

    Raises:
        ValueError: there is a weight, and no attention.
    """
    if weight == 0.0:
        return None
    states = [cell_state] if isinstance(cell_state, AttentionWrapperState) else cell_state
    probabilities = [
        tf.add_n(list(state.alignments)) / len(state.alignments)
        if isinstance(state.alignments, tuple)
        else state.alignments
        for state in (states if isinstance(states, (list, tuple)) else ())
        if isinstance(state, AttentionWrapperState)
    ]
    if not probabilities:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    return (
        probabilities[0]
        if len(probabilities) == 1
        else tf.add_n(probabilities) / len(probabilities)
    )
