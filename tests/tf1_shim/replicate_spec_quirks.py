"""What replicate_model_fn makes of specs and variables: 1.12 to 1.20 of semantics.md.

Python 3.7 has to understand this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import replicated_models as models
import tensorflow as tf
from replicate_training_quirks import plain_model
from replicated_models import EVAL, PREDICT, TRAIN, TWO, X, Y, estimator, squared, train_spec
from tensorflow.contrib.estimator.python.estimator import replicate_model_fn as deep_path

Reduction = tf.losses.Reduction


def _evaluation_model(features: Any, labels: Any, mode: str) -> Any:
    found = models.network(features)
    loss = squared(labels, found)
    share = tf.sigmoid(found)
    positive = tf.cast(labels > 0, tf.int64)
    metrics = {
        "accuracy": tf.metrics.accuracy(positive, tf.cast(share > 0.5, tf.int64)),
        "auc": tf.metrics.auc(positive, share),
        "mean": tf.metrics.mean(found),
    }
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)


def evaluation() -> dict[str, Any]:
    """1.12: metrics over all towers, the loss as in training."""
    found: dict[str, Any] = {}
    for name, replicated in (
        ("plain", _evaluation_model),
        ("towers", estimator.replicate_model_fn(_evaluation_model, devices=TWO)),
        ("sum", estimator.replicate_model_fn(_evaluation_model, Reduction.SUM, TWO)),
    ):
        with tf.Graph().as_default():
            x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
            spec = replicated(x, y, EVAL)
            updates = [update for _, update in spec.eval_metric_ops.values()]
            with models.initialized() as opened:
                losses = []
                for rows in (slice(0, 4), slice(2, 8)):
                    fed = {x: X[rows], y: Y[rows]}
                    losses.append(float(opened.run([spec.loss, updates], fed)[0]))
                values = {key: value for key, (value, _) in spec.eval_metric_ops.items()}
                metrics = {key: float(value) for key, value in opened.run(values).items()}
                others = opened.run(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES))
            found[name] = {
                "losses": losses,
                "metrics": metrics,
                "update_ops": len({id(update) for update in updates}),
                "metric_variables": len(others),
                "emptied": float(sum(np.sum(v) for v in others[len(others) // 2 :])),
            }
    return found


def uneven_metrics() -> dict[str, Any]:
    """1.12: towers that make other metrics, and none at all."""
    calls: list[int] = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = squared(labels, models.network(features))
        calls.append(1)
        metrics = {"mean": tf.metrics.mean(features)} if len(calls) == 2 else {}
        metrics["error"] = tf.metrics.mean(loss)
        if len(calls) == 2:
            tf.get_collection_ref(tf.GraphKeys.METRIC_VARIABLES).pop()
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)

    replicated = estimator.replicate_model_fn(model_fn, devices=TWO)
    return {
        "error": models.error_of(lambda: replicated(tf.constant(X), tf.constant(Y), EVAL)),
    }


def prediction() -> dict[str, Any]:
    """1.13: predictions in order; export outputs, of which classes are stacked."""
    export = tf.estimator.export

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del labels
        found = models.network(features)
        classes = tf.as_string(tf.cast(found > 0, tf.int32))
        return tf.estimator.EstimatorSpec(
            mode,
            predictions={"found": found, "doubled": 2.0 * found},
            export_outputs={
                "serving_default": export.PredictOutput({"found": found}),
                "number": export.RegressionOutput(found),
                "both": export.ClassificationOutput(scores=found, classes=classes),
                "scores": export.ClassificationOutput(scores=found),
                "classes": export.ClassificationOutput(classes=classes),
            },
        )

    with tf.Graph().as_default():
        spec = estimator.replicate_model_fn(model_fn, devices=TWO)(tf.constant(X), None, PREDICT)
        outputs = spec.export_outputs
        wanted = {
            "found": spec.predictions["found"],
            "doubled": spec.predictions["doubled"],
            "predict": outputs["serving_default"].outputs["found"],
            "number": outputs["number"].value,
            "scores": outputs["both"].scores,
            "classes": outputs["both"].classes,
            "only_classes": outputs["classes"].classes,
        }
        with models.initialized() as opened:
            values = {
                key: value.astype(str).tolist() if value.dtype == object else value.tolist()
                for key, value in opened.run(wanted).items()
            }
        return {
            "values": values,
            "names": {key: value.name for key, value in spec.predictions.items()},
            "none": [outputs["scores"].classes is None, outputs["classes"].scores is None],
            "outputs": sorted(outputs),
        }


def no_outputs() -> dict[str, Any]:
    """1.13: a spec without export outputs gets the usual one."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del labels
        return tf.estimator.EstimatorSpec(mode, predictions={"x": features})

    with tf.Graph().as_default():
        spec = estimator.replicate_model_fn(model_fn, devices=TWO)(tf.constant(X), None, PREDICT)
        return {name: type(output).__name__ for name, output in spec.export_outputs.items()}


