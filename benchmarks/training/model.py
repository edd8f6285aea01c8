"""A model function and its input, as they were written for TensorFlow 1.15."""

import tensorflow as tf
from network import network
from rows import BATCH, rows


def model_fn(features, labels, mode):
    with tf.variable_scope("model"):
        logits = network(features, mode == tf.estimator.ModeKeys.TRAIN)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.01))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(rows())
    return data.repeat().batch(BATCH, drop_remainder=True).prefetch(8)
