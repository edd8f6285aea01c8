"""A dense network with one hidden layer."""

import tensorflow as tf
from rows import CLASSES, WIDTH


def network(features, training):
    hidden = tf.layers.dense(features, WIDTH, activation=tf.nn.relu)
    return tf.layers.dense(hidden, CLASSES)
