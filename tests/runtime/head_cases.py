"""Heads with fixed data, for TensorFlow 1.15 and for the runtime alike.

``scripts/record/record_heads.py`` runs every case with TensorFlow 1.15's tf.estimator and stores
what comes out; the tests run the same cases with the runtime. Python 3.7 has to understand this
file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import canned_cases
import numpy as np
import tensorflow.compat.v1 as tf
from canned_cases import BATCH, FEATURES, NUMBERS, ROWS, STEPS, THREE, TWO, VOCABULARY

_random = np.random.RandomState(17)
SEVERAL = _random.randint(0, 2, size=(ROWS, 3))
SHARES = _random.uniform(0.0, 1.0, size=ROWS).astype(np.float32)
COUNTS = _random.poisson(1.5, size=(ROWS, 2)).astype(np.float32)
# Padded: "" and -1 are no labels.
WORDS = np.where(SEVERAL == 1, np.array(VOCABULARY), "")
IDS = np.where(SEVERAL == 1, np.arange(3), -1)
LETTERS = np.array(["no", "yes"])[TWO]


def hinge(labels: Any, logits: Any, features: Any) -> Any:
    """A loss of the caller's that looks at a feature."""
    signs = 2.0 * tf.cast(labels, tf.float32) - 1.0
    of_classes = tf.nn.relu(1.0 - signs * logits) * features["x"][:, :1] ** 2
    return tf.reduce_sum(of_classes, axis=-1, keepdims=True)


def quartic(labels: Any, logits: Any) -> Any:
    """A loss of the caller's for regression."""
    return (labels - logits) ** 4


def three_heads(module: Any, **given: Any) -> Any:
    """Returns a head for multi-label classification, two classes and counts."""
    return module.MultiHead(
        [
            module.MultiLabelHead(3, name="several", thresholds=[0.4]),
            module.BinaryClassHead(name="two", weight_column="w"),
            module.PoissonRegressionHead(2, name="counts"),
        ],
        **given,
    )


OF_THREE_HEADS = {"several": SEVERAL, "two": TWO, "counts": COUNTS}


class Case(NamedTuple):
    """A model.

    Attributes:
        head: from the estimator module to a head.
        labels: array [ROWS, ...], or arrays by name.
        pad: what stands for no label in labels that the input gives as a SparseTensor.
        logits_by_name: whether the model function gives logits by the name of their head.
        regularization: whether it gives regularization losses.
        canned: whether a DNNEstimator is used.
        optimizer: of a model function: "Adagrad", "Adam", or "Keras" for its Adagrad.
    """

    head: Callable[[Any], Any]
    labels: Any
    pad: Any = None
    logits_by_name: bool = False
    regularization: bool = False
    canned: bool = False
    optimizer: str = "Adagrad"


