"""Trains itself, and in another process: the way that this is started by is the first argument."""

import multiprocessing
import os
import subprocess
import sys


def train(rate=0.1):
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.get_variable("weights", [3])
        loss = tf.reduce_sum(tf.square(weights - 1.0))
        train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train_op)


def use():
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.constant(1.0))


if __name__ == "__main__":
    way, target = sys.argv[1], use if sys.argv[2:] == ["use"] else train
    if way == "subprocess":
        subprocess.check_call([sys.executable, __file__, "none"], env={"PATH": os.environ["PATH"]})
    elif way != "none":
        child = multiprocessing.get_context(way).Process(target=target)
        child.start()
        child.join()
    train()
