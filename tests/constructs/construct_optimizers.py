"""Every optimizer of tf.train, and several in one train op."""

from __future__ import annotations

import tensorflow.compat.v1 as tf
from construct_library import finish


def _embedding_and_layers(features):
    """A model with dense and sparse gradients."""
    with tf.variable_scope("model"):
        table = tf.get_variable("table", [10, 3], initializer=tf.random_normal_initializer())
        looked_up = tf.reduce_mean(tf.nn.embedding_lookup(table, features["ids"]), axis=1)
        hidden = tf.layers.dense(features["x"], 5, activation=tf.tanh, name="hidden")
        return tf.layers.dense(tf.concat([hidden, looked_up], 1), 1, name="output")


def _with(make_optimizer):
    def construct(library, features, labels, mode):
        output = _embedding_and_layers(features)
        return finish(library, mode, labels, output, make_optimizer())

    return construct


def _dual_averaging():
    return tf.train.AdagradDAOptimizer(
        0.1, tf.train.get_global_step(), l1_regularization_strength=0.001
    )


def _decayed():
    rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 3, 0.9, staircase=True)
    return tf.train.GradientDescentOptimizer(rate)


OPTIMIZERS = {
    "gradient_descent": lambda: tf.train.GradientDescentOptimizer(0.05),
    "decayed_rate": _decayed,
    "momentum": lambda: tf.train.MomentumOptimizer(0.02, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.02),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(0.5),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.01),
    "rmsprop_centered": lambda: tf.train.RMSPropOptimizer(0.01, momentum=0.5, centered=True),
    "ftrl": lambda: tf.train.FtrlOptimizer(
        0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01
    ),
    "proximal_adagrad": lambda: tf.train.ProximalAdagradOptimizer(
        0.1, l1_regularization_strength=0.01
    ),
    "proximal_gradient_descent": lambda: tf.train.ProximalGradientDescentOptimizer(
        0.05, l2_regularization_strength=0.01
    ),
    "adagrad_da": _dual_averaging,
}


def two_optimizers(library, features, labels, mode):
    """A wide part and a deep one, each with its optimizer; one of them counts the steps."""
    with tf.variable_scope("wide"):
        wide = tf.layers.dense(features["x"], 1, name="output")
    with tf.variable_scope("deep"):
        hidden = tf.layers.dense(features["x"], 4, activation=tf.tanh, name="hidden")
        deep = tf.layers.dense(hidden, 1, name="output")
    loss = tf.losses.mean_squared_error(labels, wide + deep)
    train_op = None
    if mode == library.estimator.ModeKeys.TRAIN:
        ftrl = library.wrap(tf.train.FtrlOptimizer(0.1))
        adam = library.wrap(tf.train.AdamOptimizer(0.02))
        train_op = tf.group(
            ftrl.minimize(loss, var_list=tf.trainable_variables("wide")),
            adam.minimize(
                loss,
                global_step=tf.train.get_global_step(),
                var_list=tf.trainable_variables("deep"),
            ),
        )
    return library.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def clipped_gradients(library, features, labels, mode):
    """Gradients clipped by their global norm, between computing and applying them."""
    output = _embedding_and_layers(features)
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = None
    if mode == library.estimator.ModeKeys.TRAIN:
        optimizer = library.wrap(tf.train.AdamOptimizer(0.02))
        pairs = optimizer.compute_gradients(loss)
        clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 0.5)
        pairs = [(clipped[i], pairs[i][1]) for i in range(len(pairs))]
        train_op = optimizer.apply_gradients(pairs, tf.train.get_global_step())
    return library.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


CONSTRUCTS = {"optimizer_" + name: _with(make) for name, make in OPTIMIZERS.items()}
CONSTRUCTS["two_optimizers"] = two_optimizers
CONSTRUCTS["clipped_gradients"] = clipped_gradients
