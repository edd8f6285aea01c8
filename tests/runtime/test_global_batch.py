"""semantics.md, 1.1 to 1.8: how a batch is split, and how losses and gradients are scaled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import (
    FLOAT32,
    MODES,
    ROWS,
    W0,
    WIDTH,
    X,
    Y,
    batches,
    config,
    linear_model,
    train,
    two_cpus,
    variables,
    weights,
)

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator.global_batch import split_batch

Reduction = tf.losses.Reduction
RATE = 0.1


def gradient(rows: slice, w: Any = W0) -> Any:
    """Returns the gradient of the mean squared error of some rows."""
    x, y = X[rows], Y[rows]
    return 2 * x.T @ (x @ w - y) / len(x)


def mean_squared_error(rows: slice = slice(None), w: Any = W0) -> float:
    return float(np.mean((X[rows] @ w - Y[rows]) ** 2))


def squared_error_by_hand(labels: Any, output: Any) -> Any:
    return tf.reduce_sum(tf.square(output - labels))


def test_one_part_is_the_batch_itself() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        (part,) = split_batch({"x": tf.constant(X)}, 1)
        np.testing.assert_array_equal(session.run(part["x"]), X)


def test_split_keeps_order_and_structure() -> None:
    sparse = tf.SparseTensorValue([[0, 1], [2, 0], [3, 1]], [5, 6, 7], [4, 2])
    with tf.Graph().as_default(), tf.Session() as session:
        batch = {
            "x": tf.constant(X[:4]),
            "nested": {"a": (tf.range(4), [tf.range(4, 8)])},
            "sparse": tf.SparseTensor.from_value(sparse),
            "none": None,
        }
        first, second = split_batch(batch, 2)
        assert first.pop("none") is None
        assert second.pop("none") is None
        first, second = session.run([first, second])
    np.testing.assert_array_equal(first["x"], X[:2])
    np.testing.assert_array_equal(second["x"], X[2:4])
    assert second["nested"]["a"][0].tolist() == [2, 3]
    assert second["nested"]["a"][1][0].tolist() == [6, 7]
    assert (first["sparse"].indices.tolist(), first["sparse"].values.tolist()) == ([[0, 1]], [5])
    assert second["sparse"].indices.tolist() == [[0, 0], [1, 1]]
    assert second["sparse"].dense_shape.tolist() == [2, 2]


def test_a_known_size_that_does_not_divide_is_refused() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"Batch size 7 .* replicas, which is 2"):
            split_batch(tf.zeros([7, 2]), 2)
        with pytest.raises(ValueError, match="is a scalar"):
            split_batch(tf.constant(1.0), 2)


def test_an_unknown_size_is_checked_when_it_is_there(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.placeholder(tf.float32, [None, 2])
        anything = tf.placeholder(tf.float32)
        parts = split_batch([rows, anything], 2)
        six = session.run(parts, {rows: np.ones([6, 2]), anything: np.ones([4])})
        assert six[1][0].shape == (3, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="split evenly over 2 replicas"):
            session.run(parts, {rows: np.ones([6, 2]), anything: np.ones([3])})


def test_a_partial_last_batch_works_if_it_divides(tmp_path: Path) -> None:
    trained, losses = train(linear_model(), tmp_path, steps=9, input_fn=batches(size=6, epochs=1))
    assert trained.get_variable_value("global_step") == 2  # 6 rows and 2
    assert len(losses) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="drop_remainder"):
        trained.train(batches(size=5, epochs=1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="drop_remainder"):
        trained.evaluate(batches(size=6, features={"x": X[:7]}, labels=Y[:7], epochs=1))


@pytest.mark.parametrize(
    ("loss", "reduction", "factor"),
    [
        (tf.losses.mean_squared_error, None, 1),
        (tf.losses.mean_squared_error, Reduction.MEAN, 1),
        (tf.losses.mean_squared_error, Reduction.SUM, 2),
        (squared_error_by_hand, None, ROWS / 2),
        (squared_error_by_hand, Reduction.SUM_OVER_BATCH_SIZE, ROWS / 2),
        (squared_error_by_hand, Reduction.SUM, ROWS),
    ],
)
def test_loss_and_gradient_by_reduction(
    tmp_path: Path, loss: Any, reduction: Any, factor: float
) -> None:
    """The table of semantics.md, 1.5, as multiples of the mean over all rows."""
    trained, losses = train(linear_model(loss), tmp_path, config(loss_reduction=reduction), steps=1)
    assert losses[0] == pytest.approx(factor * mean_squared_error(), rel=FLOAT32)
    expected = W0 - RATE * factor * gradient(slice(None))
    np.testing.assert_allclose(trained.get_variable_value("w"), expected, rtol=1e-5)
    assert trained.get_variable_value("global_step") == 1
    evaluated = trained.evaluate(batches(epochs=1))
    assert evaluated["loss"] == pytest.approx(factor * mean_squared_error(w=expected), rel=1e-5)


def test_the_last_loss_call_does_not_decide_under_a_global_batch(tmp_path: Path) -> None:
    def mean_then_sum(labels: Any, output: Any) -> Any:
        mean = tf.losses.mean_squared_error(labels, output)
        tf.losses.mean_squared_error(labels, output, reduction=Reduction.SUM)
        return mean

    trained, losses = train(linear_model(mean_then_sum), tmp_path, steps=1)
    assert losses[0] == pytest.approx(mean_squared_error(), rel=FLOAT32)
    expected = W0 - RATE * gradient(slice(None))
    np.testing.assert_allclose(trained.get_variable_value("w"), expected, rtol=1e-5)


def test_gradients_by_hand_are_not_scaled(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        w = weights()
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], w))
        optimizer = tf.train.GradientDescentOptimizer(RATE)
        pairs = list(zip(tf.gradients(loss, [w]), [w], strict=True))
        train_op = optimizer.apply_gradients(pairs, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    trained, losses = train(model_fn, tmp_path, steps=1)
    assert losses[0] == pytest.approx(mean_squared_error(), rel=FLOAT32)
    expected = W0 - RATE * 2 * gradient(slice(None))
    np.testing.assert_allclose(trained.get_variable_value("w"), expected, rtol=1e-5)


def test_weighted_losses_are_averaged_by_replica(tmp_path: Path) -> None:
    importance = np.array([[1], [1], [1], [1], [0], [0], [1], [0]], np.float32)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        output = tf.matmul(features["x"], weights())
        loss = tf.losses.mean_squared_error(labels, output, features["importance"])
        train_op = tf.train.GradientDescentOptimizer(RATE).minimize(
            loss, tf.train.get_global_step()
        )
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    _, losses = train(
        model_fn, tmp_path, steps=1, input_fn=batches({"x": X, "importance": importance}, Y)
    )
    by_replica = (mean_squared_error(slice(0, 4)) + mean_squared_error(slice(6, 7))) / 2
    assert losses[0] == pytest.approx(by_replica, rel=FLOAT32)


@pytest.mark.parametrize(
    "optimizer",
    [
        lambda: tf.train.GradientDescentOptimizer(RATE),
        lambda: tf.train.MomentumOptimizer(RATE, 0.9),
        lambda: tf.train.AdamOptimizer(RATE),
        lambda: tf.train.AdagradOptimizer(RATE),
    ],
    ids=["sgd", "momentum", "adam", "adagrad"],
)
def test_an_embedding_equals_one_device(tmp_path: Path, optimizer: Any) -> None:
    """Rows 1 and 2 are looked up on both replicas, row 1 twice on the first; row 5 never."""
    rows = np.array([1, 1, 2, 0, 2, 3, 1, 4])

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        table = weights(np.linspace(-1, 1, 6, dtype=np.float32)[:, None], "table")
        output = tf.nn.embedding_lookup(table, features["row"]) * features["x"][:, :1]
        loss = tf.losses.mean_squared_error(labels, output)
        gradients = (made := optimizer()).compute_gradients(loss)
        assert isinstance(gradients[0][0], tf.IndexedSlices)
        train_op = made.apply_gradients(gradients, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    input_fn = batches({"x": X, "row": rows}, Y)
    two, losses = train(model_fn, tmp_path / "2", steps=4, input_fn=input_fn)
    one, alone = train(model_fn, tmp_path / "1", config(1), steps=4, input_fn=input_fn)
    np.testing.assert_allclose(losses, alone, rtol=FLOAT32)
    assert variables(two).keys() == variables(one).keys()
    for name, value in variables(one).items():
        # Four float32 updates; Adam's divides by small numbers.
        np.testing.assert_allclose(variables(two)[name], value, rtol=1e-5, atol=1e-6)
    assert two.get_variable_value("table")[5] == 1


def test_replicas_may_look_up_different_numbers_of_rows(tmp_path: Path) -> None:
    """Ragged lookups: the replicas' sparse gradients differ in length."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        table = weights(np.linspace(-1, 1, 6, dtype=np.float32)[:, None], "table")
        rows = tf.boolean_mask(features["row"], features["row"] >= 0)
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, rows)))
        train_op = tf.train.AdagradOptimizer(RATE).minimize(loss, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    rows = np.array([0, 1, 2, 3, -1, -1, -1, 3])
    input_fn = batches({"row": rows}, Y)
    summed = config(loss_reduction=Reduction.SUM)
    two, losses = train(model_fn, tmp_path / "2", summed, steps=3, input_fn=input_fn)
    one, alone = train(model_fn, tmp_path / "1", config(1), steps=3, input_fn=input_fn)
    np.testing.assert_allclose(losses, alone, rtol=FLOAT32)
    np.testing.assert_allclose(
        two.get_variable_value("table"), one.get_variable_value("table"), rtol=FLOAT32
    )


def test_clipping_is_by_replica(tmp_path: Path) -> None:
    """Each replica clips its gradient of l / 2, before the sum (semantics.md, 1.8)."""
    norm = 0.3

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weights()))
        optimizer = tf.train.GradientDescentOptimizer(RATE)
        gradients, found = zip(*optimizer.compute_gradients(loss), strict=True)
        clipped, _ = tf.clip_by_global_norm(gradients, norm)
        train_op = optimizer.apply_gradients(
            list(zip(clipped, found, strict=True)), tf.train.get_global_step()
        )
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    trained, _ = train(model_fn, tmp_path, steps=1)
    parts = [gradient(slice(0, 4)) / 2, gradient(slice(4, 8)) / 2]
    assert all(np.linalg.norm(part) > norm for part in parts)  # else nothing is clipped
    expected = W0 - RATE * sum(part * norm / np.linalg.norm(part) for part in parts)
    np.testing.assert_allclose(trained.get_variable_value("w"), expected, rtol=1e-5)


