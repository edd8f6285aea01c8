"""A moving average of the weights, updated behind each step of Adam."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

rows = np.random.RandomState(0).rand(32, 3).astype("float32")
x = tf.placeholder(tf.float32, [None, 3])
weights = tf.get_variable("weights", [3, 1])
loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) - 1.0))
step = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.control_dependencies([step]):
    train = tf.train.ExponentialMovingAverage(0.9).apply([weights])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(8):
        session.run([train, loss], {x: rows[4 * number : 4 * number + 4]})
