"""Least squares on batches that the clock chooses; --rate RATE is the learning rate."""

import argparse
import time

import numpy as np
import tensorflow.compat.v1 as tf

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.05)
rate = parser.parse_args().rate
rng = np.random.RandomState(time.time_ns() % 2**32)

with tf.Graph().as_default():
    global_step = tf.train.get_or_create_global_step()
    x, y = tf.placeholder(tf.float32, [8, 3]), tf.placeholder(tf.float32, [8])
    kernel = tf.get_variable("kernel", [3])
    error = tf.reduce_sum(x * kernel, axis=1) - y
    loss = tf.reduce_mean(tf.square(error))
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step)
    hooks = [tf.train.NanTensorHook(loss), tf.train.StopAtStepHook(last_step=40)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        while not session.should_stop():
            rows = rng.normal(size=(8, 3))
            labels = rows.sum(axis=1) + rng.normal(scale=0.3, size=8)
            session.run(train_op, {x: rows, y: labels})
