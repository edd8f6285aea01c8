"""semantics.md, 1.10 to 1.20: what replicas share, and what each has for itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import (
    FLOAT32,
    MODES,
    W0,
    X,
    Y,
    batches,
    config,
    linear_model,
    train,
    variables,
    weights,
)

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import replicas

HALVES = (slice(0, 4), slice(4, 8))
RATE = 0.1


def sgd(loss: Any) -> Any:
    return tf.train.GradientDescentOptimizer(RATE).minimize(loss, tf.train.get_global_step())


def train_spec(mode: str, loss: Any, train_op: Any = None, **fields: Any) -> Any:
    """Returns the spec of a model that is trained and evaluated."""
    if mode == MODES.TRAIN and train_op is None:
        train_op = sgd(loss)
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, **fields)


def error_of(rows: slice) -> float:
    return float(np.mean((X[rows] @ W0 - Y[rows]) ** 2))


class TestCollections:
    """semantics.md, 1.10."""

    def test_each_replica_sees_its_own_losses(self, tmp_path: Path) -> None:
        seen: list[int] = []

        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weights()))
            seen.append(len(tf.losses.get_losses()))
            return train_spec(mode, tf.losses.get_total_loss())

        _, losses = train(model_fn, tmp_path, steps=1)
        assert seen == [1, 1]
        assert losses[0] == pytest.approx(np.mean([error_of(h) for h in HALVES]), rel=FLOAT32)

    @pytest.mark.parametrize("kind", ["get_variable", "layers", "added"])
    def test_regularisation_counts_once(self, tmp_path: Path, kind: str) -> None:
        """Loss and gradient equal one device: an added loss, and both ways of registering one."""

        def penalty(w: Any) -> Any:
            return 0.5 * tf.reduce_sum(w * w)

        def output_of(x: Any) -> Any:
            if kind == "layers":
                start = tf.constant_initializer(W0)
                dense = tf.layers.Dense(1, kernel_initializer=start, kernel_regularizer=penalty)
                return (dense(x) + dense(x)) / 2  # a second call registers nothing more
            regularizer = penalty if kind == "get_variable" else None
            w = tf.get_variable("w", initializer=tf.constant(W0), regularizer=regularizer)
            if kind == "added":
                tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, penalty(w))
            return tf.matmul(x, w)

        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            error = tf.losses.mean_squared_error(labels, output_of(features["x"]))
            return train_spec(mode, error + tf.losses.get_regularization_loss())

        two, losses = train(model_fn, tmp_path / "2", steps=3)
        one, alone = train(model_fn, tmp_path / "1", config(1), steps=3)
        expected = np.mean([error_of(h) for h in HALVES]) + 0.5 * np.sum(W0 * W0)
        assert losses[0] == pytest.approx(expected, rel=FLOAT32)
        np.testing.assert_allclose(losses, alone, rtol=FLOAT32)
        for name, value in variables(one).items():
            np.testing.assert_allclose(variables(two)[name], value, rtol=1e-5, atol=1e-6)

    def test_moving_averages_move_as_often_as_towers_moved_them(self, tmp_path: Path) -> None:
        """semantics.md, 1.11: one update with momentum m^2 and the mean of both batches."""
        momentum = 0.9
        update_ops: list[list[str]] = []

        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            normal = tf.layers.batch_normalization(
                features["x"], momentum=momentum, training=mode == MODES.TRAIN, name="bn"
            )
            loss = tf.losses.mean_squared_error(labels, tf.matmul(normal, weights()))
            ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            update_ops.append([op.name for op in ops])
            with tf.control_dependencies(ops):
                return train_spec(mode, loss)

        def moved(run_config: Any, folder: str) -> Any:
            trained, _ = train(model_fn, tmp_path / folder, run_config, steps=1)
            return trained.get_variable_value("bn/moving_mean")

        means = np.mean([X[half].mean(axis=0) for half in HALVES], axis=0)
        np.testing.assert_allclose(moved(config(), "towers"), (1 - momentum**2) * means, rtol=1e-5)
        first, second = update_ops
        assert len(first) == len(second) == 2
        assert not set(first) & set(second)
        np.testing.assert_allclose(
            moved(config(1), "one"), (1 - momentum) * X.mean(axis=0), rtol=1e-5
        )
        own_batches = config(global_batch=False)
        expected = (1 - momentum) * X.mean(axis=0)  # batches of 8 rows each, both the same
        np.testing.assert_allclose(moved(own_batches, "estimator"), expected, rtol=1e-5)


def test_evaluation_equals_one_device(tmp_path: Path) -> None:
    """semantics.md, 1.12, with a metric of tf.metrics and one of Keras."""
    truth = (Y > 0).astype(np.int64)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        output = tf.sigmoid(tf.matmul(features["x"], weights()))
        loss = tf.losses.log_loss(labels, output)
        keras_mean = tf.keras.metrics.Mean()
        keras_mean.update_state(output)
        metrics = {
            "accuracy": tf.metrics.accuracy(labels, tf.cast(output > 0.5, tf.int64)),
            "auc": tf.metrics.auc(labels, output),
            "mean": tf.metrics.mean(output),
            "keras_mean": keras_mean,
        }
        return train_spec(mode, loss, eval_metric_ops=metrics)

    input_fn = batches({"x": X}, truth, epochs=2)
    one, _ = train(model_fn, tmp_path, config(1), input_fn=input_fn, steps=2)
    two = estimator.Estimator(model_fn, tmp_path, config())
    expected, found = one.evaluate(input_fn), two.evaluate(input_fn)
    assert set(found) == {"accuracy", "auc", "mean", "keras_mean", "loss", "global_step"}
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=FLOAT32)
    assert found["keras_mean"] == pytest.approx(found["mean"], rel=FLOAT32)
    summed = estimator.Estimator(model_fn, tmp_path, config(loss_reduction=tf.losses.Reduction.SUM))
    assert summed.evaluate(input_fn)["loss"] == pytest.approx(2 * expected["loss"], rel=FLOAT32)
    assert two.evaluate(input_fn, steps=1)["accuracy"] == expected["accuracy"]


def test_predictions_keep_their_order(tmp_path: Path) -> None:
    trained, _ = train(linear_model(), tmp_path, steps=1)
    expected = X @ trained.get_variable_value("w")
    rows = list(trained.predict(batches(size=3, epochs=1)))
    np.testing.assert_allclose([row["y"] for row in rows], expected, rtol=1e-5)
    whole = list(trained.predict(batches(size=3, epochs=1), yield_single_examples=False))
    assert [len(batch["y"]) for batch in whole] == [3, 3, 2]


def test_names_in_checkpoints_are_those_of_one_device(tmp_path: Path) -> None:
    """semantics.md, 1.14: slots too, and nothing of replicas."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        hidden = tf.layers.dense(features["x"], 2, name="d1")
        with tf.variable_scope("top"):
            output = tf.layers.dense(hidden, 1)
        loss = tf.losses.mean_squared_error(labels, output)
        step = tf.train.get_global_step()
        first = tf.train.AdamOptimizer(0.01).minimize(
            loss, step, var_list=tf.trainable_variables("d1")
        )
        second = tf.train.MomentumOptimizer(0.01, 0.9).minimize(
            loss, var_list=tf.trainable_variables("top")
        )
        return train_spec(mode, loss, tf.group(first, second))

    trained, _ = train(model_fn, tmp_path, steps=2)
    assert set(trained.get_variable_names()) == {
        "beta1_power",
        "beta2_power",
        "d1/bias",
        "d1/bias/Adam",
        "d1/bias/Adam_1",
        "d1/kernel",
        "d1/kernel/Adam",
        "d1/kernel/Adam_1",
        "global_step",
        "top/dense/bias",
        "top/dense/bias/Momentum",
        "top/dense/kernel",
        "top/dense/kernel/Momentum",
    }
    assert trained.get_variable_value("global_step") == 2  # 1.18: only one was given the step


