"""Skips an update whose gradients are too large; moving averages are updated in each step."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STEPS = 8
x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.float32, [None, 1])
h = tf.layers.dense(x, 8, activation=tf.tanh, name="hidden")
h = tf.layers.batch_normalization(h, momentum=0.8, training=True, name="norm")
loss = tf.losses.mean_squared_error(y, tf.layers.dense(h, 1, name="out"))
step = tf.train.get_or_create_global_step()
opt = tf.train.MomentumOptimizer(0.05, 0.9)
pairs = opt.compute_gradients(loss)
norm = tf.global_norm([gradient for gradient, _ in pairs])
update = tf.cond(norm < 9.0, lambda: tf.group(opt.apply_gradients(pairs)), tf.no_op)
with tf.control_dependencies([update, *tf.get_collection(tf.GraphKeys.UPDATE_OPS)]):
    train = tf.assign_add(step, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for number in range(STEPS):
        rng = np.random.RandomState(number)
        bx = rng.normal(size=(8, 6))
        sess.run([train, loss], {x: bx, y: (9 if number % 3 == 1 else 1) * np.sin(bx[:, :1])})
