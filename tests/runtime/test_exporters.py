"""Exports that train_and_evaluate makes: at the end, the latest, the best."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf
from runtime_support import MODES, X, Y, batches, config, weights

from tfmigrate_runtime import estimator


def receiver() -> Any:
    placeholder = tf.placeholder(tf.float32, [None, 3], name="x")
    return estimator.export.ServingInputReceiver({"x": placeholder}, {"x": placeholder})


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    """Trains as usual; the loss of an evaluation follows a script, by the global step."""
    output = tf.matmul(features["x"], weights())
    if mode == MODES.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"y": output})
    step = tf.train.get_global_step()
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    if mode == MODES.EVAL:
        # The loss of the batch takes part, or the end of the input would not be seen.
        loss = tf.gather(tf.constant(params["losses"]), tf.identity(step)) + 0.0 * loss
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def run(folder: Path, exporter: Any, losses: list[float], until: int) -> tuple[Any, Any]:
    trained = estimator.Estimator(
        model_fn, folder, config(replicas=1, save_checkpoints_steps=1), {"losses": losses}
    )
    _, results = estimator.train_and_evaluate(
        trained,
        estimator.TrainSpec(batches(), max_steps=until),
        estimator.EvalSpec(batches(epochs=1), steps=None, throttle_secs=0, exporters=exporter),
    )
    return trained, results


class Steps(estimator.Exporter):
    """Notes after which steps an exporter exported."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self.steps: list[int] = []

    @property
    def name(self) -> str:
        return str(self._exporter.name)

    def export(self, **arguments: Any) -> Any:  # type: ignore[override]
        result = self._exporter.export(**arguments)
        if result is not None:
            self.steps.append(int(arguments["eval_result"]["global_step"]))
        return result


def exports(trained: Any, name: str) -> list[str]:
    return sorted(path.name for path in Path(trained.model_dir, "export", name).iterdir())


def test_refusals() -> None:
    with pytest.raises(ValueError, match="must be a positive number"):
        estimator.LatestExporter("latest", receiver, exports_to_keep=0)
    with pytest.raises(ValueError, match="`compare_fn` must not be None"):
        estimator.BestExporter("best", receiver, compare_fn=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must include best_eval_result"):
        estimator.BestExporter("best", receiver, compare_fn=lambda current_eval_result: True)
    with pytest.raises(ValueError, match="has following not expected args"):
        estimator.BestExporter(
            "best",
            receiver,
            compare_fn=lambda best_eval_result, current_eval_result, extra: True,
        )
    with pytest.raises(TypeError, match="abstract"):
        estimator.Exporter()  # type: ignore[abstract]


def test_the_final_exporter_exports_the_last_step_only(tmp_path: Path) -> None:
    noted = Steps(estimator.FinalExporter("final", receiver))
    trained, results = run(tmp_path, noted, [1.0] * 5, until=3)
    assert noted.steps == [3]
    assert exports(trained, "final") == [Path(os.fsdecode(results[0])).name]


def test_the_latest_exporter_deletes_the_oldest(tmp_path: Path) -> None:
    other = tmp_path / "export" / "latest" / "notes"
    other.mkdir(parents=True)
    noted = Steps(estimator.LatestExporter("latest", receiver, exports_to_keep=1))
    trained, results = run(tmp_path, noted, [1.0] * 5, until=3)
    assert noted.steps == [1, 2, 3]
    assert exports(trained, "latest") == [Path(os.fsdecode(results[0])).name, "notes"]


def test_the_best_exporter_exports_what_is_better(tmp_path: Path) -> None:
    noted = Steps(estimator.BestExporter("best", receiver))
    trained, results = run(tmp_path, noted, [9.0, 9.0, 3.0, 4.0, 2.0, 2.0], until=5)
    assert noted.steps == [1, 2, 4]
    assert results == [None]  # the last evaluation was not better
    assert len(exports(trained, "best")) == 3


def test_the_best_exporter_knows_the_best_after_a_restart(tmp_path: Path) -> None:
    losses = [9.0, 9.0, 3.0, 4.0, 3.5, 3.2, 2.5]
    run(tmp_path, estimator.BestExporter("best", receiver), losses, until=3)
    again = Steps(estimator.BestExporter("best", receiver))
    trained, _ = run(tmp_path, again, losses, until=6)
    assert again.steps == [6]
    assert len(exports(trained, "best")) == 3
    forgetful = Steps(estimator.BestExporter("best", receiver, event_file_pattern=None))
    run(tmp_path, forgetful, [*losses, 8.0, 8.5], until=8)
    assert forgetful.steps == [7]  # nothing was known


def test_the_best_exporter_compares_as_it_is_told(tmp_path: Path) -> None:
    def larger(best_eval_result: Any, current_eval_result: Any) -> bool:
        return bool(best_eval_result["loss"] < current_eval_result["loss"])

    noted = Steps(estimator.BestExporter("best", receiver, compare_fn=larger))
    run(tmp_path, noted, [9.0, 2.0, 2.0, 4.0, 3.5], until=4)
    assert noted.steps == [1, 3]


def test_tensorflow_serves_the_best_export(tmp_path: Path) -> None:
    trained, results = run(
        tmp_path, estimator.BestExporter("best", receiver), [9.0, 9.0, 3.0, 2.0], until=3
    )
    model = tf2.saved_model.load(os.fsdecode(results[0]))
    served = model.signatures["serving_default"](x=tf2.constant(X))
    predicted = trained.predict(lambda: tf.data.Dataset.from_tensors({"x": X}))
    expected = np.stack([row["y"] for row in predicted])
    # The same float32 operations in the same order.
    np.testing.assert_array_equal(served["y"].numpy(), expected)
    assert expected.shape == Y.shape
