"""A monitored session whose steps draw noise: in a branch that the global step chooses, too."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
STEPS, ROWS, NOISY = 8, 16, 5
x, y = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.float32, [None, 3])
is_training = tf.placeholder_with_default(False, [])
step = tf.train.get_or_create_global_step()


def dense(inputs, units, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [inputs.shape[1], units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(inputs, kernel) + bias


def multiplied(inputs):
    return inputs * tf.random_normal(tf.shape(inputs), 1.0, np.sqrt(0.2 / 0.8))


hidden = tf.nn.relu(dense(x, 8, "first"))
hidden = tf.cond(tf.less(step, NOISY), lambda: multiplied(hidden), lambda: hidden)
noise = tf.cond(
    is_training,
    lambda: tf.random_normal(tf.shape(hidden), 0.0, 0.3),
    lambda: tf.zeros_like(hidden),
)
logits = dense(hidden + noise, 3, "second")
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
train_op = tf.train.AdamOptimizer(0.02, epsilon=1e-7).minimize(loss, step)


def batch(number):
    rng = np.random.RandomState(number)
    features = rng.normal(size=(ROWS, 6)).astype(np.float32)
    return features, np.eye(3, dtype=np.float32)[features[:, :3].argmax(axis=1)]


with tf.train.MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
    for number in range(STEPS):
        features, labels = batch(number)
        session.run(train_op, {x: features, y: labels, is_training: True})
