"""tf.contrib.predictor: of an Estimator, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator, predictor


def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
    slope = tf.get_variable("slope", initializer=2.0)
    outputs = {"y": features["x"] * slope}
    if mode == estimator.ModeKeys.PREDICT:
        export = {"serving_default": estimator.export.PredictOutput(outputs)}
        return estimator.EstimatorSpec(mode, outputs, export_outputs=export)
    train = tf.assign_add(tf.train.get_global_step(), 1)
    return estimator.EstimatorSpec(mode, loss=tf.reduce_mean(labels - slope), train_op=train)


def input_fn() -> Any:
    return tf.data.Dataset.from_tensors(({"x": [1.0]}, [1.0]))


def receiver() -> Any:
    return estimator.export.build_raw_serving_input_receiver_fn(
        {"x": tf.placeholder(tf.float32, [None])}
    )()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> estimator.Estimator:
    folder = tmp_path_factory.mktemp("model")
    model = estimator.Estimator(model_fn, model_dir=str(folder))
    model.train(input_fn, steps=1)
    return model


def test_of_an_estimator(trained: estimator.Estimator) -> None:
    predict = predictor.from_estimator(trained, receiver)
    assert predict({"x": [1.0, 4.0]})["y"].tolist() == [2.0, 8.0]
    assert "feed tensors" in repr(predict)
    with pytest.raises(ValueError, match="unexpected keys"):
        predict({"z": [1.0]})
    with pytest.raises(KeyError, match="output_key must be one of"):
        predictor.from_estimator(trained, receiver, output_key="other")
    with pytest.raises(TypeError, match="Expected estimator"):
        predictor.from_estimator("model", receiver)  # type: ignore[arg-type]


def test_of_a_saved_model(trained: estimator.Estimator, tmp_path: Path) -> None:
    export = trained.export_saved_model(str(tmp_path), receiver)
    folder = export.decode() if isinstance(export, bytes) else export
    assert predictor.from_saved_model(folder)({"x": [3.0]})["y"].tolist() == [6.0]
    with pytest.raises(ValueError, match="Available signatures"):
        predictor.from_saved_model(folder, "other")
    with pytest.raises(ValueError, match="at most one of"):
        predictor.from_saved_model(folder, "other", input_names={}, output_names={})
    with pytest.raises(ValueError, match="must both be specified"):
        predictor.from_saved_model(folder, input_names={})
