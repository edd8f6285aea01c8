"""Members of decoders and helpers that subclasses in programs override and read."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import seq2seq


class Wide(seq2seq.BasicDecoder):
    def _rnn_output_size(self) -> Any:
        return tf.TensorShape([7])


class Later(seq2seq.ScheduledEmbeddingTrainingHelper):
    def read(self) -> tuple[Any, Any]:
        return self._embedding_fn(tf.constant([1])), self._sampling_probability


def test_sizes_and_lookups_of_subclasses() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.constant([[1.0], [2.0]])
        helper = Later(tf.zeros([1, 2, 1]), [2], table, 0.25)
        cell = tf.nn.rnn_cell.GRUCell(3)
        state = cell.zero_state(1, tf.float32)
        assert Wide(cell, helper, state).output_size.rnn_output == [7]
        assert seq2seq.BasicDecoder(cell, helper, state)._rnn_output_size() == 3
        row, probability = session.run(helper.read())
        assert (row.tolist(), probability) == ([[2.0]], pytest.approx(0.25))
