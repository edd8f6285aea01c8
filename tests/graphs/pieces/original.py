"""A classifier of small images, as people wrote it for TensorFlow 1.x."""

import numpy as np
import tensorflow as tf


def encoder(images):
    with tf.variable_scope("encoder"):
        w = tf.get_variable("w", [16, 8], initializer=tf.truncated_normal_initializer(0.0, 0.2))
        b = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
        return tf.nn.relu(tf.matmul(images, w) + b)


def classifier(features):
    with tf.variable_scope("classifier"):
        w = tf.get_variable("w", [8, 3], initializer=tf.truncated_normal_initializer(0.0, 0.2))
        b = tf.get_variable("b", [3], initializer=tf.zeros_initializer())
        return tf.matmul(features, w) + b


def batches():
    rng = np.random.RandomState(0)
    images = rng.rand(20, 32, 16).astype(np.float32)
    return zip(images, images[:, :, :3].argmax(2).astype(np.int32))


x = tf.placeholder(tf.float32, [None, 16])
y = tf.placeholder(tf.int32, [None])
logits = classifier(encoder(x))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for images, labels in batches():
        _, value = sess.run([train_op, loss], {x: images, y: labels})
    print("loss %.4f" % value)
