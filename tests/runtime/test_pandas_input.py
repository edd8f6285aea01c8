"""Input functions over pandas DataFrames."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator

pandas = pytest.importorskip("pandas")
pandas_input_fn = estimator.inputs.pandas_input_fn


def frame() -> Any:
    return pandas.DataFrame({"x": [1.0, 2.0, 3.0], "c": ["a", "b", "a"]}, index=[7, 8, 9])


def batches(input_fn: Any) -> list[Any]:
    found = []
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = input_fn()
        while True:
            try:
                found.append(session.run(tensors))
            except tf.errors.OutOfRangeError:
                return found


def test_refusals() -> None:
    with pytest.raises(TypeError, match="pandas DataFrame"):
        pandas_input_fn([1.0], shuffle=False)
    with pytest.raises(ValueError, match="shuffle must be provided"):
        pandas_input_fn(frame())
    with pytest.raises(ValueError, match="Cannot use name x for target column"):
        pandas_input_fn(frame(), frame()["x"], shuffle=False, target_column="x")
    with pytest.raises(ValueError, match="mismatched"):
        pandas_input_fn(frame(), pandas.Series([1, 2, 3]), shuffle=False)


def test_columns_are_features_and_the_index_is_none() -> None:
    labels = pandas.Series([0, 1, 0], index=[7, 8, 9])
    first, last = batches(pandas_input_fn(frame(), labels, batch_size=2, shuffle=False))
    assert set(first[0]) == {"x", "c"}
    assert first[0]["c"].tolist() == [b"a", b"b"]
    assert first[1].tolist() == [0, 1]
    assert last[0]["x"].tolist() == [3.0]


def test_a_frame_of_labels_gives_them_by_name() -> None:
    """Also by a name that the features have, which numpy_input_fn refuses."""
    (batch,) = batches(pandas_input_fn(frame(), frame()[["c"]], shuffle=False))
    assert set(batch[0]) == {"x", "c"}
    assert batch[1]["c"].tolist() == [b"a", b"b", b"a"]


def test_a_queue_of_no_given_size() -> None:
    input_fn = pandas_input_fn(frame(), shuffle=True, queue_capacity=None)
    with tf.Graph().as_default():
        features = input_fn()
        with tf.Session() as session:
            assert sorted(session.run(features)["x"]) == [1.0, 2.0, 3.0]
