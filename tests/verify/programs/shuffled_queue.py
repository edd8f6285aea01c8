"""Batches of a queue that shuffles, which a thread fills more or less quickly."""

import time

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SECONDS = 0.0


def read(row):
    time.sleep(SECONDS)
    return row


rows = np.random.RandomState(0).rand(40, 3).astype(np.float32)
(row,) = tf.train.slice_input_producer([tf.constant(rows)], num_epochs=2, shuffle=False)
row = tf.py_func(read, [row], tf.float32)
row.set_shape([3])
batch = tf.train.shuffle_batch([row], 8, capacity=24, min_after_dequeue=8)
weights = tf.get_variable("weights", [3, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(batch, weights) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        while not coordinator.should_stop():
            session.run(train_op)
    except tf.errors.OutOfRangeError:
        coordinator.request_stop()
    coordinator.join(threads)
