"""Adds up the gradients of four small batches before each step."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

N = 4
x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.float32, [None, 1])
rate = tf.placeholder(tf.float32, [])
h = tf.layers.dense(x, 8, activation=tf.tanh, kernel_regularizer=lambda w: 0.01 * tf.nn.l2_loss(w))
h = tf.layers.batch_normalization(h, momentum=0.8, training=True)
out = tf.layers.dense(h, 1)
loss = tf.losses.mean_squared_error(y, out) + tf.losses.get_regularization_loss()
variables = tf.trainable_variables()
opt = tf.train.MomentumOptimizer(rate, 0.9)
accum = [tf.Variable(tf.zeros_like(v.initialized_value()), trainable=False) for v in variables]
zero = [a.assign(tf.zeros_like(a)) for a in accum]
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    grads = tf.gradients(loss, variables)
add = [a.assign_add(g) for a, g in zip(accum, grads, strict=True)]
clipped, norm = tf.clip_by_global_norm([a / N for a in accum], 0.8)
step = tf.train.get_or_create_global_step()
apply = opt.apply_gradients(zip(clipped, variables, strict=True), global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for big in range(5):
        sess.run(zero)
        for small in range(N):
            rng = np.random.RandomState(10 * big + small)
            bx = rng.normal(size=(8, 6))
            sess.run([add, loss], {x: bx, y: np.sin(bx[:, :1])})
        sess.run(apply, {rate: 0.1})
    print(sess.run(out, {x: np.ones((3, 6))}))
