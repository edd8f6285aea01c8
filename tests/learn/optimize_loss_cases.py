"""Trainings with optimize_loss, on TensorFlow 1.15 and on 2.x, on one device and on two.

A case is a function (library, loss) that returns a training op. Python 3.7, for TensorFlow 1.15.
"""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

STEPS = 10
ROWS = 8  # rows of a global batch; each of two replicas gets four

Library = namedtuple(
    "Library",
    [
        "optimize_loss",
        "adaptive_clipping_fn",
        "wrap",  # of an optimizer: TowerOptimizer where there are towers
        "spec",  # EstimatorSpec
        "scope",  # of a default name: towers failed without a name, which they made unique
    ],
)

_random = np.random.RandomState(3)
X = _random.normal(size=(ROWS * 3, 4)).astype(np.float32)
IDS = _random.randint(0, 6, size=ROWS * 3)
Y = (X.sum(axis=1, keepdims=True) + 0.3 * IDS[:, None]).astype(np.float32)
W0 = _random.normal(size=(4, 1)).astype(np.float32)
TABLE0 = _random.normal(size=(6, 1)).astype(np.float32)


def input_fn():
    """All rows, in order, again and again."""
    rows = tf.data.Dataset.from_tensor_slices(({"x": X, "ids": IDS}, Y))
    return rows.repeat().batch(ROWS)


def constant_noise(shape, *unused, **options):
    """Stands for truncated normal noise, which no two versions of TensorFlow draw alike."""
    del unused, options
    return tf.fill(shape, 0.1)


def _descent(library, **options):
    """A step of gradient descent; options may replace what is given here."""
    given = {
        "global_step": tf.train.get_global_step(),
        "learning_rate": 0.05,
        "optimizer": lambda rate: library.wrap(tf.train.GradientDescentOptimizer(rate)),
        "name": library.scope("OptimizeLoss"),
    }
    given.update(options)
    return lambda loss: library.optimize_loss(loss, **given)


def _simple(**options):
    return lambda library, loss: _descent(library, **options)(loss)


def _of_class(make):
    return lambda library, loss: _descent(
        library, learning_rate=0.1, optimizer=lambda rate: library.wrap(make(rate))
    )(loss)


def _decay(rate, step):
    return tf.train.exponential_decay(rate, step, 3, 0.5)


def instance(library, loss):
    made = library.wrap(tf.train.MomentumOptimizer(0.05, 0.5))
    return _descent(library, learning_rate=None, optimizer=made)(loss)


def function_without_rate(library, loss):
    def make():
        return library.wrap(tf.train.GradientDescentOptimizer(0.03))

    return _descent(library, learning_rate=None, optimizer=make)(loss)


def tensor_rate(library, loss):
    return _descent(library, learning_rate=tf.constant(0.02) * 2.0)(loss)


def adaptive(library, loss):
    clip = library.adaptive_clipping_fn(
        std_factor=0.1, report_summary=True, name=library.scope("AdaptiveMaxNorm")
    )
    return _descent(library, learning_rate=0.3, clip_gradients=clip)(loss)


def adaptive_from_the_start(library, loss):
    clip = library.adaptive_clipping_fn(
        decay=0.9,
        static_max_norm=1.5,
        global_step=tf.train.get_global_step(),
        epsilon=1e-6,
        name="clipping",
    )
    return _descent(library, clip_gradients=clip)(loss)


def own_clipping(library, loss):
    def clip(pairs):
        return [(tf.clip_by_value(g, -0.5, 0.5), variable) for g, variable in pairs]

    return _descent(library, clip_gradients=clip)(loss)


def multipliers(library, loss):
    by_name = {"w:0": 0.5, "model/table:0": 3.0, "other:0": 7.0}
    return _descent(library, gradient_multipliers=by_name)(loss)


def multipliers_of_variables(library, loss):
    w, table = (v for v in tf.trainable_variables() if "bias" not in v.name)
    return _descent(library, gradient_multipliers={w: tf.constant(2.0), table: 0})(loss)


def some_variables(library, loss):
    w = [v for v in tf.trainable_variables() if v.name == "w:0"]
    return _descent(library, variables=w, summaries=["gradients"])(loss)


def two_losses(library, loss):
    variables = tf.trainable_variables()
    first = _descent(library, variables=variables[:1], increment_global_step=False)(loss)
    second = _descent(library, variables=variables[1:], name="second")(2.0 * loss)
    return tf.group(first, second)


def update_ops_of_collection(library, loss):
    counter = tf.get_variable("counter", [], trainable=False, initializer=tf.zeros_initializer())
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, counter.assign_add(2.0).op)
    return _descent(library)(loss)


def given_update_ops(library, loss):
    counter = tf.get_variable("counter", [], trainable=False, initializer=tf.zeros_initializer())
    other = tf.get_variable("other", [], trainable=False, initializer=tf.zeros_initializer())
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, counter.assign_add(1.0).op)
    return _descent(library, update_ops=[other.assign_add(1.0).op])(loss)


