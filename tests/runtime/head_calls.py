"""Calls of heads outside of Estimators, for TensorFlow 1.15 and for the runtime alike.

``scripts/record/record_heads.py`` stores what they return and raise with TensorFlow 1.15. Python
3.7 has to understand this file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import canned_cases
import head_cases
import numpy as np
import tensorflow.compat.v1 as tf

_CUBE = np.linspace(-2.0, 3.0, 24).astype(np.float32).reshape(2, 4, 3)
_OF_CUBE = (np.arange(24).reshape(2, 4, 3) % 5 < 2).astype(np.int64)
_WEIGHTS = np.linspace(0.5, 2.0, 8).astype(np.float32).reshape(2, 4)


def _evaluated(head: Any, logits: Any, labels: Any) -> Any:
    """Returns the loss, predictions and metrics of a batch."""
    spec = head.create_estimator_spec({"w": tf.constant(_WEIGHTS)}, "eval", logits, labels)
    updates = [update for _, update in spec.eval_metric_ops.values()]
    with tf.control_dependencies([spec.loss]), tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(updates)
        metrics = {name: value for name, (value, _) in spec.eval_metric_ops.items()}
        found = session.run([spec.loss, spec.predictions, metrics])
    return {"loss": found[0], **found[1], **found[2]}


def _measured(head: Any, logits: Any, labels: Any) -> Any:
    """Returns the results of a head's metrics after two batches."""
    features = {"w": tf.constant(_WEIGHTS)}
    losses = [tf.constant(0.5), tf.constant(0.25)]
    metrics = head.metrics(losses)
    metrics = head.update_metrics(metrics, features, logits, labels, regularization_losses=losses)
    metrics = head.update_metrics(metrics, features, -logits, labels, regularization_losses=losses)
    updates = [metric.updates for metric in metrics.values()]
    variables = [variable for metric in metrics.values() for variable in metric.variables]
    with tf.Session() as session:
        session.run([variable.initializer for variable in variables])
        session.run(updates)
        return session.run({name: metric.result() for name, metric in metrics.items()})


def _measured_cube(head: Any) -> Any:
    """Returns ``_measured`` for logits [2, 4, head.logits_dimension]."""
    size = head.logits_dimension
    return _measured(head, tf.constant(_CUBE[..., :size]), tf.constant(_OF_CUBE[..., :size]))


def _cube_of(head: Any) -> Any:
    """Returns results of a head for logits [2, 4, head.logits_dimension]."""
    logits = tf.constant(_CUBE[..., : head.logits_dimension])
    return _evaluated(head, logits, tf.constant(_OF_CUBE[..., : head.logits_dimension]))


