"""What training on towers does, quirk by quirk: 1.1 to 1.11 of semantics.md.

Python 3.7 has to understand this file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import replicated_models as models
import tensorflow as tf
from replicated_models import TRAIN, TWO, X, Y, estimator, squared, train_spec, trained

Reduction = tf.losses.Reduction


def plain_model(features: Any, labels: Any, mode: str) -> Any:
    """Is the network with the mean of the squared error."""
    del mode
    return train_spec(squared(labels, models.network(features)))


def summed_model(features: Any, labels: Any, mode: str) -> Any:
    """Is the network with the sum of the squared error."""
    del mode
    loss = squared(labels, models.network(features), Reduction.SUM)
    return train_spec(loss, tf.train.GradientDescentOptimizer(0.01))


def split() -> dict[str, Any]:
    """1.1: which rows each tower gets."""
    indices = [[0, 0], [1, 2], [2, 1], [3, 0], [4, 2]]
    seen: list[Any] = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del mode
        sparse = features["sparse"]
        seen.append(
            [features["rows"], labels["y"], sparse.indices, sparse.values, sparse.dense_shape]
        )
        return tf.estimator.EstimatorSpec("infer", predictions={"rows": features["rows"]})

    with tf.Graph().as_default():
        features = {
            "rows": tf.range(8),
            "sparse": tf.SparseTensor(indices, tf.constant([1, 2, 3, 4, 5]), [5, 3]),
        }
        replicated = estimator.replicate_model_fn(model_fn, devices=TWO)
        spec = replicated(features, {"y": 10 * tf.range(8)}, "infer")
        with models.session() as opened:
            shares = [[value.tolist() for value in tower] for tower in opened.run(seen)]
            return {"towers": shares, "joined": opened.run(spec.predictions["rows"]).tolist()}


def divisibility() -> dict[str, Any]:
    """1.2: batches that cannot be split, known before the run and in it."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.placeholder(tf.float32, [None, 1])
        spec = estimator.replicate_model_fn(plain_model, devices=TWO)(x, y, TRAIN)
        with models.initialized() as opened:
            fits = [float(opened.run(spec.loss, {x: X[:rows], y: Y[:rows]})) for rows in (8, 4, 2)]
            late = models.error_of(lambda: opened.run(spec.loss, {x: X[:7], y: Y[:7]}), whole=False)
    return {
        "fits": fits,
        "late": late,
        "static": models.error_of(lambda: trained(plain_model, features=X[:7], labels=Y[:7])),
        "dict": models.error_of(lambda: trained(plain_model, features={"x": X[:5]}, labels=Y[:5])),
    }


def reductions() -> dict[str, Any]:
    """1.3 to 1.5: the loss and its gradients under each reduction, and without towers."""
    found: dict[str, Any] = {}
    for reduction in (*sorted(set(Reduction.all()) - {Reduction.NONE}), None):
        for name, model in (("mean", plain_model), ("sum", summed_model)):
            if reduction is None:
                result = models.trained_plainly(model)
            else:
                result = trained(model, reduction)
            found["{}/{}".format(name, reduction or "plain")] = {
                "losses": result["losses"],
                "variables": result["variables"],
            }
    found["none"] = models.error_of(
        lambda: estimator.replicate_model_fn(plain_model, Reduction.NONE, TWO)
    )
    return found


def three_towers() -> dict[str, Any]:
    """1.4 with more than two towers, two of them on one device."""
    towers = [*TWO, "/device:CPU:0"]
    return trained(plain_model, devices=towers, features=X[:6], labels=Y[:6])


def weighted() -> dict[str, Any]:
    """1.6: weights that are zero for rows of one tower mainly."""
    weights = np.array([1, 0, 0, 0, 1, 1, 1, 1], np.float32)[:, np.newaxis]

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del mode
        found = models.network(features[:, :4])
        return train_spec(tf.losses.mean_squared_error(labels, found, weights=features[:, 4:]))

    features = np.concatenate([X, weights], axis=1)
    return {
        "towers": trained(model_fn, features=features)["losses"],
        "sum": trained(model_fn, Reduction.SUM, features=features)["losses"],
        "plain": models.trained_plainly(model_fn, features=features)["losses"],
    }


