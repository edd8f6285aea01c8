"""Everything an input function may return, and what it is called with."""

from __future__ import annotations

import functools
import logging
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, X, Y, batches, config, linear_model, train

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator.inputs import numpy_input_fn

Pair = namedtuple("Pair", ["first", "second"])


def rows() -> Any:
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(8)


def one_shot() -> Any:
    return tf.data.make_one_shot_iterator(rows()).get_next()


def constants() -> Any:
    return {"x": tf.constant(X)}, tf.constant(Y)


def as_list() -> Any:
    return list(constants())


def as_named_tuple() -> Any:
    return Pair(*constants())


def queue() -> Any:
    x, y = tf.train.slice_input_producer([X, Y], num_epochs=5, shuffle=False)
    x, y = tf.train.batch([x, y], batch_size=8)
    return {"x": x}, y


def function() -> Any:
    """Returns what each replica calls, which has its own batch."""
    return lambda: constants()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("expected")
    return train(linear_model(), folder, config(1), input_fn=rows, steps=2)[1]


@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize(
    "input_fn",
    [rows, one_shot, constants, as_list, as_named_tuple, queue, function],
    ids=lambda function: str(function.__name__),
)
def test_every_kind_of_input_trains_the_same(
    tmp_path: Path, expected: Any, input_fn: Callable[[], Any], replicas: int
) -> None:
    _, losses = train(linear_model(), tmp_path, config(replicas), input_fn=input_fn, steps=2)
    np.testing.assert_allclose(losses, expected, rtol=FLOAT32)


def test_each_replica_calls_a_function_for_a_batch_of_its_own(
    tmp_path: Path, expected: Any
) -> None:
    halves = iter([slice(0, 4), slice(4, 8)])

    def half() -> Any:
        chosen = next(halves)
        return {"x": tf.constant(X[chosen])}, tf.constant(Y[chosen])

    own = config(2).replace(global_batch=False)
    _, losses = train(linear_model(), tmp_path, own, input_fn=lambda: half, steps=1)
    np.testing.assert_allclose(losses[0], expected[0], rtol=FLOAT32)


def test_three_values_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\(features, labels\) as a len 2 tuple, got 3"):
        train(linear_model(), tmp_path, input_fn=lambda: (*constants(), None))


def test_features_alone_have_no_labels(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        assert labels is None
        return linear_model()({"x": features["x"]}, features["y"], mode)

    _, losses = train(model_fn, tmp_path, input_fn=batches({"x": X, "y": Y}), steps=1)
    assert len(losses) == 1


def test_input_that_ends_ends_training(tmp_path: Path) -> None:
    for number, input_fn in enumerate((batches(epochs=3), queue)):
        trained, losses = train(
            linear_model(), tmp_path / str(number), input_fn=input_fn, steps=100
        )
        assert len(losses) == 5 - 2 * (number == 0)
        assert trained.get_variable_value("global_step") == len(losses)


def test_empty_input_is_warned_about(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        train(linear_model(), tmp_path, input_fn=batches(epochs=0))
    assert "made no steps. Perhaps input is empty" in caplog.text


def test_an_input_function_gets_what_it_takes(tmp_path: Path) -> None:
    calls: list[Any] = []

    def taking(scale: float, params: Any, mode: str, config: Any) -> Any:
        calls.append((scale, params, mode, config.model_dir))
        return constants()

    class Taking:
        def __call__(self, params: Any) -> Any:
            calls.append(params)
            return constants()

    made = estimator.Estimator(
        lambda features, labels, mode, params: linear_model()(features, labels, mode),
        tmp_path,
        config(1),
        params={"width": 3},
    )
    made.train(functools.partial(taking, 2.0), steps=1)
    made.evaluate(functools.partial(taking, 2.0, params="own"), steps=1)
    made.train(Taking(), steps=1)
    assert calls == [
        (2.0, {"width": 3}, "train", str(tmp_path)),
        (2.0, "own", "eval", str(tmp_path)),
        {"width": 3},
    ]


def fetched(input_fn: Callable[[], Any]) -> list[Any]:
    """Returns all batches of an input function that returns tensors."""
    with tf.Graph().as_default(), tf.Session() as session:
        batch = input_fn()
        found = []
        while True:
            try:
                found.append(session.run(batch))
            except tf.errors.OutOfRangeError:
                return found


class TestNumpyInputFunction:
    def test_wrong_arguments(self) -> None:
        with pytest.raises(ValueError, match="shuffle must be provided"):
            numpy_input_fn({"x": X}, Y)
        with pytest.raises(TypeError, match="dict or array"):
            numpy_input_fn([1, 2], shuffle=False)
        with pytest.raises(ValueError, match="cannot be an empty dict"):
            numpy_input_fn({}, shuffle=False)
        with pytest.raises(ValueError, match="use None instead"):
            numpy_input_fn(X, {}, shuffle=False)
        with pytest.raises(ValueError, match="mismatched"):
            numpy_input_fn({"x": X}, Y[:3], shuffle=False)

    def test_batches_run_across_epochs(self) -> None:
        numbers = np.arange(5)
        found = fetched(numpy_input_fn(numbers, batch_size=3, num_epochs=2, shuffle=False))
        assert [batch.tolist() for batch in found] == [[0, 1, 2], [3, 4, 0], [1, 2, 3], [4]]

    def test_shuffling_keeps_epochs_and_pairs(self) -> None:
        numbers = np.arange(50)
        input_fn = numpy_input_fn(
            {"x": numbers}, {"y": -numbers}, batch_size=50, num_epochs=2, shuffle=True
        )
        first, second = fetched(input_fn)
        assert sorted(first[0]["x"]) == sorted(second[0]["x"]) == numbers.tolist()
        assert first[0]["x"].tolist() != numbers.tolist()
        np.testing.assert_array_equal(first[1]["y"], -first[0]["x"])

    def test_it_feeds_replicas(self, tmp_path: Path, expected: Any) -> None:
        input_fn = numpy_input_fn({"x": X}, Y, batch_size=8, num_epochs=2, shuffle=False)
        _, losses = train(linear_model(), tmp_path, input_fn=input_fn, steps=9)
        np.testing.assert_allclose(losses, expected, rtol=FLOAT32)


def test_a_one_shot_iterator_of_a_dataset_of_another_graph(tmp_path: Path, expected: Any) -> None:
    with tf.Graph().as_default():
        outer = rows()

        def input_fn() -> Any:
            return tf.data.make_one_shot_iterator(outer).get_next()

        _, losses = train(linear_model(), tmp_path, config(1), input_fn=input_fn, steps=2)
        assert losses == expected
    with tf.Graph().as_default(), pytest.raises(ValueError, match="different from the graph"):
        tf.data.make_one_shot_iterator(outer)
