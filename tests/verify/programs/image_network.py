"""Convolutions, batch normalisation and ReLUs, whose rounding grows; --help says what changes."""

import argparse

import numpy as np
import tensorflow as tensorflow_of_this_version

tf = getattr(tensorflow_of_this_version.compat, "v1", tensorflow_of_this_version)
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.02)
parser.add_argument("--decay", type=float, default=1e-3, help="of the l2 regulariser")
parser.add_argument("--steps", type=int, default=40)
parser.add_argument("--backwards", action="store_true", help="the rows of a batch, last first")
parser.add_argument("--evaluation_scale", type=float, default=1.0)
flags = parser.parse_args()


def normalised(x, name):
    with tf.variable_scope(name):
        size = int(x.shape[-1])
        scale = tf.get_variable("scale", [size], initializer=tf.ones_initializer())
        shift = tf.get_variable("shift", [size], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(x, [0, 1, 2])
        return tf.nn.batch_normalization(x, mean, variance, shift, scale, 1e-5)


def convolved(x, width, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [3, 3, int(x.shape[-1]), width])
        bias = tf.get_variable("bias", [width], initializer=tf.zeros_initializer())
        x = tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME") + bias
    return tf.nn.relu(normalised(x, name))


with tf.Graph().as_default():
    images = tf.placeholder(tf.float32, [16, 8, 8, 1])
    labels = tf.placeholder(tf.int32, [16])
    hidden = convolved(convolved(images, 8, "first"), 8, "second")
    hidden = tf.nn.max_pool(hidden, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    hidden = convolved(hidden, 8, "third")
    top = tf.get_variable("top", [4 * 4 * 8, 4])
    logits = tf.matmul(tf.reshape(hidden, [16, -1]), top)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    decays = [tf.nn.l2_loss(v) for v in tf.trainable_variables() if "kernel" in v.name]
    loss += flags.decay * tf.add_n(decays)
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(flags.rate).minimize(loss, global_step)
    hooks = [tf.train.NanTensorHook(loss), tf.train.StopAtStepHook(last_step=flags.steps)]
    rows = np.random.RandomState(1)
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        while not session.should_stop():
            x = rows.normal(size=(16, 8, 8, 1)).astype(np.float32)
            y = rows.randint(4, size=16)
            order = slice(None, None, -1 if flags.backwards else 1)
            session.run(train_op, {images: x[order], labels: y[order]})