def test_a_raw_variable_is_one_variable(tmp_path: Path) -> None:
    """semantics.md, 1.15."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        w = tf.Variable(W0, name="W")
        return train_spec(mode, tf.losses.mean_squared_error(labels, tf.matmul(features["x"], w)))

    trained, _ = train(model_fn, tmp_path, steps=2)
    expected, _ = train(linear_model(), tmp_path / "expected", steps=2)
    assert trained.get_variable_names() == ["W", "global_step"]
    np.testing.assert_allclose(
        trained.get_variable_value("W"), expected.get_variable_value("w"), rtol=FLOAT32
    )


@pytest.mark.parametrize("kind", ["tf.layers", "keras"])
def test_unnamed_layers_are_shared(tmp_path: Path, kind: str) -> None:
    """semantics.md, 1.16 and 1.20: two layers, trained as on one device."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        start = tf.constant_initializer(0.5)
        layers = tf.layers if kind == "tf.layers" else tf.keras.layers
        hidden = layers.Dense(2, tf.nn.relu, kernel_initializer=start)(features["x"])
        output = layers.Dense(1, kernel_initializer=start)(hidden)
        return train_spec(mode, tf.losses.mean_squared_error(labels, output))

    two, losses = train(model_fn, tmp_path / "2", steps=3)
    one, alone = train(model_fn, tmp_path / "1", config(1), steps=3)
    np.testing.assert_allclose(losses, alone, rtol=FLOAT32)
    assert two.get_variable_names() == [
        "dense/bias",
        "dense/kernel",
        "dense_1/bias",
        "dense_1/kernel",
        "global_step",
    ]
    for name, value in variables(one).items():
        np.testing.assert_allclose(variables(two)[name], value, rtol=1e-5, atol=1e-6)
    evaluated = [e.evaluate(batches(epochs=1))["loss"] for e in (one, two)]
    assert evaluated[0] == pytest.approx(evaluated[1], rel=FLOAT32)