def variables() -> dict[str, Any]:
    """1.14: names as on one device; where the variables are."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del mode
        with tf.device("/cpu:1"):
            apart = tf.get_variable("apart", [], initializer=tf.ones_initializer())
        optimizer = tf.train.AdamOptimizer(0.1)
        return train_spec(apart * squared(labels, models.network(features)), optimizer)

    towers = {
        "two": estimator.replicate_model_fn(model_fn, devices=TWO),
        "gpus": estimator.replicate_model_fn(model_fn, devices=["/gpu:0", "/gpu:1"]),
        "one_gpu": estimator.replicate_model_fn(model_fn, devices=["/GPU:0"]),
        "one_cpu": estimator.replicate_model_fn(model_fn, devices=["/cpu:0"]),
        "by turns": deep_path._replicate_model_fn_with_mode(
            model_fn,
            Reduction.SUM,
            ["/gpu:0", "/gpu:1", "/gpu:2"],
            deep_path._VariableDistributionMode.SHARED_ROUND_ROBIN,
        ),
    }
    found: dict[str, Any] = {}
    for name, replicated in towers.items():
        rows = 6 if name == "by turns" else 8
        with tf.Graph().as_default() as graph:
            spec = replicated(tf.constant(X[:rows]), tf.constant(Y[:rows]), TRAIN)
            found[name] = {
                "variables": {v.op.name: v.device for v in tf.global_variables()},
                "losses": [t.name + " " + t.device for t in tf.losses.get_losses()],
                "split": [op.device for op in graph.get_operations() if op.type == "Split"],
                "loss": [spec.loss.name, spec.loss.device],
            }
    return found


def own_copies() -> dict[str, Any]:
    """1.15: tf.Variable makes one for each tower."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del mode
        weights = tf.Variable(tf.fill([4, 1], 0.5), name="W")
        return train_spec(squared(labels, tf.matmul(features, weights)))

    return models.trained(model_fn)


def unnamed_layers() -> dict[str, Any]:
    """1.16: layers without a name at the root, and within a variable scope."""

    def network(features: Any) -> Any:
        hidden = tf.layers.dense(features, 3, tf.nn.relu, kernel_initializer=models.fixed)
        return tf.layers.dense(hidden, 1, kernel_initializer=models.fixed)

    def at_root(features: Any, labels: Any, mode: str) -> Any:
        del mode
        return train_spec(squared(labels, network(features)))

    def in_scope(features: Any, labels: Any, mode: str) -> Any:
        with tf.variable_scope("net"):
            return at_root(features, labels, mode)

    return {
        "root": models.error_of(lambda: models.trained(at_root)),
        "scope": models.trained(in_scope),
    }


def tower_optimizers() -> dict[str, Any]:
    """1.17: no TowerOptimizer, one device, no devices, no replicate_model_fn."""

    def bare(features: Any, labels: Any, mode: str) -> Any:
        loss = squared(labels, models.network(features))
        step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    def by_function(features: Any, labels: Any, mode: str) -> Any:
        del mode
        made = lambda: tf.train.MomentumOptimizer(0.05, 0.9)  # noqa: E731
        return train_spec(squared(labels, models.network(features)), made)

    odd = {"features": X[:7], "labels": Y[:7]}
    with tf.Graph().as_default():
        wrapped = estimator.TowerOptimizer(tf.train.MomentumOptimizer(0.05, 0.9))
        said = [estimator.TowerOptimizer.has_been_used(), wrapped.get_name()]
        said += [wrapped.get_slot_names(), estimator.TowerOptimizer.has_been_used()]
    return {
        "error": models.error_of(lambda: models.trained(bare)),
        "one": models.trained(bare, devices=TWO[:1], **odd),
        "default": models.trained(plain_model, devices=None, **odd),
        "forwarded": models.trained_plainly(by_function, **odd),
        "by_function": models.trained(by_function),
        "said": said,
    }


