"""A linear model trained with the kind of session that is asked for, on one machine."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="plain")
parser.add_argument("--logdir")
parser.add_argument("--swap", action="store_true")
FLAGS = parser.parse_args()
STEPS = 6


def batch(step: int) -> "tuple[np.ndarray, np.ndarray]":
    x = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
    return x, x @ np.array([[1.0], [-2.0], [0.5]], np.float32)


def model(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    weights = tf.get_variable("weights", [3, 1])
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    return tf.reduce_mean(tf.square(tf.matmul(x, weights) + bias - y))


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 1])
optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
global_step = None if FLAGS.kind == "no_global_step" else tf.train.get_or_create_global_step()
if FLAGS.kind == "towers":
    gradients = []
    order = (1, 0) if FLAGS.swap else (0, 1)
    features, labels = tf.split(x, 2), tf.split(y, 2)
    for index in range(2):
        with tf.device(f"/gpu:{index}"), tf.variable_scope("model", reuse=index > 0):
            loss = model(features[order[index]], labels[order[index]])
            gradients.append(optimizer.compute_gradients(loss))
    averaged = [
        ((gradient + gradients[1][index][0]) / 2, variable)
        for index, (gradient, variable) in enumerate(gradients[0])
    ]
    train_op = optimizer.apply_gradients(averaged, global_step=global_step)
elif FLAGS.kind == "gradients":
    loss = model(x, y)
    variables = tf.trainable_variables()
    clipped, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 100.0)
    pairs = [(clipped[index], variable) for index, variable in enumerate(variables)]
    train_op = optimizer.apply_gradients(pairs, global_step=global_step)
else:
    loss = model(x, y)
    train_op = optimizer.minimize(loss, global_step=global_step)
    if FLAGS.kind == "two_losses":
        regularizer = tf.nn.l2_loss(tf.trainable_variables()[0])
        # Without an order the loss would be that before or after the decay, as it happens.
        with tf.control_dependencies([train_op]):
            train_op = tf.train.GradientDescentOptimizer(0.01).minimize(regularizer)


def train(session: tf.Session) -> None:
    for step in range(STEPS):
        features, labels = batch(step)
        print("loss before", session.run(loss, {x: features, y: labels}))
        _, value = session.run([train_op, loss], {x: features, y: labels})
        print("step", step, "loss", value)


if FLAGS.kind == "supervisor":
    supervisor = tf.train.Supervisor(logdir=FLAGS.logdir, global_step=global_step)
    with supervisor.managed_session() as session:
        train(session)
elif FLAGS.kind == "monitored":
    with tf.train.MonitoredTrainingSession(checkpoint_dir=FLAGS.logdir) as session:
        train(session)
elif FLAGS.kind == "operation_run":
    with tf.Session():
        tf.global_variables_initializer().run()
        for step in range(STEPS):
            features, labels = batch(step)
            train_op.run({x: features, y: labels})
else:
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        train(session)