def test_the_step_counted_by_hand_grows_by_one(tmp_path: Path) -> None:
    """semantics.md, 1.18: assign_add beside a minimize without the step."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weights()))
        step = tf.train.get_or_create_global_step()
        update = tf.train.GradientDescentOptimizer(RATE).minimize(loss)
        return train_spec(mode, loss, tf.group(update, tf.assign_add(step, 1)))

    trained, losses = train(model_fn, tmp_path, steps=3)
    assert trained.get_variable_value("global_step") == 3
    assert len(losses) == 3


def test_hooks_are_the_last_replicas_in_training_and_the_first_ones_else(tmp_path: Path) -> None:
    """semantics.md, 1.19; with a batch per replica the first one's, as in tf.estimator."""
    begun: list[tuple[str, int]] = []

    class Begun(tf.train.SessionRunHook):  # type: ignore[misc]
        def __init__(self, mode: str, replica: int) -> None:
            self.of = (mode, replica)

        def begin(self) -> None:
            begun.append(self.of)

    built = {MODES.TRAIN: 0, MODES.EVAL: 0}

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        hook = Begun(mode, built[mode])
        built[mode] += 1
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], weights()))
        return train_spec(mode, loss, training_hooks=[hook], evaluation_hooks=[hook])

    trained, _ = train(model_fn, tmp_path / "global", steps=1)
    trained.evaluate(batches(), steps=1)
    assert begun == [(MODES.TRAIN, 1), (MODES.EVAL, 0)]
    built[MODES.TRAIN] = 0
    train(model_fn, tmp_path / "own", config(global_batch=False), steps=1)
    assert begun[2:] == [(MODES.TRAIN, 0)]


def test_two_strategies_of_one_process_with_other_shapes(tmp_path: Path) -> None:
    """The default reduction of TensorFlow fails here: keys of the whole process."""
    train(linear_model(), tmp_path / "first", steps=1)
    wide = batches({"x": np.hstack([X, X])}, Y)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        w = weights(np.vstack([W0, W0]))
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], w))
        return train_spec(mode, loss)

    trained, _ = train(model_fn, tmp_path / "second", steps=1, input_fn=wide)
    assert trained.get_variable_value("w").shape == (6, 1)


def test_gpus_that_are_not_there_are_named(tmp_path: Path) -> None:
    if tf.config.list_physical_devices("GPU"):
        pytest.skip("this machine has a GPU")
    with tf.Graph().as_default():
        strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    with pytest.raises(ValueError, match=r"needs GPU:1, but TensorFlow finds 0 GPU"):
        train(linear_model(), tmp_path, config(train_distribute=strategy))


def test_a_reduction_of_the_programs_own_trains_the_same(tmp_path: Path) -> None:
    chosen = tf.distribute.MirroredStrategy(
        ["/device:CPU:0", "/device:CPU:1"],
        cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(),
    )
    _, losses = train(linear_model(), tmp_path / "own", config(train_distribute=chosen), steps=3)
    _, default = train(linear_model(), tmp_path / "default", config(), steps=3)
    assert losses == pytest.approx(default, abs=FLOAT32)


def test_a_session_config_gets_the_devices_it_lacks(tmp_path: Path) -> None:
    given = tf.ConfigProto(inter_op_parallelism_threads=2)
    trained, losses = train(linear_model(), tmp_path, config(session_config=given), steps=1)
    assert len(losses) == 1  # without a device for each replica the session waits for ever
    assert trained.config.session_config.device_count["CPU"] == 0  # and the caller's stays


class _TwoWorkers:
    """A strategy of two workers with two replicas each, of which this process is one."""

    num_replicas_in_sync = 4
    worker_devices = ("/cpu:0", "/cpu:1")

    def __init__(self) -> None:
        self.extended = self

    def call_for_each_replica(self, function: Any) -> Any:
        return function()

    def all_reduce(self, operation: Any, value: Any) -> Any:
        assert operation == tf.distribute.ReduceOp.SUM
        return value * self.num_replicas_in_sync

    def experimental_local_results(self, value: Any) -> list[Any]:
        return [value] * len(self.worker_devices)


def test_each_worker_counts_once_in_a_sum_over_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = _TwoWorkers()
    monkeypatch.setattr(tf.distribute, "get_replica_context", lambda: strategy)
    with tf.Graph().as_default(), tf.Session() as session:
        total = replicas.sum_over_workers(strategy, tf.constant(3.0))
        assert session.run(total) == 3.0 + 3.0