def two_optimizers() -> dict[str, Any]:
    """1.18: two optimizers, matched by the order of their calls."""
    calls: list[int] = []

    def model_fn(features: Any, labels: Any, mode: str, uneven: bool = False) -> Any:
        # Losses of their own: else the one's gradients race with the other's update.
        columns = [tf.get_variable(n, [4, 1], initializer=models.fixed) for n in ("a", "b")]
        losses = [squared(labels, tf.matmul(features, column)) for column in columns]
        step = tf.train.get_or_create_global_step()
        first = estimator.TowerOptimizer(tf.train.AdamOptimizer(0.05))
        second = estimator.TowerOptimizer(tf.train.GradientDescentOptimizer(0.1))
        train_op = first.minimize(losses[0], var_list=columns[:1])
        calls.append(1)
        if not uneven or len(calls) % 2:
            second_op = second.minimize(losses[1], global_step=step, var_list=columns[1:])
            train_op = tf.group(train_op, second_op)
        return tf.estimator.EstimatorSpec(mode, loss=tf.add_n(losses), train_op=train_op)

    def uneven(features: Any, labels: Any, mode: str) -> Any:
        return model_fn(features, labels, mode, uneven=True)

    return {
        "even": models.trained(model_fn),
        "uneven": models.error_of(lambda: models.trained(uneven)),
    }


def spec_fields() -> dict[str, Any]:
    """1.19: fields of the last tower in training, of the first one else; names; params."""
    seen: list[Any] = []

    def model_fn(features: Any, labels: Any, mode: str, params: Any, config: Any) -> Any:
        seen.append((params, config))
        params["seen"] = params.get("seen", 0) + 1
        tower = f"tower {len(seen)}"
        found = tf.identity(models.network(features), name="found")
        if mode == PREDICT:
            hooks = [_Named(tower)]
            return tf.estimator.EstimatorSpec(
                mode, predictions={"found": found}, prediction_hooks=hooks
            )
        loss = squared(labels, found)
        if mode == EVAL:
            return tf.estimator.EstimatorSpec(mode, loss=loss, evaluation_hooks=[_Named(tower)])
        return train_spec(
            loss,
            predictions={"found": found},
            training_hooks=[_Named(tower)],
            training_chief_hooks=[_Named(tower)],
        )

    found: dict[str, Any] = {}
    for mode in (TRAIN, EVAL, PREDICT):
        del seen[:]
        with tf.Graph().as_default():
            given, config = {"rate": [1]}, {"a": 1}
            labels = None if mode == PREDICT else tf.constant(Y)
            replicated = estimator.replicate_model_fn(model_fn, devices=TWO)
            spec = replicated(tf.constant(X), labels, mode, params=given, config=config)
            hooks = {
                TRAIN: [*spec.training_hooks, *spec.training_chief_hooks],
                EVAL: spec.evaluation_hooks,
                PREDICT: spec.prediction_hooks,
            }[mode]
            graph = tf.get_default_graph()
            found[mode] = {
                "hooks": [hook.name for hook in hooks],
                "shared": [seen[0][0] is seen[1][0], seen[0][1] is seen[1][1]],
                "copied": [given == {"rate": [1]}, seen[0][1] == config],
                "count": seen[1][0]["seen"],
                "names": sorted(op.name for op in graph.get_operations() if "found" in op.name),
                "predictions": [t.name for t in (spec.predictions or {}).values()],
                "kept": sorted(graph.get_all_collection_keys()),
            }
    return found


class _Named(tf.train.SessionRunHook):
    def __init__(self, name: str) -> None:
        self.name = name


def keras_layers() -> dict[str, Any]:
    """1.20: layers of Keras make variables of their own in each tower."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del mode
        with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
            hidden = tf.keras.layers.Dense(3, kernel_initializer="ones")(features)
            found = tf.keras.layers.Dense(1, kernel_initializer="ones")(hidden)
        return train_spec(squared(labels, found), tf.train.GradientDescentOptimizer(0.01))

    return models.trained(model_fn)
