"""A generator and a critic, trained in turn by two optimizers, or together."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
ROWS, SMOOTH = 12, 0.9
real, z = tf.placeholder(tf.float32, [ROWS, 4]), tf.placeholder(tf.float32, [ROWS, 3])


def layer(x, units, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable("kernel", [x.shape[1], units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, kernel) + bias


def generator(z):
    return layer(tf.nn.relu(layer(z, 8, "generator/first")), 4, "generator/last")


def critic(x):
    hidden = tf.nn.leaky_relu(layer(x, 6, "critic/first"), 0.2)
    return layer(tf.nn.dropout(hidden, 0.8), 1, "critic/last")


def cross_entropy(logits, label):
    labels = label * tf.ones_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))


fake = generator(z)
of_fake = critic(fake)
d_loss = cross_entropy(critic(real), SMOOTH) + cross_entropy(of_fake, 0.0)
g_loss = cross_entropy(of_fake, 1.0)
step = tf.train.get_or_create_global_step()
d_vars, g_vars = tf.trainable_variables("critic"), tf.trainable_variables("generator")
of_critic = tf.train.AdamOptimizer(2e-3, 0.5, epsilon=1e-7)
of_generator = tf.train.RMSPropOptimizer(1e-3, epsilon=1e-7)
d_pairs = of_critic.compute_gradients(d_loss, d_vars)
g_pairs = of_generator.compute_gradients(g_loss, g_vars)
# Where one run makes both steps, neither has the other's new variables.
pairs = d_pairs + g_pairs if "together" in sys.argv else []
with tf.control_dependencies([gradient for gradient, _ in pairs]):
    d_train = of_critic.apply_gradients(d_pairs)
    g_train = of_generator.apply_gradients(g_pairs, step)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(6):
        rng = np.random.RandomState(number)
        fed = {real: rng.normal(size=(ROWS, 4)) + 1, z: rng.normal(size=(ROWS, 3))}
        if "together" in sys.argv:
            session.run([d_train, g_train, d_loss], fed)
        else:
            session.run([d_train, d_loss], fed)
            session.run([g_train, g_loss], fed)
