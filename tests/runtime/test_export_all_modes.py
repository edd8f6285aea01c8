"""One SavedModel with the graphs that train, evaluate and serve."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import MODES, X, Y, linear_model, train, variables

from tfmigrate_runtime import estimator


def receivers() -> dict[str, Any]:
    with tf.Graph().as_default():
        features = {"x": tf.placeholder(tf.float32, [1, 3], name="x")}
        labels = tf.placeholder(tf.float32, [1, 1], name="y")
        supervised = estimator.experimental.build_raw_supervised_input_receiver_fn(features, labels)
        serving = estimator.export.build_raw_serving_input_receiver_fn(features)
    return {MODES.TRAIN: supervised, MODES.EVAL: supervised, MODES.PREDICT: serving}


def run(folder: bytes, tag: str, feeds: dict[str, Any], output: str) -> Any:
    """Runs one output of the graph with a tag."""
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.load(session, [tag], os.fsdecode(folder))
        signature = loaded.signature_def[tag if tag != "serve" else "serving_default"]
        fed = {signature.inputs[name].name: value for name, value in feeds.items()}
        return session.run(signature.outputs[output].name, fed)


def test_wrong_modes_are_refused(tmp_path: Path) -> None:
    made, _ = train(linear_model(), tmp_path)
    for modes in ({}, {"test": None}):
        with pytest.raises(ValueError, match="input_receiver_fn_map"):
            made.experimental_export_all_saved_models(tmp_path / "export", modes)


def test_names_of_features_and_labels_differ() -> None:
    with tf.Graph().as_default():
        x = {"x": tf.zeros([1, 3])}
        with pytest.raises(ValueError, match=r"both have \['x'\]"):
            estimator.experimental.build_raw_supervised_input_receiver_fn(x, x)


def test_three_graphs_with_one_set_of_variables(tmp_path: Path) -> None:
    def metrics(mode: str, output: Any) -> dict[str, Any]:
        if mode != MODES.EVAL:
            return {}
        return {"eval_metric_ops": {"mean": tf.metrics.mean(output)}}

    made, _ = train(linear_model(spec=metrics), tmp_path)
    folder = made.experimental_export_all_saved_models(tmp_path / "export", receivers())
    outputs = X @ variables(made)["w"]
    loss = np.mean((outputs - Y) ** 2)
    # float32 sums of eight rows
    np.testing.assert_allclose(run(folder, "serve", {"x": X}, "y"), outputs, rtol=1e-6, atol=1e-6)
    for tag in ("train", "eval"):
        found = run(folder, tag, {"x": X, "label": Y}, "loss")
        np.testing.assert_allclose(found, loss, rtol=1e-6)
    update = run(folder, "eval", {"x": X, "label": Y}, "metrics/mean/update_op")
    np.testing.assert_allclose(update, outputs.mean(), rtol=1e-5, atol=1e-6)


def test_one_mode_is_enough(tmp_path: Path) -> None:
    made, _ = train(linear_model(), tmp_path)
    only = {MODES.PREDICT: receivers()[MODES.PREDICT]}
    folder = made.experimental_export_all_saved_models(tmp_path / "export", only)
    outputs = X @ variables(made)["w"]
    np.testing.assert_allclose(run(folder, "serve", {"x": X}, "y"), outputs, rtol=1e-6, atol=1e-6)
