"""Towers as in the CIFAR-10 tutorial, which leaves five orders to threads.

A queue shuffles while several threads fill it; both towers take a batch of another queue; they have
a device and no scope of their own; averages of the weights are updated beside the step, and
those of batch norm by each tower.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --order-of-updates first \\
        --out queued_towers_of_tensorflow_1_15.npz queued_towers.py
"""

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

TOWERS = 2

rows = np.random.RandomState(0).rand(96, 6).astype("float32")
labels = np.random.RandomState(1).randint(0, 3, 96).astype("int32")
with tf.device("/cpu:0"):
    step = tf.train.get_or_create_global_step()
    one = tf.train.slice_input_producer([rows, labels], shuffle=True)
    batch = tf.train.shuffle_batch(one, 12, capacity=200, min_after_dequeue=60, num_threads=4)
    batches = slim.prefetch_queue.prefetch_queue(batch, capacity=4)
optimizer = tf.train.GradientDescentOptimizer(tf.train.exponential_decay(0.1, step, 5, 0.7))
tower_gradients = []
for tower in range(TOWERS):
    with tf.device(f"/gpu:{tower}"), tf.variable_scope("model", reuse=tower > 0):
        inputs, targets = batches.dequeue()
        hidden = tf.layers.dense(inputs, 8, tf.nn.relu, name="hidden")
        hidden = tf.layers.batch_normalization(hidden, training=True, name="normal")
        scores = tf.layers.dense(tf.nn.dropout(hidden, 0.8), 3, name="scores")
        loss = tf.losses.sparse_softmax_cross_entropy(targets, scores)
        tower_gradients.append(optimizer.compute_gradients(loss))
gradients = [
    (tf.reduce_mean(tf.stack([pairs[place][0] for pairs in tower_gradients]), 0), variable)
    for place, (_, variable) in enumerate(tower_gradients[0])
]
apply = optimizer.apply_gradients(gradients, step)
averages = tf.train.ExponentialMovingAverage(0.9, step).apply(tf.trainable_variables())
train_op = tf.group(apply, averages, *tf.get_collection(tf.GraphKeys.UPDATE_OPS))
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    session.run(tf.global_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    for _ in range(8):
        session.run([train_op, loss])
    coordinator.request_stop()
    coordinator.join(threads)
