"""A loop of TensorFlow 1.15 that writes a checkpoint, which slim evaluates in a second graph."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf
import tf_slim as slim

tf.disable_v2_behavior()


def predicted(x):
    return tf.nn.sigmoid(x @ tf.get_variable("kernel", initializer=tf.constant(0.2, shape=(3, 1))))


rng = np.random.RandomState(0)
with tf.Graph().as_default(), tf.Session() as session:
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, (4, 3))
    loss = tf.reduce_mean(tf.square(predicted(x) - 1.0))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, step)
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        session.run(train, {x: rng.randn(4, 3)})
    path = tf.train.Saver().save(session, sys.argv[1] + "/model")
with tf.Graph().as_default():
    tf.train.get_or_create_global_step()
    data = tf.data.Dataset.from_tensor_slices(rng.randn(20, 3).astype("f")).batch(4)
    value, update = tf.metrics.mean(predicted(tf.data.make_one_shot_iterator(data).get_next()))
    slim.evaluation.evaluate_once(
        master="",
        checkpoint_path=path,
        logdir=sys.argv[1] + "/logs",
        num_evals=3,
        eval_op=update,
        final_op=value,
    )
