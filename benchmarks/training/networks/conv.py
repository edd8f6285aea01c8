"""A convolution with batch normalization."""

import tensorflow as tf
from rows import CLASSES


def network(features, training):
    net = tf.layers.conv2d(features, 8, 3, padding="same", use_bias=False)
    net = tf.layers.batch_normalization(net, momentum=0.9, training=training)
    net = tf.layers.flatten(tf.layers.max_pooling2d(tf.nn.relu(net), 2, 2))
    return tf.layers.dense(net, CLASSES)
