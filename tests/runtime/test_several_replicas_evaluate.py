"""Evaluation and prediction over replicas give what one device gives, to the last batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import MODES, config, two_cpus, variables, weights

from tfmigrate_runtime import estimator

_random = np.random.RandomState(3)
FEATURES = _random.normal(size=(23, 3)).astype(np.float32)
LABELS = FEATURES.sum(1, keepdims=True)
BATCH = 5


def model_fn(features: Any, labels: Any, mode: str) -> Any:
    output = tf.matmul(features["x"], weights())
    if "words" in features:
        output += tf.sparse.reduce_sum(features["words"], 1, keepdims=True)
    if mode == MODES.PREDICT:
        predictions = {"y": output, "rows": tf.fill(tf.shape(output)[:1], tf.shape(output)[0])}
        return estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, output)}
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def rows(count: int, sparse: bool = False, epochs: int = 1) -> Any:
    features: dict[str, Any] = {"x": FEATURES[:count]}
    if sparse:
        features["words"] = tf.sparse.from_dense(FEATURES[:count] * (FEATURES[:count] > 0))
    data = tf.data.Dataset.from_tensor_slices((features, LABELS[:count]))
    return data.repeat(epochs).batch(BATCH)


def trained(folder: Path, strategy: Any, global_batch: bool = False) -> Any:
    run_config = config(1, eval_distribute=strategy, global_batch=global_batch)
    made = estimator.Estimator(model_fn, folder, run_config)
    made.train(lambda: rows(20, epochs=3), steps=3)
    return made


@pytest.mark.parametrize("count", [3, 5, 10, 12, 20, 23])
def test_metrics_over_every_batch(tmp_path: Path, count: int) -> None:
    """One to five batches, of five rows or fewer, for two replicas."""
    made = trained(tmp_path, two_cpus())
    alone = estimator.Estimator(model_fn, tmp_path, config(1, eval_distribute=None))
    several = made.evaluate(lambda: rows(count))
    one = alone.evaluate(lambda: rows(count), name="one")
    # float32 sums in another order
    assert several == pytest.approx(one, rel=1e-6)


def test_steps_are_of_all_replicas(tmp_path: Path) -> None:
    made = trained(tmp_path, two_cpus())
    alone = estimator.Estimator(model_fn, tmp_path, config(1, eval_distribute=None))
    assert made.evaluate(lambda: rows(23), steps=1) == pytest.approx(
        alone.evaluate(lambda: rows(23), steps=2, name="one"), rel=1e-6
    )


def test_sparse_features(tmp_path: Path) -> None:
    made = trained(tmp_path, two_cpus())
    alone = estimator.Estimator(model_fn, tmp_path, config(1, eval_distribute=None))
    several = made.evaluate(lambda: rows(12, sparse=True))
    assert several == pytest.approx(
        alone.evaluate(lambda: rows(12, sparse=True), name="one"), rel=1e-6
    )


@pytest.mark.parametrize("global_batch", [False, True])
@pytest.mark.parametrize("count", [3, 10, 12, 23])
def test_predictions_in_order(tmp_path: Path, count: int, global_batch: bool) -> None:
    made = trained(tmp_path, two_cpus(), global_batch)
    found = list(made.predict(lambda: rows(count)))
    wanted = FEATURES[:count] @ variables(made)["w"]
    np.testing.assert_allclose([row["y"] for row in found], wanted, rtol=1e-6, atol=1e-6)
    sizes = [min(BATCH, count - start) for start in range(0, count, BATCH)]
    assert [row["rows"] for row in found] == [size for size in sizes for _ in range(size)]
    batches = list(made.predict(lambda: rows(count), yield_single_examples=False))
    assert [len(batch["y"]) for batch in batches] == sizes


def test_predictions_from_tensors_are_made_on_one_device(tmp_path: Path) -> None:
    made = trained(tmp_path, two_cpus())
    predictions = made.predict(lambda: {"x": tf.constant(FEATURES[:4])})
    row = next(predictions)
    np.testing.assert_allclose(row["y"], FEATURES[0] @ variables(made)["w"], rtol=1e-6, atol=1e-6)


def test_a_metric_may_have_several_values(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They are returned, and no summary is written of them, as on TensorFlow 1.15."""

    def with_several(features: Any, labels: Any, mode: str) -> Any:
        spec = model_fn(features, labels, mode)
        value, update = tf.metrics.mean(features["x"])
        metrics = {"several": ({"once": value, "twice": 2 * value}, update)}
        return spec._replace(eval_metric_ops=metrics)

    made = estimator.Estimator(with_several, tmp_path, config(replicas=1))
    several = made.evaluate(lambda: rows(10))["several"]
    assert several["once"] == pytest.approx(FEATURES[:10].mean(), rel=1e-5)
    assert several["twice"] == 2 * several["once"]
    assert "Skipping summary for several" in caplog.text
