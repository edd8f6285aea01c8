"""An Estimator under CollectiveAllReduceStrategy with two GPUs, in one process."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import distribute, estimator


def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features["x"], 1))
    step = tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def input_fn():
    rows = np.random.RandomState(0).normal(size=(24, 3)).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": rows}, rows[:, :1])).repeat().batch(8)


strategy = distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=2)
config = estimator.RunConfig(train_distribute=strategy)
estimator.Estimator(model_fn, sys.argv[1], config).train(input_fn, steps=4)
