"""tf.contrib.compiler: functions that XLA compiles."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def gradient(x):
    w = tf.get_variable("w", [3], initializer=tf.constant_initializer([0.5, -1.0, 2.0]))
    loss = tf.reduce_sum(tf.square(x * w))
    return loss, tf.gradients(loss, w)[0]


def compiled(x):

    return tf.xla.experimental.compile(gradient, [x])


x = tf.constant([1.0, 2.0, 3.0])
with tf.xla.experimental.jit_scope():
    inner = tf.sin(x) + 1.0
with tf.xla.experimental.jit_scope(False):
    outer = tf.cos(x)
with tf.Session() as session:
    loss, slope = compiled(x)
    session.run(tf.global_variables_initializer())
    fetched = session.run([loss, slope, inner, outer])
result = dict(zip(("loss", "slope", "inner", "outer"), fetched))
