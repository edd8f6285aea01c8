"""Trains one graph in one way, and prints its steps a second: eager_step.py WAY MODEL.

Runs on TensorFlow 1.15 (the way "session") and on 2.x.
"""

import sys
import time

import numpy as np
import tensorflow as tf

STEPS, WARM_UP, TOGETHER = 600, 100, 50
BATCH = 32


def build(model, tf):
    x = tf.placeholder(tf.float32, [None, 784])
    y = tf.placeholder(tf.int32, [None])
    if model == "conv":
        net = tf.reshape(x, [-1, 28, 28, 1])
        filters = tf.get_variable("filters", [3, 3, 1, 8])
        net = tf.nn.relu(tf.nn.conv2d(net, filters, [1, 2, 2, 1], "SAME"))
        net = tf.reshape(net, [-1, 14 * 14 * 8])
        size = 14 * 14 * 8
    else:
        w = tf.get_variable("w1", [784, 64])
        net = tf.nn.relu(tf.matmul(x, w) + tf.get_variable("b1", [64]))
        size = 64
    logits = tf.matmul(net, tf.get_variable("w2", [size, 10])) + tf.get_variable("b2", [10])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    return x, y, loss, tf.train.AdamOptimizer(0.001).minimize(loss)


def by_session(model):
    tf1 = getattr(tf, "compat", tf).v1
    with tf.Graph().as_default():
        x, y, loss, train = build(model, tf1)
        session = tf1.Session()
        session.run(tf1.global_variables_initializer())
        return lambda a, b: session.run([loss, train], {x: a, y: b}), 1


def runner_of(model):
    from tfmigrate_runtime import graphs

    tf1 = tf.compat.v1
    with tf1.get_default_graph().as_default():
        x, y, loss, train = build(model, tf1)
        init = tf1.global_variables_initializer()
    runner = graphs.Runner()
    runner.run(init)
    return runner, x, y, loss, train


def by_runner(model):
    runner, x, y, loss, train = runner_of(model)
    return lambda a, b: runner.run([loss, train], {x: a, y: b}), 1


def by_function(model):
    runner, x, y, loss, train = runner_of(model)
    step = runner.function([x, y], [loss, train])

    @tf.function
    def several(a, b):
        value = 0.0
        for _ in tf.range(TOGETHER):
            value = step(a, b)[0]
        return value

    return several, TOGETHER


def by_hand(model):
    w = {}

    def variable(name, shape):
        if name not in w:
            w[name] = tf.Variable(tf.random.normal(shape, stddev=0.05))
        return w[name]

    optimizer = tf.compat.v1.train.AdamOptimizer(0.001)

    def loss_of(a, b):
        if model == "conv":
            net = tf.reshape(a, [-1, 28, 28, 1])
            net = tf.nn.relu(tf.nn.conv2d(net, variable("f", [3, 3, 1, 8]), [1, 2, 2, 1], "SAME"))
            net = tf.reshape(net, [-1, 14 * 14 * 8])
        else:
            net = tf.nn.relu(tf.matmul(a, variable("w1", [784, 64])) + variable("b1", [64]))
        logits = tf.matmul(net, variable("w2", [net.shape[1], 10])) + variable("b2", [10])
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=b, logits=logits)
        )

    @tf.function
    def step(a, b):
        with tf.GradientTape() as tape:
            loss = loss_of(a, b)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, list(w.values())), w.values(), strict=True)
        )
        return loss

    return step, 1


WAYS = {"session": by_session, "runner": by_runner, "function": by_function, "hand": by_hand}

if __name__ == "__main__":
    run, together = WAYS[sys.argv[1]](sys.argv[2])
    rng = np.random.RandomState(0)
    images = rng.rand(BATCH, 784).astype(np.float32)
    labels = rng.randint(0, 10, BATCH).astype(np.int32)
    if sys.argv[1] in ("function", "hand"):
        images, labels = tf.constant(images), tf.constant(labels)
    for _ in range(max(2, WARM_UP // together)):
        run(images, labels)
    start = time.time()
    for _ in range(STEPS // together):
        run(images, labels)
    print(STEPS / (time.time() - start))
