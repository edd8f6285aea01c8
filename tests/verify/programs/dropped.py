"""A session program whose counterpart is written in Keras 3."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
STEPS, ROWS, DROPPED = 10, 16, 0.25
x, y = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.float32, [None, 3])
is_training = tf.placeholder_with_default(False, [])


def dense(inputs, units, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [inputs.shape[1], units])
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(inputs, kernel) + bias


def normalized(inputs, name):
    with tf.variable_scope(name):
        size = [inputs.shape[1]]
        gamma = tf.get_variable("gamma", size, initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", size, initializer=tf.zeros_initializer())
        mean = tf.get_variable(
            "moving_mean", size, initializer=tf.zeros_initializer(), trainable=False
        )
        variance = tf.get_variable(
            "moving_variance", size, initializer=tf.ones_initializer(), trainable=False
        )
        own = list(tf.nn.moments(inputs, [0]))
        share = tf.where(is_training, 0.1, 0.0)
        tf.add_to_collection("updates", mean.assign_sub(share * (mean - own[0])))
        tf.add_to_collection("updates", variance.assign_sub(share * (variance - own[1])))
        used = tf.cond(is_training, lambda: own, lambda: [mean + 0.0, variance + 0.0])
        return tf.nn.batch_normalization(inputs, used[0], used[1], beta, gamma, 1e-3)


hidden = tf.nn.relu(normalized(dense(x, 8, "first"), "norm"))
rate_of_drops = tf.placeholder_with_default(0.0, [])
hidden = tf.nn.dropout(hidden, rate=rate_of_drops)
logits = dense(hidden, 3, "second")
targets = 0.9 * y + 0.1 / 3
losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)
error = tf.reduce_mean(losses)
kernels = [v for v in tf.trainable_variables() if "kernel" in v.name]
loss = error + tf.add_n([1e-2 * tf.reduce_sum(tf.square(v)) for v in kernels])
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.02, step, 4, 0.5, staircase=True)
optimizer = tf.train.AdamOptimizer(rate, epsilon=1e-7)
pairs = optimizer.compute_gradients(loss)
clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 0.8)
with tf.control_dependencies(tf.get_collection("updates")):
    train_op = optimizer.apply_gradients(zip(clipped, tf.trainable_variables(), strict=True), step)


def batch(number, rows=ROWS):
    rng = np.random.RandomState(number)
    features = rng.normal(size=(rows, 6)).astype(np.float32)
    return features, np.eye(3, dtype=np.float32)[features[:, :3].argmax(axis=1)]


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(STEPS):
        features, labels = batch(number)
        session.run(
            [train_op, loss], {x: features, y: labels, is_training: True, rate_of_drops: DROPPED}
        )
    features, labels = batch(100, 64)
    print(session.run(error, {x: features, y: labels}))
