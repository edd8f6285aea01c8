"""A variational autoencoder whose learning rate is assigned before each epoch."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

np.random.seed(2)
IMAGES = (np.random.rand(60, 8, 8, 1) > 0.6).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 8, 8, 1], "x")
kl_weight = tf.placeholder(tf.float32, [], "kl_weight")
rate = tf.Variable(0.01, trainable=False, name="rate")
new_rate = tf.placeholder(tf.float32, [])
set_rate = tf.assign(rate, new_rate)
with tf.variable_scope("encoder"):
    h = tf.layers.conv2d(x, 4, 3, strides=2, padding="same", activation=tf.nn.elu)
    h = tf.layers.flatten(h)
    mu = tf.layers.dense(h, 3, name="mu")
    log_var = tf.layers.dense(h, 3, name="log_var")
noise = tf.random_normal(tf.shape(mu))
code = mu + tf.exp(0.5 * log_var) * noise
with tf.variable_scope("decoder"):
    d = tf.layers.dense(code, 4 * 4 * 4, activation=tf.nn.elu)
    d = tf.layers.conv2d_transpose(tf.reshape(d, [-1, 4, 4, 4]), 1, 3, strides=2, padding="same")
recon = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=d), [1, 2, 3])
kl = -0.5 * tf.reduce_sum(1 + log_var - tf.square(mu) - tf.exp(log_var), 1)
loss = tf.reduce_mean(recon + kl_weight * kl)
optimizer = tf.train.AdamOptimizer(rate)
gvs = [(tf.clip_by_value(g, -5, 5), v) for g, v in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(gvs)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    n = 0
    for epoch in range(3):
        order = np.random.permutation(60)
        sess.run(set_rate, {new_rate: 0.01 / (1 + epoch)})
        for start in range(0, 60, 20):
            feed = {x: IMAGES[order[start : start + 20]], kl_weight: min(1.0, n / 5.0)}
            sess.run([train, loss], feed)
            n += 1
        print(sess.run(tf.sigmoid(d), {code: np.eye(3)}).mean())
