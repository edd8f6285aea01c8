"""Resuming, warm starts, predictions and train_and_evaluate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, W0, WIDTH, X, batches, config, linear_model, train, variables

from tfmigrate_runtime import estimator


def adam_model() -> Any:
    return linear_model(optimizer=lambda: tf.train.AdamOptimizer(0.05))


def kept_steps(folder: Path) -> list[int]:
    return sorted(int(path.name.split("-")[1].split(".")[0]) for path in folder.glob("*.index"))


class Steps(tf.train.SessionRunHook):  # type: ignore[misc]
    """Keeps the global step of every evaluation."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def end(self, session: Any) -> None:
        self.seen.append(int(session.run(tf.train.get_global_step())))


def test_nothing_is_done_when_max_steps_is_reached(tmp_path: Path) -> None:
    trained, _ = train(linear_model(), tmp_path, steps=2)
    before = sorted(path.name for path in tmp_path.iterdir())

    def input_fn() -> Any:
        raise AssertionError("no input is needed")

    assert trained.train(input_fn, max_steps=2) is trained
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_resumed_training_equals_an_undisturbed_one(tmp_path: Path) -> None:
    """Also from one device to two and back, with Adam's slots and powers."""
    whole, losses = train(adam_model(), tmp_path / "whole", steps=6)
    first = train(adam_model(), tmp_path / "parts", steps=2)[1]
    second = train(adam_model(), tmp_path / "parts", config(1), steps=2)[1]
    parts, third = train(adam_model(), tmp_path / "parts", steps=2)
    np.testing.assert_allclose([*first, *second, *third], losses, rtol=FLOAT32)
    for name, value in variables(whole).items():
        np.testing.assert_allclose(variables(parts)[name], value, rtol=1e-5, atol=1e-6)
    assert kept_steps(tmp_path / "parts") == [0, 2, 4, 6]


@pytest.mark.parametrize("replicas", [1, 2])
def test_warm_start(tmp_path: Path, replicas: int) -> None:
    trained, _ = train(linear_model(), tmp_path / "source", steps=3)
    value = trained.get_variable_value("w")
    source = str(tmp_path / "source")
    renamed = estimator.WarmStartSettings(source, "v", var_name_to_prev_var_name={"v": "w"})

    def other_name(features: Any, labels: Any, mode: str) -> Any:
        v = tf.get_variable("v", initializer=tf.constant(W0))
        loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], v))
        train_op = tf.train.GradientDescentOptimizer(0.0).minimize(loss, tf.train.get_global_step())
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    still = linear_model(optimizer=lambda: tf.train.GradientDescentOptimizer(0.0))
    for number, (model_fn, start, name) in enumerate(
        ((still, source, "w"), (other_name, renamed, "v"))
    ):
        warm = estimator.Estimator(
            model_fn, tmp_path / str(number), config(replicas), warm_start_from=start
        )
        warm.train(batches(), steps=1)
        np.testing.assert_array_equal(warm.get_variable_value(name), value)
        assert warm.get_variable_value("global_step") == 1
    with pytest.raises(ValueError, match="must be a string or a WarmStartSettings"):
        estimator.Estimator(still, warm_start_from=3)


@pytest.mark.parametrize("replicas", [1, 2])
def test_a_warm_start_before_any_training(tmp_path: Path, replicas: int) -> None:
    """1.15 evaluates, predicts and exports with it, too: not with new weights."""
    trained, _ = train(linear_model(), tmp_path / "source", steps=3)
    warm = estimator.Estimator(
        linear_model(),
        tmp_path / "warm",
        config(replicas),
        warm_start_from=str(tmp_path / "source"),
    )
    expected = trained.evaluate(batches(epochs=1), steps=1)
    results = warm.evaluate(batches(epochs=1), steps=1)
    assert results["global_step"] == 0
    assert results["loss"] == pytest.approx(expected["loss"], rel=FLOAT32)
    for before, after in zip(
        trained.predict(batches(epochs=1)), warm.predict(batches(epochs=1)), strict=True
    ):
        np.testing.assert_allclose(after["y"], before["y"], rtol=FLOAT32)

    def serving() -> Any:
        x = tf.placeholder(tf.float32, [None, WIDTH])
        return estimator.export.ServingInputReceiver({"x": x}, {"x": x})

    exported = os.fsdecode(warm.export_saved_model(tmp_path / "exported", serving))
    saved = tf.train.load_variable(str(Path(exported) / "variables" / "variables"), "w")
    np.testing.assert_array_equal(saved, trained.get_variable_value("w"))


