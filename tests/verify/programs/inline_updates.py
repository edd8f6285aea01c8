"""A discriminator with batch normalization that one run gives real and generated rows.

Its averages are updated in place (``updates_collections=None`` of contrib.layers and slim), so
threads decide which rows come first.
"""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.training import moving_averages

tf.disable_v2_behavior()
ROWS, MOMENTUM = 12, 0.9
real, z = tf.placeholder(tf.float32, [ROWS, 4]), tf.placeholder(tf.float32, [ROWS, 3])


def layer(x, units, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        return tf.matmul(x, tf.get_variable("kernel", [x.shape[1], units]))


def normalized(x, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        zeros, ones = tf.zeros_initializer(), tf.ones_initializer()
        offset = tf.get_variable("offset", x.shape[1:], initializer=zeros)
        average = tf.get_variable("mean", x.shape[1:], initializer=zeros, trainable=False)
        square = tf.get_variable("variance", x.shape[1:], initializer=ones, trainable=False)
    mean, variance = tf.nn.moments(x, [0])
    updates = [
        moving_averages.assign_moving_average(held, value, MOMENTUM, zero_debias=False)
        for held, value in ((average, mean), (square, variance))
    ]
    with tf.control_dependencies(updates):
        return tf.nn.batch_normalization(x, mean, variance, offset, None, 1e-3)


def discriminator(x):
    hidden = normalized(layer(x, 6, "discriminator/first"), "discriminator/norm")
    return layer(tf.nn.relu(hidden), 1, "discriminator/last")


def cross_entropy(logits, label):
    labels = label * tf.ones_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


made = layer(z, 4, "generator")
of_real, of_made = discriminator(real), discriminator(made)
d_loss, g_loss = (
    cross_entropy(of_real, 1.0) + cross_entropy(of_made, 0.0),
    cross_entropy(of_made, 1.0),
)
d_vars, g_vars = tf.trainable_variables("discriminator"), tf.trainable_variables("generator")
d_train = tf.train.GradientDescentOptimizer(0.1).minimize(d_loss, var_list=d_vars)
g_train = tf.train.GradientDescentOptimizer(0.1).minimize(g_loss, var_list=g_vars)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(5):
        rng = np.random.RandomState(number)
        fed = {real: rng.normal(size=(ROWS, 4)) + 1, z: rng.normal(size=(ROWS, 3))}
        session.run(d_train, fed)
        session.run(g_train, fed)