CASES: dict[str, Case] = {
    "multi_label": Case(
        lambda e: e.MultiLabelHead(
            3,
            weight_column="w",
            thresholds=[0.3, 0.5],
            classes_for_class_based_metrics=[0, 2],
        ),
        SEVERAL,
        regularization=True,
    ),
    "multi_label_of_words": Case(
        lambda e: e.MultiLabelHead(
            3,
            weight_column="w",
            label_vocabulary=VOCABULARY,
            classes_for_class_based_metrics=["high"],
            name="words",
        ),
        WORDS,
        pad="",
    ),
    "multi_label_of_ids": Case(lambda e: e.MultiLabelHead(3), IDS, pad=-1),
    "multi_label_by_a_sum": Case(
        lambda e: e.MultiLabelHead(3, loss_reduction="sum", loss_fn=hinge), SEVERAL
    ),
    "multi_label_of_a_network": Case(
        lambda e: e.MultiLabelHead(3, weight_column="w"), SEVERAL, canned=True
    ),
    "multi_label_by_keras": Case(
        lambda e: e.MultiLabelHead(3, weight_column="w"), SEVERAL, optimizer="Keras"
    ),
    "multi_head_by_keras": Case(
        three_heads, OF_THREE_HEADS, optimizer="Keras", regularization=True
    ),
    "logistic": Case(
        lambda e: e.LogisticRegressionHead(weight_column="w", name="share"),
        SHARES,
        regularization=True,
    ),
    "logistic_by_a_sum": Case(lambda e: e.LogisticRegressionHead(loss_reduction="sum"), SHARES),
    "poisson": Case(lambda e: e.PoissonRegressionHead(2, weight_column="w"), COUNTS),
    "poisson_of_one": Case(
        lambda e: e.PoissonRegressionHead(
            weight_column=tf.feature_column.numeric_column(
                "w", normalizer_fn=lambda weights: 2.0 * weights
            ),
            loss_reduction="sum",
            compute_full_loss=False,
            name="count",
        ),
        COUNTS[:, 0],
    ),
    "poisson_of_a_network": Case(lambda e: e.PoissonRegressionHead(2), COUNTS, canned=True),
    "multi_head": Case(three_heads, OF_THREE_HEADS, regularization=True),
    "multi_head_with_weights": Case(
        lambda e: three_heads(e, head_weights=[0.5, 2.0, 0.1]),
        OF_THREE_HEADS,
        logits_by_name=True,
        optimizer="Adam",
    ),
    "multi_head_of_a_network": Case(three_heads, OF_THREE_HEADS, canned=True),
    "multi_head_of_others": Case(
        lambda e: e.MultiHead(
            [
                e.RegressionHead(2, name="numbers"),
                e.MultiClassHead(3, label_vocabulary=VOCABULARY, name="three"),
                e.LogisticRegressionHead(name="share"),
            ]
        ),
        {"numbers": NUMBERS, "three": THREE, "share": SHARES},
    ),
    "binary": Case(
        lambda e: e.BinaryClassHead(
            weight_column="w", thresholds=[0.4, 0.6], label_vocabulary=["no", "yes"]
        ),
        LETTERS,
        regularization=True,
    ),
    "multi_class": Case(
        lambda e: e.MultiClassHead(3, weight_column="w", label_vocabulary=VOCABULARY, name="three"),
        THREE,
    ),
    "regression": Case(
        lambda e: e.RegressionHead(
            2, weight_column="w", loss_fn=quartic, inverse_link_fn=tf.tanh, loss_reduction="sum"
        ),
        NUMBERS,
    ),
}


class TakingOptimizers:
    """A head of TensorFlow 1.15 for its version 1 of DNNEstimator.

    Such heads take Keras optimizers alone, and such estimators tf.train's alone.
    """

    def __init__(self, head: Any) -> None:
        self._head = head
        self.logits_dimension = head.logits_dimension

    def create_estimator_spec(self, optimizer: Any = None, **given: Any) -> Any:
        """Returns the head's EstimatorSpec."""
        return self._head.create_estimator_spec(train_op_fn=training(optimizer), **given)


def training(optimizer: Any) -> Callable[[Any], Any]:
    """Returns a function from the loss to the training op."""
    return lambda loss: optimizer.minimize(loss, global_step=tf.train.get_global_step())


def _training_arguments(name: str) -> dict[str, Any]:
    if name == "Keras":
        optimizer = tf.keras.optimizers.Adagrad(0.1)
        optimizer.iterations = tf.train.get_or_create_global_step()
        return {"optimizer": optimizer, "trainable_variables": tf.trainable_variables()}
    by_name = {"Adagrad": tf.train.AdagradOptimizer, "Adam": tf.train.AdamOptimizer}
    return {"train_op_fn": training(by_name[name](0.1))}


def model_function(module: Any, case: Case) -> Callable[..., Any]:
    """Returns a model function with a hidden layer under the case's head."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        head = case.head(module)
        # TensorFlow 1.15's Keras optimizers make no slots of other variables.
        tf.get_variable_scope().set_use_resource(case.optimizer == "Keras")
        net = tf.layers.dense(features["x"], 4, activation=tf.nn.tanh, name="hidden")
        with tf.variable_scope("hidden", reuse=True):
            kernel = tf.get_variable("kernel", [2, 4])
        logits = tf.layers.dense(net, head.logits_dimension, name="logits")
        if case.logits_by_name:
            parts = tf.split(logits, [3, 1, 2], axis=-1)
            logits = dict(zip(["several", "two", "counts"], parts))  # noqa: B905 (Python 3.7)
        return head.create_estimator_spec(
            features=features,
            mode=mode,
            logits=logits,
            labels=labels,
            **_training_arguments(case.optimizer),
            regularization_losses=[0.01 * tf.nn.l2_loss(kernel)] if case.regularization else None,
        )

    return model_fn


def input_function(case: Case, epochs: Any) -> Callable[[], Any]:
    """Returns an input function over the case's rows in their order."""

    def sparse(features: Any, labels: Any) -> Any:
        there = tf.not_equal(labels, tf.constant(case.pad, labels.dtype))
        indices = tf.where(there)
        shape = tf.shape(labels, out_type=tf.int64)
        return features, tf.SparseTensor(indices, tf.gather_nd(labels, indices), shape)

    def input_fn() -> Any:
        dataset = tf.data.Dataset.from_tensor_slices((FEATURES, case.labels))
        dataset = dataset.repeat(epochs).batch(BATCH, drop_remainder=True)
        return dataset if case.pad is None else dataset.map(sparse)

    return input_fn


