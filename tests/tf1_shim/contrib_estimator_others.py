"""Other names of tf.contrib.estimator. Python 3.7 has to understand this file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import replicated_models as models
import tensorflow as tf
from replicated_models import EVAL, PREDICT, ROWS, TRAIN, X, Y, estimator, squared

# 1.12 had its names in the package, 1.15 at this path alone.
from tensorflow.contrib.estimator.python.estimator import early_stopping as early_stopping_module
from tensorflow.contrib.estimator.python.estimator.exporter import StepsExporter


def clipped_by_norm() -> dict[str, Any]:
    """An optimizer that clips: what it trains, its name and slots."""
    made: list[Any] = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = squared(labels, models.network(features))
        made.append(estimator.clip_gradients_by_norm(tf.train.MomentumOptimizer(0.5, 0.9), 0.3))
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=made[0].minimize(loss))

    trained = models.trained_plainly(model_fn)
    return {"trained": trained, "name": made[0].get_name(), "slots": made[0].get_slot_names()}


def _estimator() -> Any:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        found = models.network(features["x"])
        output = tf.estimator.export.PredictOutput({"found": found})
        loss = None if mode == PREDICT else squared(labels, found)
        return tf.estimator.EstimatorSpec(
            mode,
            loss=loss,
            predictions={"found": found},
            export_outputs={"serving_default": output},
            eval_metric_ops={"of_found": tf.metrics.mean(found)},
        )

    return tf.estimator.Estimator(model_fn, "/nowhere/model")


def extended() -> dict[str, Any]:
    """Features forwarded, metrics added; what both refuse."""

    def features() -> dict[str, Any]:
        return {
            "x": tf.constant(X),
            "row": tf.range(ROWS),
            "words": tf.SparseTensor([[0, 0], [3, 1]], ["a", "b"], [ROWS, 2]),
        }

    def forwarded(*given: Any) -> Any:
        made = estimator.forward_features(_estimator(), *given)
        return made.model_fn(features(), None, PREDICT, None)

    def metrics(labels: Any, predictions: Any, features: Any) -> Any:
        del features
        return {"error": tf.metrics.mean_absolute_error(labels, predictions["found"])}

    found: dict[str, Any] = {}
    with tf.Graph().as_default():
        spec = forwarded(["row", "words"], {"words": "-"})
        with models.initialized() as opened:
            words, rows = opened.run([spec.predictions["words"], spec.predictions["row"]])
        found["words"], found["rows"] = words.astype(str).tolist(), rows.tolist()
        found["predictions"] = sorted(spec.predictions)
        found["outputs"] = sorted(spec.export_outputs["serving_default"].outputs)
    with tf.Graph().as_default():
        made = estimator.add_metrics(_estimator(), metrics)
        found["metrics"] = sorted(
            made.model_fn(features(), tf.constant(Y), EVAL, None).eval_metric_ops
        )
    found["one"] = sorted(forwarded("row").predictions)
    for name, given in (
        ("number", [1]),
        ("numbers", [[1]]),
        ("missing", ["none"]),
        ("sparse", ["words"]),
        ("default", ["row", {"row": 0}]),
    ):
        # The last word of each text is a type's, whose module is another one.
        kind, text = models.error_of(lambda given=given: forwarded(*given))
        found[name] = [kind, text.split("dict has")[0].split("Type of")[0]]
    found["arguments"] = models.error_of(
        lambda: estimator.add_metrics(_estimator(), lambda wrong: {}), whole=False
    )
    return found


def early_stopping() -> dict[str, Any]:
    """What the hooks answer after evaluations, and which hook it is."""
    values = [(1, 0.5), (2, 0.7), (5, 0.6), (7, 0.65)]
    with tempfile.TemporaryDirectory() as folder:
        writer = tf.summary.FileWriter(folder)
        for step, value in values:
            summary = tf.Summary(value=[tf.Summary.Value(tag="accuracy", simple_value=value)])
            writer.add_summary(summary, step)
        writer.close()
        model = tf.estimator.Estimator(lambda features: None, folder)
        given = (model, "accuracy")
        e = early_stopping_module
        hooks = {
            "higher": e.stop_if_higher_hook(*given, 0.69, folder),
            "never higher": e.stop_if_higher_hook(*given, 0.69, folder, min_steps=3),
            "lower": e.stop_if_lower_hook(*given, 0.51, eval_dir=folder),
            "never lower": e.stop_if_lower_hook(*given, 0.5, eval_dir=folder),
            "no increase": e.stop_if_no_increase_hook(*given, 5, folder),
            "still increase": e.stop_if_no_increase_hook(*given, 6, folder),
            "no decrease": e.stop_if_no_decrease_hook(*given, 6, folder),
            "still decrease": e.stop_if_no_decrease_hook(*given, 7, folder),
        }
        found: dict[str, Any] = {name: hook._should_stop_fn() for name, hook in hooks.items()}
        read = early_stopping_module.read_eval_metrics(folder)
        found["read"] = [[step, sorted(metrics)] for step, metrics in read.items()]
        # With a strategy, and the default of run_every_secs.
        config = tf.estimator.RunConfig(train_distribute=tf.distribute.OneDeviceStrategy("/cpu:0"))
        model = tf.estimator.Estimator(lambda features: None, folder, config)
        hook = early_stopping_module.make_early_stopping_hook(model, lambda: True)
        found["hook"] = type(hook).__name__
        found["both"] = models.error_of(
            lambda: early_stopping_module.make_early_stopping_hook(model, lambda: True, 1, 1)
        )
    return found


class _Exported:
    """Stands for an Estimator; keeps what it is asked to export."""

    def __init__(self, model_dir: str) -> None:
        self.model_dir = model_dir
        self.calls: list[Any] = []

    def export_saved_model(self, *given: Any, **named: Any) -> str:
        self.calls.append([list(given), {k: v for k, v in named.items() if v is not None}])
        return "folder"

    def experimental_export_all_saved_models(self, *given: Any, **named: Any) -> str:
        return self.export_saved_model(*given, **named)


def exports() -> dict[str, Any]:
    """The calls by which Estimators are exported."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "eval").mkdir()
        model = _Exported(folder)
        by_step = StepsExporter([3, 6, "x", 10], serving_input_receiver_fn=None)
        results = [
            by_step.export(model, "out", "checkpoint", {"global_step": step}, False)
            for step in (1, 3, 4, 8, 9, 12, 13)
        ]
        writer = tf.summary.FileWriter(folder + "/eval")
        writer.add_summary(tf.Summary(), 6)
        writer.close()
        again = StepsExporter([3, 6, 10])
        results += [again.export(model, "out", "c", {"global_step": s}, False) for s in (7, 10)]
    steps = model.calls
    model.calls = []
    estimator.export_saved_model_for_mode(model, "base", "receiver", mode=TRAIN)
    estimator.export_all_saved_models(model, "base", {"train": "receiver"}, as_text=True)
    return {
        "results": results,
        "steps": steps,
        "calls": model.calls,
        "name": again.name,
        "none": models.error_of(lambda: StepsExporter([0])),
        "no step": models.error_of(lambda: again.export(model, "out", "c", {}, False)),
    }


def names() -> list[str]:
    """The public names of the package."""
    return sorted(name for name in dir(estimator) if not name.startswith("_"))
