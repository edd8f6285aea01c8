"""A Wasserstein GAN with a penalty on gradients: no gradient needs the critic's last bias."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

N_CRITIC, BATCH = 3, 16
real = tf.placeholder(tf.float32, [None, 4])
z = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder_with_default(True, [])


def generator(z):
    with tf.variable_scope("gen"):
        h = tf.layers.dense(z, 8)
        h = tf.layers.batch_normalization(h, momentum=0.9, training=training)
        return tf.layers.dense(tf.nn.relu(h), 4)


def critic(x, reuse):
    with tf.variable_scope("critic", reuse=reuse):
        return tf.layers.dense(tf.nn.leaky_relu(tf.layers.dense(x, 8), 0.2), 1)


fake = generator(z)
on_real, on_fake = critic(real, False), critic(fake, True)
eps = tf.random_uniform([BATCH, 1], seed=7)
mixed = eps * real + (1 - eps) * fake
slopes = tf.gradients(critic(mixed, True), mixed)[0]
penalty = tf.reduce_mean((tf.sqrt(tf.reduce_sum(tf.square(slopes), 1) + 1e-8) - 1.0) ** 2)
d_loss = tf.reduce_mean(on_fake) - tf.reduce_mean(on_real) + 10.0 * penalty
g_loss = -tf.reduce_mean(on_fake)
d_vars = tf.trainable_variables("critic")
g_vars = tf.trainable_variables("gen")
step = tf.train.get_or_create_global_step()
d_train = tf.train.AdamOptimizer(1e-3, beta1=0.0, beta2=0.9).minimize(d_loss, var_list=d_vars)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS, "gen")):
    g_train = tf.train.AdamOptimizer(2e-3, beta1=0.0, beta2=0.9).minimize(g_loss, step, g_vars)
ema = tf.train.ExponentialMovingAverage(0.95)
with tf.control_dependencies([g_train]):
    g_train_op = ema.apply(g_vars)
rng = np.random.RandomState(4)


def batch():
    return {real: rng.normal(size=(BATCH, 4)) * [1, 2, 1, 1] + 1, z: rng.uniform(-1, 1, (BATCH, 3))}


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        for _ in range(N_CRITIC):
            sess.run(d_train, batch())
        sess.run(g_train_op, batch())
    print(sess.run(fake, {z: np.ones((2, 3)), training: False}))
