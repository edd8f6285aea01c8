"""What the programs of this folder share: one source that runs on TensorFlow 1.15 and on 2.x.

A construct is a function (library, features, labels, mode) -> EstimatorSpec. On TensorFlow 1.15 the
library is tf.estimator and tf.contrib, on 2.x the runtime; ``run`` trains and evaluates a construct
with either, on one device or on two. Python 3.7, for TensorFlow 1.15.
"""

from __future__ import annotations

import os
from collections import namedtuple

import numpy as np
import tensorflow.compat.v1 as tf

STEPS = 12
ROWS = 8  # rows of a global batch; each of two replicas gets four
WIDTH = 6
BATCHES = 3

Library = namedtuple(
    "Library",
    [
        "estimator",  # Estimator, EstimatorSpec, ModeKeys, RunConfig
        "wrap",  # of an optimizer: TowerOptimizer where there are towers
        "slim",
        "layers",  # of tf.contrib
        "folder",  # where a program may write
    ],
)

_random = np.random.RandomState(11)
COUNT = ROWS * BATCHES
X = _random.normal(size=(COUNT, WIDTH)).astype(np.float32)
IDS = _random.randint(0, 10, size=(COUNT, 4)).astype(np.int64)
LENGTHS = _random.randint(1, 5, size=COUNT).astype(np.int32)
WORDS = np.array([b"red", b"green", b"blue", b"none of them"])[_random.randint(0, 4, size=COUNT)]
IMAGES = _random.normal(size=(COUNT, 6, 6, 2)).astype(np.float32)
Y = (X.sum(axis=1, keepdims=True) + 0.3 * IDS[:, :1]).astype(np.float32)


def features_of_rows():
    """Returns the arrays of all rows by the name of the feature."""
    return {"x": X, "ids": IDS, "lengths": LENGTHS, "words": WORDS, "image": IMAGES}


def dataset_input(library):
    """The input function of a construct that has none of its own: all rows, in order."""
    del library
    rows = tf.data.Dataset.from_tensor_slices((features_of_rows(), Y))
    return rows.repeat(40).batch(ROWS)


def evaluation_input():
    """All rows, once."""
    return tf.data.Dataset.from_tensor_slices((features_of_rows(), Y)).batch(ROWS)


def gradient_descent():
    """Returns the optimizer of a construct that is not about optimizers."""
    return tf.train.GradientDescentOptimizer(0.05)


def finish(library, mode, labels, output, optimizer=None, loss=None, after=None, **fields):
    """Returns the spec of a model that regresses labels.

    Args:
        library: the Library.
        mode: TRAIN or EVAL.
        labels: float32 [rows, 1].
        output: float32 [rows, 1].
        optimizer: the optimizer, gradient descent by default.
        loss: the loss, the mean squared error by default.
        after: from the train op to the train op.
        fields: more fields of the spec.
    """
    if loss is None:
        loss = tf.losses.mean_squared_error(labels, output)
    train_op = None
    if mode == library.estimator.ModeKeys.TRAIN:
        wrapped = library.wrap(optimizer or gradient_descent())
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = wrapped.minimize(loss, global_step=tf.train.get_global_step())
        if after:
            train_op = after(train_op)
    else:
        fields["eval_metric_ops"] = {"error": tf.metrics.mean_absolute_error(labels, output)}
    return library.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, **fields)


class Losses(tf.train.SessionRunHook):
    """Keeps the reported loss of every step."""

    def __init__(self):
        self.values = []

    def begin(self):
        # The Estimator puts the loss that it reports there last.
        self._loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self.values.append(float(run_values.results))


def run(library, make_estimator, construct, input_fn=None):
    """Trains and evaluates a construct.

    Args:
        library: the Library.
        make_estimator: from a model function and a model_dir to an Estimator.
        construct: the construct.
        input_fn: the construct's own input function, of the library.

    Returns:
        Arrays by name: "loss" float64 [STEPS], "variable/<name>", "metric/<name>".
    """

    def model_fn(features, labels, mode):
        return construct(library, features, labels, mode)

    losses = Losses()
    trained = make_estimator(model_fn, os.path.join(library.folder, "model"))
    trained.train(lambda: (input_fn or dataset_input)(library), hooks=[losses], steps=STEPS)
    metrics = trained.evaluate(evaluation_input)
    arrays = {"loss": np.asarray(losses.values)}
    for name in trained.get_variable_names():
        arrays["variable/" + name] = np.asarray(trained.get_variable_value(name))
    for name, value in metrics.items():
        arrays["metric/" + name] = np.asarray(value)
    return arrays