VALUES: dict[str, Callable[[Any], Any]] = {
    "cube_of_labels": lambda e: _cube_of(
        e.MultiLabelHead(
            3, weight_column="w", thresholds=[0.5], classes_for_class_based_metrics=[1]
        )
    ),
    "cube_of_shares": lambda e: _cube_of(e.LogisticRegressionHead(weight_column="w")),
    "cube_of_counts": lambda e: _cube_of(e.PoissonRegressionHead(3, weight_column="w")),
    "cube_of_heads": lambda e: _evaluated(
        e.MultiHead(
            [e.MultiLabelHead(2, name="a"), e.LogisticRegressionHead(name="b", weight_column="w")],
            head_weights=[2.0, 0.5],
        ),
        tf.constant(_CUBE),
        {"a": tf.constant(_OF_CUBE[..., :2]), "b": tf.constant(_OF_CUBE[..., 2])},
    ),
    "metrics_of_labels": lambda e: _measured_cube(
        e.MultiLabelHead(
            3, weight_column="w", thresholds=[0.5], classes_for_class_based_metrics=[1]
        )
    ),
    "metrics_of_two": lambda e: _measured_cube(
        e.BinaryClassHead(weight_column="w", thresholds=[0.3, 0.6], name="two")
    ),
    "metrics_of_classes": lambda e: _measured(
        e.MultiClassHead(3), tf.constant(_CUBE), tf.constant(_OF_CUBE[..., :1] * 2)
    ),
    "metrics_of_numbers": lambda e: _measured_cube(e.RegressionHead(3, weight_column="w")),
    "metrics_of_heads": lambda e: _measured(
        _pair(e),
        tf.constant(_CUBE),
        {"a": tf.constant(_OF_CUBE[..., 0]), "b": tf.constant(_CUBE[..., 1:])},
    ),
    "predictions": lambda e: _run(e.MultiLabelHead(3).predictions(_LOGITS, ["probabilities"])),
    "predictions_of_heads": lambda e: _run(_pair(e).predictions(_LOGITS + 0.5)),
    "loss": lambda e: _run(
        {
            "loss": e.MultiLabelHead(3, loss_reduction="sum").loss(
                tf.constant(_OF_CUBE),
                tf.constant(_CUBE),
                {},
                "train",
                [tf.constant(0.5), tf.constant(0.25)],
            )
        }
    ),
    "loss_of_heads": lambda e: _run(
        {
            "loss": _pair(e, head_weights=[3.0, 1.0]).loss(
                {"a": tf.ones([4], tf.int64), "b": tf.ones([4, 2])},
                {"a": tf.constant(_LOGITS[:, :1]), "b": tf.constant(_LOGITS[:, 1:] + 0.5)},
                {},
                regularization_losses=[tf.constant(0.5)],
            )
        }
    ),
    "properties": lambda e: {
        "name": np.array(_pair(e).name),
        "logits_dimension": np.array(_pair(e).logits_dimension),
        "loss_reduction": np.array(_pair(e).loss_reduction),
        "no_name": np.array(str(e.MultiLabelHead(3).name)),
    },
}


def values(module: Any, name: str) -> dict[str, Any]:
    """Returns arrays by name, of one of VALUES."""
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        found = VALUES[name](module)
    return {
        "/".join(key) if isinstance(key, tuple) else key: head_cases.stored(np.asarray(value))
        for key, value in found.items()
    }


def _pair(module: Any, **given: Any) -> Any:
    heads = [module.BinaryClassHead(name="a"), module.RegressionHead(2, name="b")]
    return module.MultiHead(heads, **given)


def _no_op(loss: Any) -> Any:
    return tf.no_op()


_LOGITS = np.zeros((4, 3), np.float32)