CASES = {
    "SGD": _simple(optimizer="SGD"),
    "Adagrad": _simple(optimizer="Adagrad"),
    "Adam": _simple(optimizer="Adam"),
    "Ftrl": _simple(optimizer="Ftrl"),
    "Momentum": _simple(optimizer="Momentum"),
    "RMSProp": _simple(optimizer="RMSProp"),
    "class": _simple(optimizer=tf.train.AdamOptimizer),
    "function": _of_class(tf.train.AdamOptimizer),
    "instance": instance,
    "function_without_rate": function_without_rate,
    "decay": _simple(learning_rate_decay_fn=_decay),
    "decay_not_reported": _simple(learning_rate_decay_fn=_decay, summaries=["loss"]),
    "tensor_rate": tensor_rate,
    "graph_step": _simple(global_step=None),
    "named": _simple(name="training"),
    "clip": _simple(clip_gradients=0.4),
    "clip_all_summaries": _simple(
        clip_gradients=0.4,
        learning_rate_decay_fn=_decay,
        summaries=[
            "learning_rate",
            "loss",
            "gradients",
            "gradient_norm",
            "global_gradient_norm",
        ],
    ),
    "own_clipping": own_clipping,
    "adaptive": adaptive,
    "adaptive_from_the_start": adaptive_from_the_start,
    "noise": _simple(gradient_noise_scale=0.2, gradient_multipliers={"w:0": 2.0}),
    "multipliers": multipliers,
    "multipliers_of_variables": multipliers_of_variables,
    "some_variables": some_variables,
    "no_summaries": _simple(summaries=[]),
    "colocated": _simple(colocate_gradients_with_ops=True),
    "two_losses": two_losses,
    "update_ops_of_collection": update_ops_of_collection,
    "given_update_ops": given_update_ops,
}
# TowerOptimizer had to be told by the program: what these are on two towers is what they are on
# one device.
WITHOUT_TOWERS = ["SGD", "Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp", "class"]
WITHOUT_SUMMARIES = ["no_summaries", "some_variables"]
# What a tower does to gradients that is not linear is another thing on half of the rows.
NOT_THE_SAME_ON_TWO = [
    "adaptive",
    "adaptive_from_the_start",
    "clip",
    "clip_all_summaries",
    "noise",
    "own_clipping",
]
# Every tower counts; that is an accident of shared variables, and one device's is kept.
COUNTERS = ["update_ops_of_collection", "given_update_ops"]


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


def run(library, make_estimator, name, folder):
    """Trains a case.

    Args:
        library: the Library.
        make_estimator: from a model function and a model_dir to an Estimator that writes summaries
            of every step.
        name: the case.
        folder: an empty folder.

    Returns:
        Arrays by name: "loss" [STEPS], "variable/<name>", "summary/<tag>" [STEPS], which is empty
        for histograms.
    """

    def model_fn(features, labels, mode):
        w = tf.get_variable("w", initializer=tf.constant(W0))
        with tf.variable_scope("model"):
            table = tf.get_variable("table", initializer=tf.constant(TABLE0))
            bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
        output = tf.matmul(features["x"], w) + tf.nn.embedding_lookup(table, features["ids"])
        loss = tf.losses.mean_squared_error(labels, output + bias)
        return library.spec(mode, loss=loss, train_op=CASES[name](library, loss))

    losses = Losses()
    made = make_estimator(model_fn, str(folder))
    made.train(input_fn, hooks=[losses], steps=STEPS)
    arrays = {"loss": np.asarray(losses.values)}
    for variable in made.get_variable_names():
        arrays["variable/" + variable] = np.asarray(made.get_variable_value(variable))
    found = {}
    for path in sorted(Path(str(folder)).glob("events.*")):
        for event in tf.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if not value.tag.startswith("global_step/sec"):
                    steps = found.setdefault("summary/" + value.tag, [])
                    if value.HasField("simple_value"):
                        steps.append(value.simple_value)
    arrays.update({tag: np.asarray(values) for tag, values in found.items()})
    return arrays


def errors(optimize_loss):
    """Returns the messages of ValueErrors by what is wrong."""
    wrong = {
        "rate of an int": {"learning_rate": 1},
        "rate of a list": {"learning_rate": [0.1]},
        "negative rate": {"learning_rate": -0.1},
        "no rate for a name": {"learning_rate": None},
        "no rate for a class": {"learning_rate": None, "optimizer": tf.train.AdamOptimizer},
        "unknown name": {"optimizer": "adam"},
        "no optimizer": {"optimizer": 3},
        "summary": {"summaries": ["loss", "lr"]},
        "clip of an int": {"clip_gradients": 1},
        "no gradients": {"variables": ["other"]},
        "loss of two": {"loss": [1.0, 2.0]},
        "decay without a step": {"learning_rate_decay_fn": _decay},
    }
    found = {}
    for name, options in wrong.items():
        with tf.Graph().as_default():
            w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
            other = tf.get_variable("other", [], initializer=tf.zeros_initializer())
            given = {
                "loss": tf.square(w - 1.0),
                "global_step": None,
                "learning_rate": 0.1,
                "optimizer": "SGD",
            }
            given.update(options)
            if "variables" in given:
                given["variables"] = [other]
            try:
                optimize_loss(**given)
            except ValueError as error:
                # One message was not put together; variables have other types.
                text = error.args[0] % error.args[1:] if len(error.args) > 1 else str(error)
                found[name] = text.replace("float32_ref", "float32")
    return found
