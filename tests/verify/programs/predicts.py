"""Trains an Estimator and predicts with it."""

import sys

import numpy as np
import tensorflow as tensorflow_of_this_version

from tfmigrate_runtime import estimator

tf = tensorflow_of_this_version.compat.v1
ROWS, SHIFT_FROM, SHIFT = 200, 100, 0.0


def rows(count, repeat):
    features = np.random.RandomState(5).normal(size=(count, 3)).astype(np.float32)
    features[SHIFT_FROM:] += SHIFT
    labels = features.sum(axis=1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices(({"x": features}, labels)).repeat(repeat).batch(8)


def model(features, labels, mode):
    sums = tf.matmul(features["x"], tf.get_variable("kernel", [3, 1]))
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"sums": sums})
    loss = tf.reduce_mean(tf.square(sums - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


regressor = estimator.Estimator(model, sys.argv[1])
regressor.train(lambda: rows(40, None), steps=3)
print(len(list(regressor.predict(lambda: rows(ROWS, 1)))))