ERRORS: dict[str, Callable[[Any], Any]] = {
    "one_class": lambda e: e.MultiLabelHead(1),
    "no_classes": lambda e: e.MultiLabelHead(None),
    "threshold": lambda e: e.MultiLabelHead(3, thresholds=[0.5, 1.0]),
    "vocabulary_of_a_word": lambda e: e.MultiLabelHead(3, label_vocabulary="abc"),
    "vocabulary_of_two": lambda e: e.MultiLabelHead(3, label_vocabulary=["a", "b"]),
    "class_of_metrics": lambda e: e.MultiLabelHead(3, classes_for_class_based_metrics=[0, 3]),
    "name_of_metrics": lambda e: e.MultiLabelHead(
        3, label_vocabulary=canned_cases.VOCABULARY, classes_for_class_based_metrics=["lowest"]
    ),
    "loss_fn_without_logits": lambda e: e.MultiLabelHead(3, loss_fn=lambda labels: labels),
    "loss_fn_with_more": lambda e: e.MultiLabelHead(3, loss_fn=lambda labels, logits, more: labels),
    "reduction": lambda e: e.MultiLabelHead(3, loss_reduction="median"),
    "no_reduction": lambda e: e.LogisticRegressionHead(loss_reduction="none"),
    "label_dimension": lambda e: e.PoissonRegressionHead(0),
    "key_of_predictions": lambda e: e.MultiLabelHead(3).predictions(_LOGITS, ["classes"]),
    "logits": lambda e: e.MultiLabelHead(2).predictions(_LOGITS),
    "labels_of_floats": lambda e: e.MultiLabelHead(3).loss(
        tf.SparseTensor([[0, 0]], [1.5], [4, 1]), tf.constant(_LOGITS), {}
    ),
    "no_labels": lambda e: e.MultiLabelHead(3).loss(None, tf.constant(_LOGITS), {}),
    "no_optimizer": lambda e: e.MultiLabelHead(3).create_estimator_spec(
        {}, "train", tf.constant(_LOGITS), tf.ones([4, 3], tf.int64)
    ),
    "optimizer_and_function": lambda e: e.MultiLabelHead(3).create_estimator_spec(
        {},
        "train",
        tf.constant(_LOGITS),
        tf.ones([4, 3], tf.int64),
        optimizer=tf.train.AdagradOptimizer(0.1),
        train_op_fn=_no_op,
    ),
    "update_ops": lambda e: e.MultiLabelHead(3).create_estimator_spec(
        {},
        "train",
        tf.constant(_LOGITS),
        tf.ones([4, 3], tf.int64),
        train_op_fn=_no_op,
        update_ops={},
    ),
    "keras_without_variables": lambda e: e.MultiLabelHead(3).create_estimator_spec(
        {},
        "train",
        tf.constant(_LOGITS),
        tf.ones([4, 3], tf.int64),
        optimizer=tf.keras.optimizers.Adagrad(0.1),
    ),
    "keras_with_a_dict_of_variables": lambda e: e.MultiLabelHead(3).create_estimator_spec(
        {},
        "train",
        tf.constant(_LOGITS),
        tf.ones([4, 3], tf.int64),
        optimizer=tf.keras.optimizers.Adagrad(0.1),
        trainable_variables={},
    ),
    "no_heads": lambda e: e.MultiHead([]),
    "head_weights": lambda e: _pair(e, head_weights=[1.0]),
    "logits_of_a_head": lambda e: _pair(e).predictions({"a": _LOGITS}),
    "labels_by_name": lambda e: _pair(e).loss(1, tf.constant(_LOGITS), {}),
    "labels_of_a_head": lambda e: _pair(e).loss({"b": 1}, tf.constant(_LOGITS), {}),
    "reductions": lambda e: (
        e.MultiHead(
            [
                e.BinaryClassHead(name="a", loss_reduction="sum"),
                e.RegressionHead(2, name="b", loss_reduction="sum_over_batch_size"),
            ]
        ).loss_reduction
    ),
    "labels_above_1": lambda e: _run(
        e.MultiLabelHead(3).loss(_fed(np.full([4, 3], 2)), tf.constant(_LOGITS), {})
    ),
    "share_above_1": lambda e: _run(
        e.LogisticRegressionHead().loss(
            _fed(np.full([4, 1], 1.5, np.float32)), tf.constant(_LOGITS[:, :1]), {}
        )
    ),
    "ids_above_2": lambda e: _run(
        e.MultiLabelHead(3).loss(
            tf.SparseTensor([[0, 0]], _fed(np.array([3])), [4, 1]), tf.constant(_LOGITS), {}
        )
    ),
    "shape_of_the_loss": lambda e: _run(
        e.MultiLabelHead(3, loss_fn=lambda labels, logits: logits).loss(
            tf.ones([4, 3], tf.int64), _fed(_LOGITS), {}
        )
    ),
}


def _fed(value: Any) -> Any:
    """Returns a tensor whose value is not known before the graph is run."""
    return tf.placeholder_with_default(value, value.shape)


def _run(tensor: Any) -> Any:
    with tf.Session() as session:
        return session.run(tensor)


def message(module: Any, name: str) -> str:
    """Returns the type and message of the error of a case.

    Of one that is raised when the graph is run only the type and the line that the head wrote.
    """
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        try:
            ERRORS[name](module)
        except tf.errors.InvalidArgumentError as error:
            text = str(error)
            start = text.index("assertion failed: [") + len("assertion failed: [")
            return "InvalidArgumentError: " + text[start:].split("] [")[0]
        except Exception as error:  # whatever it is is what is compared
            return type(error).__name__ + ": " + str(error)
    return ""
