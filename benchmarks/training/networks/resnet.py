"""The residual network of the CIFAR-10 tutorial, with three blocks of each width."""

import tensorflow as tf
from rows import CLASSES


def block(net, filters, strides, training):
    shortcut = net
    if strides == 2:
        shortcut = tf.layers.conv2d(net, filters, 1, strides=strides, use_bias=False)
    net = tf.layers.conv2d(net, filters, 3, strides=strides, padding="same", use_bias=False)
    net = tf.nn.relu(tf.layers.batch_normalization(net, momentum=0.9, training=training))
    net = tf.layers.conv2d(net, filters, 3, padding="same", use_bias=False)
    net = tf.layers.batch_normalization(net, momentum=0.9, training=training)
    return tf.nn.relu(net + shortcut)


def network(features, training):
    net = tf.layers.conv2d(features, 16, 3, padding="same", use_bias=False)
    net = tf.nn.relu(tf.layers.batch_normalization(net, momentum=0.9, training=training))
    net = block(net, 16, 1, training)
    net = block(net, 16, 1, training)
    net = block(net, 16, 1, training)
    net = block(net, 32, 2, training)
    net = block(net, 32, 1, training)
    net = block(net, 32, 1, training)
    net = block(net, 64, 2, training)
    net = block(net, 64, 1, training)
    net = block(net, 64, 1, training)
    return tf.layers.dense(tf.reduce_mean(net, axis=[1, 2]), CLASSES)
