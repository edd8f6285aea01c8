"""tf.layers, tf.contrib.layers and tf.contrib.slim, with batch normalisation and regularizers."""

from __future__ import annotations

import tensorflow.compat.v1 as tf
from construct_library import finish


def _with_regularization(library, mode, labels, output):
    loss = tf.losses.mean_squared_error(labels, output)
    loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
    return finish(library, mode, labels, output, loss=loss)


def core_layers(library, features, labels, mode):
    training = mode == library.estimator.ModeKeys.TRAIN
    with tf.variable_scope("model"):
        net = tf.layers.conv2d(
            features["image"], 3, 3, kernel_regularizer=tf.nn.l2_loss, name="convolution"
        )
        net = tf.layers.batch_normalization(net, training=training, momentum=0.9, name="norm")
        net = tf.layers.max_pooling2d(tf.nn.relu(net), 2, 2)
        net = tf.layers.dropout(tf.layers.flatten(net), 0.2, seed=5, training=training)
        net = tf.layers.dense(net, 4, activity_regularizer=tf.nn.l2_loss, name="hidden")
        output = tf.layers.dense(tf.tanh(net), 1, name="output")
    return _with_regularization(library, mode, labels, output)


def slim_network(library, features, labels, mode):
    """A network within an arg_scope, as slim.nets have them."""
    slim = library.slim
    training = mode == library.estimator.ModeKeys.TRAIN
    norm = {"is_training": training, "decay": 0.9, "scale": True}
    with (
        tf.variable_scope("model"),
        slim.arg_scope(
            [slim.conv2d, slim.fully_connected],
            normalizer_fn=slim.batch_norm,
            normalizer_params=norm,
            weights_regularizer=slim.l2_regularizer(0.01),
            weights_initializer=slim.variance_scaling_initializer(),
        ),
    ):
        net = slim.conv2d(features["image"], 3, [3, 3], scope="first")
        net = slim.max_pool2d(net, [2, 2], scope="pool")
        net = slim.repeat(net, 2, slim.conv2d, 3, [2, 2], scope="second")
        net = slim.separable_conv2d(net, None, [2, 2], 1, normalizer_fn=None, scope="third")
        net = slim.flatten(net)
        net = slim.fully_connected(net, 4, scope="hidden")
        output = slim.fully_connected(
            net, 1, activation_fn=None, normalizer_fn=None, scope="output"
        )
    return _with_regularization(library, mode, labels, output)


def slim_batch_norms(library, features, labels, mode):
    """The forms of batch_norm: fused and not, with centre and scale, of two and four axes."""
    slim = library.slim
    training = mode == library.estimator.ModeKeys.TRAIN
    with tf.variable_scope("model"):
        image = slim.batch_norm(
            features["image"], is_training=training, decay=0.9, fused=True, scope="fused"
        )
        plain = slim.batch_norm(
            features["image"], is_training=training, decay=0.9, fused=False, scope="plain"
        )
        rows = slim.batch_norm(features["x"], is_training=training, decay=0.8, scope="rows")
        net = tf.concat([slim.flatten(image + plain), rows], 1)
        output = slim.fully_connected(net, 1, activation_fn=None, scope="output")
    optimizer = tf.train.GradientDescentOptimizer(0.005)
    return finish(library, mode, labels, output, optimizer)


def batch_norm_in_place(library, features, labels, mode):
    """updates_collections=None: the layer itself waits for its averages."""
    slim = library.slim
    training = mode == library.estimator.ModeKeys.TRAIN
    with tf.variable_scope("model"):
        rows = slim.batch_norm(
            features["x"], is_training=training, decay=0.9, updates_collections=None, scope="rows"
        )
        output = slim.fully_connected(rows, 1, activation_fn=None, scope="output")
    return finish(library, mode, labels, output)


def contrib_layers(library, features, labels, mode):
    """tf.contrib.layers, and its optimize_loss."""
    layers = library.layers
    with tf.variable_scope("model"):
        sequence = layers.embed_sequence(features["ids"], 10, 3, scope="embedding")
        net = tf.concat([tf.reduce_mean(sequence, 1), features["x"]], 1)
        net = layers.fully_connected(
            net,
            5,
            activation_fn=tf.tanh,
            weights_initializer=layers.xavier_initializer(),
            weights_regularizer=layers.l1_l2_regularizer(0.001, 0.002),
            scope="hidden",
        )
        net = layers.layer_norm(net, scope="norm")
        net = layers.dropout(net, 0.9, is_training=mode == "train", seed=3)
        lengths = layers.one_hot_encoding(features["lengths"], 5)
        output = layers.linear(tf.concat([net, lengths], 1), 1, scope="output")
    loss = tf.losses.mean_squared_error(labels, output)
    loss += tf.losses.get_regularization_loss()
    train_op = None
    if mode == library.estimator.ModeKeys.TRAIN:
        train_op = layers.optimize_loss(
            loss,
            tf.train.get_global_step(),
            name="optimization",
            learning_rate=0.05,
            optimizer=lambda rate: library.wrap(tf.train.MomentumOptimizer(rate, 0.5)),
            clip_gradients=1.0,
            learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(
                rate, step, 4, 0.9
            ),
        )
    return library.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def slim_train_op(library, features, labels, mode):
    """slim.learning.create_train_op, which runs the update ops itself."""
    slim = library.slim
    training = mode == library.estimator.ModeKeys.TRAIN
    with tf.variable_scope("model"):
        net = slim.fully_connected(
            features["x"],
            4,
            normalizer_fn=slim.batch_norm,
            normalizer_params={"is_training": training, "decay": 0.9},
            scope="hidden",
        )
        output = slim.fully_connected(net, 1, activation_fn=None, scope="output")
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = None
    if training:
        train_op = slim.learning.create_train_op(
            loss,
            library.wrap(tf.train.GradientDescentOptimizer(0.05)),
            global_step=tf.train.get_global_step(),
        )
    return library.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


CONSTRUCTS = {
    function.__name__: function
    for function in (
        core_layers,
        slim_network,
        slim_batch_norms,
        batch_norm_in_place,
        contrib_layers,
        slim_train_op,
    )
}