def make(module: Any, name: str, folder: str, config: Any, start: Any) -> Any:
    """Returns the Estimator of a case; see ``results``."""
    case = CASES[name]
    if not case.canned:
        return module.Estimator(model_function(module, case), folder, config, warm_start_from=start)
    head = case.head(module)
    if module is getattr(tf, "estimator", None):
        head = TakingOptimizers(head)
    return module.DNNEstimator(
        head,
        [4],
        canned_cases.dense_columns(),
        model_dir=folder,
        config=config,
        warm_start_from=start,
    )


def results(module: Any, name: str, folder: str, config: Any, start: Any) -> dict[str, Any]:
    """Trains, evaluates, predicts with and exports a model.

    Args:
        module: tf.estimator, or the runtime's.
        name: of the case.
        folder: the model_dir.
        config: the RunConfig.
        start: a checkpoint with the initial values, None for the model's own.

    Returns:
        Arrays by name: initial/*, loss, variable/*, metric/*, prediction/*, signature/*, served/*.
    """
    case = CASES[name]
    model = make(module, name, folder, config, start)
    observer = canned_cases.Observer()
    model.train(input_function(case, None), steps=STEPS, hooks=[observer])
    found = {"initial/" + key: value for key, value in observer.initial.items()}
    found["loss"] = np.array(observer.losses)
    for variable in model.get_variable_names():
        found["variable/" + variable] = model.get_variable_value(variable)
    for key, value in model.evaluate(input_function(case, 1)).items():
        found["metric/" + key] = np.asarray(value)
    rows = list(model.predict(input_function(case, 1)))
    for key in rows[0]:
        column = np.stack([row[key] for row in rows])
        path = "/".join(key) if isinstance(key, tuple) else key
        found["prediction/" + path] = stored(column)
    found.update(_exported(module, model, folder + "-exported"))
    return found


def stored(values: Any) -> Any:
    """Returns values as an array that npz files take."""
    return values.astype("S") if values.dtype == object else values


def _exported(module: Any, model: Any, folder: str) -> dict[str, Any]:
    """Returns what the signatures of a SavedModel are, and what they give for the rows."""
    spec = {
        "x": tf.FixedLenFeature([2], tf.float32),
        "c": tf.FixedLenFeature([2], tf.string),
        "d": tf.FixedLenFeature([], tf.int64),
        "w": tf.FixedLenFeature([], tf.float32),
    }
    receiver = module.export.build_parsing_serving_input_receiver_fn(spec)
    path = model.export_saved_model(folder, receiver)
    found = {}
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], path)
        for name, signature in loaded.signature_def.items():
            found["signature/" + name] = np.array(signature.method_name)
            (examples,) = signature.inputs.values()
            outputs = {key: info.name for key, info in signature.outputs.items()}
            served = session.run(outputs, {examples.name: _serialized()})
            for key, value in served.items():
                found["served/" + name + "/" + key] = stored(value)
    return found


def _serialized() -> list[bytes]:
    def one(row: int) -> bytes:
        kinds = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=FEATURES["x"][row])),
            "c": tf.train.Feature(
                bytes_list=tf.train.BytesList(value=[c.encode() for c in FEATURES["c"][row]])
            ),
            "d": tf.train.Feature(int64_list=tf.train.Int64List(value=[FEATURES["d"][row]])),
            "w": tf.train.Feature(float_list=tf.train.FloatList(value=[FEATURES["w"][row]])),
        }
        example = tf.train.Example(features=tf.train.Features(feature=kinds))
        return bytes(example.SerializeToString())

    return [one(row) for row in range(ROWS)]