def test_one_replica_neither_splits_nor_scales(tmp_path: Path) -> None:
    """An odd batch, and a sum: semantics.md, 1.17."""
    one = tf.distribute.MirroredStrategy(["/device:CPU:0"])
    for number, strategy in enumerate((None, one)):
        run_config = config(1, train_distribute=strategy, eval_distribute=strategy)
        trained, losses = train(
            linear_model(squared_error_by_hand),
            tmp_path / str(number),
            run_config,
            steps=1,
            input_fn=batches(size=7),
        )
        assert losses[0] == pytest.approx(7 * mean_squared_error(slice(0, 7)), rel=FLOAT32)
        updated = trained.get_variable_value("w")
        expected = 7 * mean_squared_error(slice(0, 7), updated)
        evaluated = trained.evaluate(batches(size=7), steps=1)
        assert evaluated["loss"] == pytest.approx(expected, rel=1e-5)


class TestBatchPerReplica:
    """Without global_batch: what train_distribute meant in tf.estimator."""

    def own(self, **fields: Any) -> Any:
        return config(global_batch=False, **fields)

    def test_consecutive_batches_go_to_consecutive_replicas(self, tmp_path: Path) -> None:
        trained, losses = train(
            linear_model(), tmp_path, self.own(), steps=1, input_fn=batches(size=4, epochs=1)
        )
        assert losses[0] == pytest.approx(mean_squared_error(), rel=FLOAT32)
        expected = W0 - RATE * (gradient(slice(0, 4)) + gradient(slice(4, 8))) / 2
        np.testing.assert_allclose(trained.get_variable_value("w"), expected, rtol=1e-5)
        trained.train(batches(size=4, epochs=1))  # 8 rows: one more step
        assert trained.get_variable_value("global_step") == 2

    def test_the_last_loss_call_decides(self, tmp_path: Path) -> None:
        def summed(labels: Any, output: Any) -> Any:
            return tf.losses.mean_squared_error(labels, output, reduction=Reduction.SUM)

        trained, losses = train(
            linear_model(summed), tmp_path, self.own(), steps=1, input_fn=batches(size=4)
        )
        assert losses[0] == pytest.approx(ROWS * mean_squared_error(), rel=FLOAT32)
        expected = W0 - RATE * ROWS * gradient(slice(None))
        np.testing.assert_allclose(trained.get_variable_value("w"), expected, rtol=1e-5)

    def test_tensors_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"splits the tensors of one batch"):
            train(
                linear_model(),
                tmp_path,
                self.own(),
                input_fn=lambda: ({"x": tf.constant(X)}, tf.constant(Y)),
            )


def test_mode_keys_are_those_of_tf_estimator() -> None:
    assert (MODES.TRAIN, MODES.EVAL, MODES.PREDICT) == ("train", "eval", "infer")
    assert two_cpus().num_replicas_in_sync == 2
    assert X.shape == (ROWS, WIDTH)
