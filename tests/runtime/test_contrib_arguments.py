"""What the runtime's packages of tf.contrib refuse, and how they call SciPy."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import (
    data,
    image,
    legacy_seq2seq,
    lookup,
    metrics,
    mixed_precision,
    opt,
    rnn,
    seq2seq,
)

CELL = rnn.BasicRNNCell(2)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: data.sliding_window_batch(2, 1, 1), ValueError, "both"),
        (lambda: data.reduce_dataset([1], None), TypeError, "Dataset"),
        (lambda: image.rotate(tf.zeros([3]), 1.0), TypeError, "rank"),
        (lambda: image.transform(tf.zeros([2, 2]), tf.zeros([1, 1, 8])), TypeError, "rank"),
        (lambda: lookup.index_table_from_tensor(None), ValueError, "mapping"),
        (lambda: lookup.string_to_index_table_from_tensor([1]), ValueError, "string"),
        (lambda: metrics.no_such_metric, AttributeError, "no_such_metric"),
        (lambda: mixed_precision.FixedLossScaleManager(0.5), ValueError, "at least 1"),
        (lambda: opt.LARSOptimizer(0.1, momentum=-1.0), ValueError, "positive"),
        (lambda: rnn.AttentionCellWrapper(CELL, 0), ValueError, "greater than zero"),
        (lambda: rnn.HighwayWrapper(3), TypeError, "not an RNNCell"),
        (lambda: rnn.GRUBlockCell(), ValueError, "Exactly one"),
        (lambda: rnn.stack_bidirectional_rnn([CELL], [], []), ValueError, "bw cell"),
        (lambda: rnn.CoupledInputForgetGateLSTMCell(2, num_unit_shards=2), ValueError, "shards"),
        (lambda: seq2seq.dynamic_decode(CELL), TypeError, "Decoder"),
        (lambda: seq2seq.BasicDecoder(CELL, CELL, None), TypeError, "Helper"),
        (lambda: seq2seq.AttentionWrapper(CELL, CELL), TypeError, "AttentionMechanism"),
        (lambda: seq2seq.GreedyEmbeddingHelper(lambda x: x, 1, 2), ValueError, "vector"),
        (lambda: seq2seq.monotonic_attention([[0.5]], [[1.0]], "soft"), ValueError, "mode"),
        (lambda: seq2seq.tile_batch(tf.constant(1), 2), ValueError, "rank"),
        (
            lambda: seq2seq.sequence_loss(
                tf.zeros([1, 2, 3]),
                tf.zeros([1, 2], tf.int32),
                tf.zeros([1, 2]),
                sum_over_batch=True,
            ),
            ValueError,
            "average_across_batch",
        ),
        (lambda: legacy_seq2seq.sequence_loss_by_example([1], [], []), ValueError, "same"),
        (lambda: legacy_seq2seq.attention_decoder([], None, None, CELL), ValueError, "input"),
    ],
)
def test_what_makes_no_sense_is_refused(
    call: Callable[[], Any], error: type[Exception], words: str
) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=words):
        call()


class _Found(dict):  # type: ignore[type-arg]
    """What scipy.optimize.minimize returns: a dictionary whose items are attributes too."""

    __getattr__ = dict.__getitem__


def test_scipy_is_given_the_loss_and_its_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: dict[str, Any] = {}

    def minimize(function: Any, start: Any, **kwargs: Any) -> _Found:
        calls.update(kwargs, at_start=function(start))
        (constraint,) = kwargs["constraints"]
        calls["constraint"] = constraint["fun"](start)
        return _Found(x=np.array([0.25, -1.0], np.float32), message="found", fun=0.0)

    module: Any = types.ModuleType("scipy.optimize")
    module.minimize = minimize
    monkeypatch.setitem(sys.modules, "scipy", types.ModuleType("scipy"))
    monkeypatch.setitem(sys.modules, "scipy.optimize", module)
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.get_variable("weights", initializer=np.array([1.0, 2.0], np.float32))
        optimizer = opt.ScipyOptimizerInterface(
            tf.reduce_sum(tf.square(weights)),
            inequalities=[weights[0]],
            method="SLSQP",
            options={"maxiter": 3},
        )
        session.run(tf.global_variables_initializer())
        optimizer.minimize(session)
        assert session.run(weights).tolist() == [0.25, -1.0]
    loss, gradient = calls["at_start"]
    assert (loss, gradient.tolist(), gradient.dtype) == (5.0, [2.0, 4.0], np.float64)
    assert calls["constraint"] == 1.0
    assert (calls["method"], calls["options"], calls["jac"]) == ("SLSQP", {"maxiter": 3}, True)


def test_scipy_is_not_given_what_the_interface_sets() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.get_variable("weights", initializer=np.float32(1.0))
        optimizer = opt.ScipyOptimizerInterface(tf.square(weights), bounds=[(0, 1)])
        session.run(tf.global_variables_initializer())
        with pytest.raises(ValueError, match="var_to_bounds"):
            optimizer.minimize(session)
