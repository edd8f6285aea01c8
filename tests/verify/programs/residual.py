"""A residual block with dropout and batch normalization, evaluated by tf.metrics in a session."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rng = np.random.RandomState(0)
W = rng.normal(size=(5, 3))
X = rng.normal(size=(70, 5)).astype(np.float32)
Y = X.dot(W).argmax(1)
XV = rng.normal(size=(24, 5)).astype(np.float32)
YV = XV.dot(W).argmax(1)
features = tf.placeholder(tf.float32, [None, 5])
labels = tf.placeholder(tf.int64, [None])
training = tf.placeholder_with_default(False, [])


def reg(kernel):
    return 0.02 * tf.nn.l2_loss(kernel)


net = tf.layers.dense(features, 12, kernel_regularizer=reg, name="fc1")
net = tf.layers.batch_normalization(net, training=training, momentum=0.9, epsilon=1e-3, name="bn1")
net = tf.nn.relu(net)
net = tf.layers.dropout(net, 0.3, training=training)
skip = tf.layers.dense(features, 12, use_bias=False, name="skip")
net = net + skip
logits = tf.layers.dense(net, 3, kernel_regularizer=reg, name="fc2")
cross = tf.losses.sparse_softmax_cross_entropy(labels, logits)
loss = cross + tf.losses.get_regularization_loss()
step = tf.train.create_global_step()

with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss, step)
with tf.name_scope("metrics"):
    accuracy, update = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
    mean_loss, update_loss = tf.metrics.mean(loss, weights=tf.cast(tf.shape(labels)[0], tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    best = np.inf
    for epoch in range(4):
        for start in range(0, 70, 20):
            part = slice(start, start + 20)
            sess.run(train_op, {features: X[part], labels: Y[part], training: True})
        sess.run(tf.local_variables_initializer())
        for start in range(0, 24, 10):
            part = slice(start, start + 10)
            sess.run([update, update_loss], {features: XV[part], labels: YV[part]})
        acc, value = sess.run([accuracy, mean_loss])
        print(epoch, acc, value)
