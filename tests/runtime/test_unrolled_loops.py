"""Fused steps whose loops are written out are the same steps."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from long_tail import one_in
from runtime_support import batches, config, variables

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import fused_steps, training_loop
from tfmigrate_runtime.estimator.copied_steps import unrolled_loops

STEPS = 25
WORDS = 11
ROWS = np.random.RandomState(3)
SERIES = ROWS.normal(size=(32, 5, 3)).astype(np.float32)
SENTENCES = ROWS.randint(0, WORDS, size=(32, 5)).astype(np.int64)
LENGTHS = ROWS.randint(1, 6, size=32).astype(np.int64)
LABELS = SERIES[:, 0].sum(1, keepdims=True)
FEATURES = {"series": SERIES, "sentences": SENTENCES, "lengths": LENGTHS}

Features = dict[str, Any]


def start(seed: int) -> Any:
    """Returns an initializer that gives the same numbers in every graph."""

    def values(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return tf.constant(np.random.RandomState(seed).uniform(-0.5, 0.5, shape), dtype)

    return values


def lstm(units: int = 4, seed: int = 1) -> Any:
    return tf.nn.rnn_cell.LSTMCell(units, initializer=start(seed))


def last_output(features: Features) -> Any:
    outputs, _ = tf.nn.dynamic_rnn(lstm(), features["series"], dtype=tf.float32)
    return outputs[:, -1]


def mean_output(features: Features) -> Any:
    cells = tf.nn.rnn_cell.MultiRNNCell([lstm(seed=1), lstm(seed=2)])
    outputs, _ = tf.nn.dynamic_rnn(cells, features["series"], dtype=tf.float32)
    return tf.reduce_mean(outputs, axis=1)


def third_output_of_time_major(features: Features) -> Any:
    series = tf.transpose(features["series"], [1, 0, 2])
    outputs, _ = tf.nn.dynamic_rnn(lstm(), series, dtype=tf.float32, time_major=True)
    return outputs[2]


def state_of_words(features: Features) -> Any:
    """Its input has a gradient."""
    table = tf.get_variable("words", [WORDS, 3], initializer=start(5))
    words = tf.nn.embedding_lookup(table, features["sentences"])
    cell = tf.nn.rnn_cell.GRUCell(4, kernel_initializer=start(1))
    return tf.nn.dynamic_rnn(cell, words, dtype=tf.float32)[1]


def both_directions(features: Features) -> Any:
    cells = lstm(seed=1), lstm(seed=2)
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(*cells, features["series"], dtype=tf.float32)
    return tf.concat(outputs, axis=2)[:, -1]


def powers(features: Features) -> Any:
    """A loop in a loop, the inner one of a known number of iterations."""

    def outer(i: Any, x: Any) -> Any:
        inner = tf.while_loop(lambda j, _: j < 2, lambda j, y: (j + 1, y * 0.9), [0, x])
        return i + 1, inner[1] + 0.1

    return tf.while_loop(lambda i, _: i < 3, outer, [0, features["series"][:, 0]])[1]


def growing_array(features: Features) -> Any:
    """Nobody knows the length of the array from how it was made."""
    x = features["series"]

    def body(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, x[:, i] * 0.5)

    array = tf.TensorArray(tf.float32, 1, dynamic_size=True, element_shape=[None, 3])
    array = tf.while_loop(lambda i, _: i < 4, body, [0, array])[1]
    return tf.reshape(tf.transpose(array.stack(), [1, 0, 2]), [-1, 12])


def no_iteration(features: Features) -> Any:
    x = features["series"][:, 0]
    return tf.while_loop(lambda i, _: i < 0, lambda i, y: (i + 1, y * 2), [0, x])[1]


def given_lengths(features: Features) -> Any:
    """The longest of the batch decides the number of iterations."""
    lengths = features["lengths"]
    outputs, state = tf.nn.dynamic_rnn(
        lstm(), features["series"], sequence_length=lengths, dtype=tf.float32
    )
    return state.h + 0 * outputs[:, 0]


def until_large(features: Features) -> Any:
    """Values decide the number of iterations."""
    x = features["series"][:, 0]
    return tf.while_loop(lambda y: tf.reduce_sum(y**2) < 50, lambda y: [y * 1.5], [x])


def counts(features: Features) -> Any:
    """The body of the loop writes to a variable."""
    total = tf.get_variable("total", [], initializer=tf.zeros_initializer(), trainable=False)

    def body(i: Any, y: Any) -> Any:
        with tf.control_dependencies([total.assign_add(1.0)]):
            return i + 1, y * 0.9

    return tf.while_loop(lambda i, _: i < 3, body, [0, features["series"][:, 0]])[1]


UNROLLED = [
    last_output,
    mean_output,
    third_output_of_time_major,
    state_of_words,
    both_directions,
    powers,
    growing_array,
    no_iteration,
]
KEPT = [given_lengths, until_large, counts]


def model(network: Callable[[Features], Any]) -> Callable[..., Any]:
    def model_fn(features: Features, labels: Any, mode: str) -> Any:
        hidden = network(features)
        kernel = tf.get_variable("kernel", [hidden.shape[-1], 1], initializer=start(9))
        loss = tf.losses.mean_squared_error(labels, tf.matmul(hidden, kernel))
        train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    return model_fn


def train(network: Callable[[Features], Any], folder: Path, fused: bool, replicas: int = 1) -> Any:
    trained = estimator.Estimator(model(network), folder, config(replicas, fused_steps=fused))
    # The last batch is smaller: nobody knows how many rows one has.
    trained.train(batches(FEATURES, LABELS, 6), steps=STEPS)
    return dict(variables(trained))


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[Counter[str]]:
    """Unrolls in short trainings, too; returns the types of operations of each copy of a step."""
    types: list[Counter[str]] = []

    class Noted(fused_steps._StepCopy):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            types.append(Counter(node.op for node in self._definition.node))

    monkeypatch.setattr(fused_steps, "_StepCopy", Noted)
    monkeypatch.setattr(unrolled_loops, "FEWEST_STEPS", 0)
    return types


def loops(types: Counter[str]) -> int:
    return types["While"] + types["StatelessWhile"]


@pytest.mark.parametrize(("network", "replicas"), one_in(3, itertools.product(UNROLLED, [1, 2])))
def test_steps_without_loops_are_the_same(
    network: Callable[[Features], Any], replicas: int, tmp_path: Path, copies: list[Counter[str]]
) -> None:
    fused = train(network, tmp_path / "fused", True, replicas)
    assert loops(copies[0]) == 0
    if network is not growing_array:
        lists = {name for name in copies[0] if name.startswith("TensorList")}
        assert lists <= {"TensorListFromTensor", "TensorListGetItem"}, "items of a tensor"
    for name, value in train(network, tmp_path / "single", False, replicas).items():
        # TensorFlow adds up the gradients of the iterations in a different order.
        np.testing.assert_allclose(fused[name], value, rtol=0, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("network", KEPT)
def test_loops_of_an_unknown_number_of_iterations_stay(
    network: Callable[[Features], Any], tmp_path: Path, copies: list[Counter[str]]
) -> None:
    fused = train(network, tmp_path / "fused", True)
    assert loops(copies[0]) >= 1
    for name, value in train(network, tmp_path / "single", False).items():
        np.testing.assert_allclose(fused[name], value, rtol=0, atol=1e-6, err_msg=name)


def test_nothing_is_swapped_for_the_last_output(tmp_path: Path, copies: list[Counter[str]]) -> None:
    train(last_output, tmp_path, True)
    assert copies[0]["Transpose"] == copies[0]["TensorListGetItem"] == 0
    assert copies[0]["StridedSliceGrad"] == 0


def test_large_graphs_keep_their_loops(
    tmp_path: Path, copies: list[Counter[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unrolled_loops, "MOST_NODES", 300)
    train(last_output, tmp_path, True)
    assert loops(copies[0]) == 2


def test_short_trainings_keep_their_loops(
    tmp_path: Path, copies: list[Counter[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unrolled_loops, "FEWEST_STEPS", STEPS + 1)
    train(last_output, tmp_path, True)
    assert loops(copies[0]) == 2


def test_dropout_is_drawn_in_each_iteration(tmp_path: Path, copies: list[Counter[str]]) -> None:
    def dropout(features: Features) -> Any:
        cell = tf.nn.rnn_cell.DropoutWrapper(lstm(), output_keep_prob=0.5)
        return tf.nn.dynamic_rnn(cell, features["series"], dtype=tf.float32)[0][:, -1]

    train(dropout, tmp_path, True)
    assert loops(copies[0]) == 0
    assert copies[0]["RandomUniform"] >= 1


def test_which_steps_are_copies_does_not_depend_on_the_clock(
    tmp_path: Path, copies: list[Counter[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    run = fused_steps.FusedSteps.run

    def noted(self: Any, session: Any, steps: int) -> tuple[Any, int]:
        made.append(steps)
        return run(self, session, steps)

    monkeypatch.setattr(fused_steps.FusedSteps, "run", noted)
    monkeypatch.setattr(training_loop, "_SECONDS_PER_CALL", 0)  # as on a machine that is slow
    train(last_output, tmp_path, True)
    # The first two steps and the last one are those that hooks see.
    assert made == [10, 10, 2]
