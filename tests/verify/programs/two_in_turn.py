"""Two networks that train in turn, each by its optimizer, in one session."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(31)
real = tf.placeholder(tf.float32, [None, 2])
noise = tf.random_normal([16, 4])
glorot = tf.glorot_uniform_initializer(seed=17)


def dense(x, units, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable("kernel", [x.shape[1], units], initializer=glorot)
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, kernel) + bias


def generator():
    return dense(tf.nn.relu(dense(noise, 8, "generator/first")), 2, "generator/second")


def discriminator(x):
    return dense(tf.nn.relu(dense(x, 8, "discriminator/first")), 1, "discriminator/second")


fake = generator()
on_real, on_fake = discriminator(real), discriminator(fake)
loss_of = tf.nn.sigmoid_cross_entropy_with_logits
d_loss = tf.reduce_mean(loss_of(labels=tf.ones_like(on_real), logits=on_real)) + tf.reduce_mean(
    loss_of(labels=tf.zeros_like(on_fake), logits=on_fake)
)
g_loss = tf.reduce_mean(loss_of(labels=tf.ones_like(on_fake), logits=on_fake))
step = tf.train.get_or_create_global_step()
of_d = [v for v in tf.trainable_variables() if v.name.startswith("discriminator")]
of_g = [v for v in tf.trainable_variables() if v.name.startswith("generator")]
d_op = tf.train.AdamOptimizer(0.02, 0.5, name="D").minimize(d_loss, var_list=of_d)
g_op = tf.train.AdamOptimizer(0.01, 0.5, name="G").minimize(g_loss, step, var_list=of_g)
clip = [v.assign(tf.clip_by_value(v, -0.7, 0.7)) for v in of_d]

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(8):
        rows = np.random.RandomState(number).normal(size=(16, 2)).astype(np.float32)
        session.run([d_op, d_loss], {real: rows})
        session.run(clip)
        session.run([g_op, g_loss], {real: rows})
