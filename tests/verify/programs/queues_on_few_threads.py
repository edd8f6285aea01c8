"""As many queues that shuffle as TensorFlow has threads: one waits on each until it is full."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

THREADS = 2
rows = np.random.RandomState(0).rand(40, 3).astype(np.float32)
batches = []
for _ in range(2 * THREADS):
    (row,) = tf.train.slice_input_producer([tf.constant(rows)], shuffle=False)
    row = tf.matmul(row[tf.newaxis], tf.eye(3))[0]  # no queue is filled without a thread
    batches.append(tf.train.shuffle_batch([row], 8, capacity=24, min_after_dequeue=8))
weights = tf.get_variable("weights", [3, 1], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(tf.concat(batches, 0), weights) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=THREADS)) as session:
    session.run(tf.global_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    for _ in range(12):
        session.run(train_op)
    coordinator.request_stop()
    coordinator.join(threads)