def test_predictions_leave_nothing_behind(tmp_path: Path) -> None:
    trained, _ = train(linear_model(), tmp_path, steps=1)
    graph = tf.get_default_graph()
    rows = trained.predict(batches(size=4), predict_keys="y")  # without end
    first = next(rows)
    assert tf.get_default_graph() is graph
    np.testing.assert_allclose(first["y"], X[0] @ trained.get_variable_value("w"), rtol=1e-5)
    rows.close()
    with pytest.raises(StopIteration):
        next(rows)
    with pytest.raises(ValueError, match="at least one output"):
        next(trained.predict(batches(), predict_keys=["z"]))


def test_an_older_checkpoint_is_evaluated_and_predicted_from(tmp_path: Path) -> None:
    trained, losses = train(linear_model(), tmp_path, config(save_checkpoints_steps=1), steps=2)
    first = str(tmp_path / "model.ckpt-0")
    result = trained.evaluate(batches(epochs=1), checkpoint_path=first)
    assert result["global_step"] == 0
    assert result["loss"] == pytest.approx(losses[0], rel=FLOAT32)
    row = next(trained.predict(batches(), checkpoint_path=first))
    np.testing.assert_allclose(row["y"], X[0] @ W0, rtol=1e-5)


def test_untrained_weights_can_be_evaluated(tmp_path: Path) -> None:
    made = estimator.Estimator(linear_model(), tmp_path, config())
    result = made.evaluate(batches(epochs=1))
    assert result["global_step"] == 0
    assert result["loss"] > 0


def test_reserved_names_of_metrics_are_refused(tmp_path: Path) -> None:
    made = estimator.Estimator(
        linear_model(spec=lambda mode, output: {"eval_metric_ops": {"loss": (output, output)}}),
        tmp_path,
        config(1),
    )
    with pytest.raises(ValueError, match="Metric with name `loss` is not allowed"):
        made.evaluate(batches(epochs=1))


class TestTrainAndEvaluate:
    """semantics.md, section 2: checkpoints every 4 steps, 12 steps."""

    def run(self, folder: Path, throttle: int, **fields: Any) -> tuple[Any, list[int]]:
        steps = Steps()
        made = estimator.Estimator(linear_model(), folder, config(save_checkpoints_steps=4))
        result = estimator.train_and_evaluate(
            made,
            estimator.TrainSpec(batches(), max_steps=12),
            estimator.EvalSpec(
                batches(epochs=1), steps=None, hooks=[steps], throttle_secs=throttle, **fields
            ),
        )
        return result, steps.seen

    def test_wrong_arguments(self, tmp_path: Path) -> None:
        never = config(save_checkpoints_steps=None, save_checkpoints_secs=None)
        made = estimator.Estimator(linear_model(), tmp_path, never)
        train_spec = estimator.TrainSpec(batches(), max_steps=1)
        eval_spec = estimator.EvalSpec(batches())
        with pytest.raises(ValueError, match="train_and_evaluate evaluates checkpoints"):
            estimator.train_and_evaluate(made, train_spec, eval_spec)
        with pytest.raises(TypeError, match="`eval_spec` must have type"):
            estimator.train_and_evaluate(made, eval_spec, train_spec)  # type: ignore[arg-type]

    def test_every_checkpoint_but_the_first(self, tmp_path: Path) -> None:
        exported: list[tuple[int, bool, str]] = []

        class Exporter(estimator.Exporter):
            name = "best"

            def export(self, **given: Any) -> str:
                assert set(given) == {
                    "estimator",
                    "export_path",
                    "checkpoint_path",
                    "eval_result",
                    "is_the_final_export",
                }
                step = int(given["eval_result"]["global_step"])
                assert given["checkpoint_path"].endswith(f"model.ckpt-{step}")
                exported.append((step, given["is_the_final_export"], given["export_path"]))
                return f"export-{step}"

        (metrics, results), steps = self.run(tmp_path, 0, exporters=Exporter(), name="own")
        assert steps == [4, 8, 12]
        path = str(tmp_path / "export" / "best")
        assert exported == [(4, False, path), (8, False, path), (12, True, path)]
        assert results == ["export-12"]
        assert metrics["global_step"] == 12
        assert list((tmp_path / "eval_own").glob("events.*"))
        assert self.run(tmp_path, 0) == ((None, None), [])

    def test_throttled(self, tmp_path: Path) -> None:
        (metrics, results), steps = self.run(tmp_path, 600)
        assert steps == [4, 12]
        assert metrics["global_step"] == 12
        assert results == []
