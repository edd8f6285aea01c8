"""Packages of tf.contrib by every form of import, some of which go to the core."""

import tensorflow as tf
import tensorflow.contrib.layers as layers_lib
from tensorflow.contrib import framework, slim
from tensorflow.contrib.framework import arg_scope, get_or_create_global_step

contrib = tf.contrib
metrics = tf.contrib.metrics

ones = tf.constant_initializer(1.0)
x = tf.placeholder(tf.float32, [None, 2])
with arg_scope([layers_lib.fully_connected], weights_initializer=ones, activation_fn=None):
    y = layers_lib.fully_connected(x, 2, biases_initializer=ones, scope="one")
with framework.arg_scope([slim.fully_connected], weights_initializer=ones):
    z = slim.fully_connected(y, 1, activation_fn=tf.nn.tanh, scope="two")
error = metrics.streaming_mean_absolute_error(y, tf.zeros_like(y))
cosine = contrib.metrics.streaming_mean_relative_error(y, y + 1.0, normalizer=y)
step = get_or_create_global_step()
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    feed = {x: [[0.1, 0.2], [0.3, -0.5]]}
    result = {
        "y": session.run(y, feed),
        "z": session.run(z, feed),
        "error": session.run(error[1], feed),
        "relative": session.run(cosine[1], feed),
        "step": session.run(contrib.framework.get_global_step()),
        "variables": [v.op.name for v in contrib.framework.get_variables("two")],
    }
