"""TensorFlow 1.x: two towers with dropout; its replica counterpart is replicas.py."""

import sys

import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    with tf.variable_scope("net"):
        kernel = tf.get_variable("kernel", [3, 4])
        hidden = tf.nn.dropout(tf.matmul(features, kernel), rate=0.5)
        top = tf.get_variable("top", [4, 1], initializer=tf.glorot_uniform_initializer())
        noise = tf.get_variable("noise", [4], initializer=tf.random_normal_initializer())
        output = tf.matmul(tf.nn.dropout(hidden + noise, rate=0.5), top)
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.05))
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    rng = np.random.RandomState(0)
    rows = rng.normal(size=(24, 3)).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((rows, rows[:, :1])).shuffle(24).repeat().batch(8)


replicated = tf.contrib.estimator.replicate_model_fn(model_fn, devices=["/gpu:0", "/gpu:1"])
tf.estimator.Estimator(replicated, model_dir=sys.argv[1]).train(input_fn, max_steps=20)