def sparse_gradients() -> dict[str, Any]:
    """1.7: an embedding whose rows are looked up by several towers."""
    ids = np.array([0, 1, 1, 3, 1, 0, 5, 0], np.int64)
    optimizers = {
        "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
        "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
        "adam": lambda: tf.train.AdamOptimizer(0.1),
        "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    }
    found: dict[str, Any] = {}
    for name, make in sorted(optimizers.items()):

        def model_fn(features: Any, labels: Any, mode: str, make: Any = make) -> Any:
            del mode
            table = tf.get_variable("table", [6, 3], initializer=models.fixed)
            looked_up = tf.nn.embedding_lookup(table, features)
            loss = squared(labels, tf.reduce_sum(looked_up, axis=1, keepdims=True))
            return train_spec(loss, make())

        for kind, train in (("towers", trained), ("plain", models.trained_plainly)):
            result = train(model_fn, features=ids)
            found[name + "/" + kind] = [result["losses"], result["variables"]["table"]]
    return found


def _clipped(pairs_of: Any) -> Any:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del mode
        loss = squared(labels, models.network(features))
        optimizer = estimator.TowerOptimizer(tf.train.GradientDescentOptimizer(0.5))
        gradients, variables = zip(*optimizer.compute_gradients(loss))  # noqa: B905 - Python 3.7
        gradients, _ = tf.clip_by_global_norm(gradients, 0.4)
        step = tf.train.get_or_create_global_step()
        train_op = optimizer.apply_gradients(pairs_of(gradients, variables), global_step=step)
        return tf.estimator.EstimatorSpec(TRAIN, loss=loss, train_op=train_op)

    return model_fn


def clipped() -> dict[str, Any]:
    """1.8: clipping between compute_gradients and apply_gradients."""
    return trained(_clipped(lambda *pair: list(zip(*pair))))  # noqa: B905 - Python 3.7


def zipped() -> dict[str, Any]:
    """1.9: the same with an iterator."""
    return trained(_clipped(zip))


def graph_collections() -> dict[str, Any]:
    """1.10: get_total_loss sees the losses of the towers before."""

    def model_fn(features: Any, labels: Any, mode: str, regularizer: Any = None) -> Any:
        del mode
        with tf.variable_scope("net", regularizer=regularizer):
            squared(labels, models.network(features))
        return train_spec(tf.losses.get_total_loss())

    def regularized(features: Any, labels: Any, mode: str) -> Any:
        return model_fn(features, labels, mode, lambda w: 0.1 * tf.reduce_sum(w * w))

    return {
        "losses": trained(model_fn)["losses"],
        "regularized": trained(regularized)["losses"],
        "plain": models.trained_plainly(regularized)["losses"],
    }


def update_ops() -> dict[str, Any]:
    """1.11: every tower's moving averages are updated, in no fixed order."""
    seen: list[int] = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        del mode
        with tf.variable_scope("net"):
            normal = tf.layers.batch_normalization(features, momentum=0.9, training=True)
            loss = squared(labels, models.network(normal))
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        seen.append(len(updates))
        with tf.control_dependencies(updates):
            return train_spec(loss)

    result = trained(model_fn, steps=1)
    longer = trained(model_fn, steps=4)
    moving = [name for name in result["variables"] if "moving" in name]
    return {
        "updates": seen[:2],
        "losses": longer["losses"],
        "moving": sorted(moving),
        "weights": longer["variables"]["net/w1"],
        "racy": result["variables"]["net/batch_normalization/moving_mean"],
        "means": [X[:4].mean(axis=0).tolist(), X[4:].mean(axis=0).tolist()],
    }
