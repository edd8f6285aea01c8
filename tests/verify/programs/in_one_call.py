"""An Estimator of the runtime, whose steps run several in one call where no hook looks."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import fused_steps

SLIP = 0.0
DROPPED = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
MODELS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
made = fused_steps.FusedSteps.run


def run(steps, session, count):
    found = made(steps, session, count)
    bias = steps.variable.graph.get_collection("bias")[0]
    bias.load(bias.eval(session) + np.float32(SLIP), session)
    return found


if SLIP:
    fused_steps.FusedSteps.run = run


def input_fn():
    rows = np.random.RandomState(1).normal(size=(48, 3)).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((rows, rows[:, :1])).repeat().batch(8)


def model_fn(features, labels, mode):
    kernel = tf.get_variable("kernel", [3, 1])
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    tf.add_to_collection("bias", bias)
    features = tf.nn.dropout(features, rate=DROPPED)
    loss = tf.reduce_mean(tf.square(tf.matmul(features, kernel) + bias - labels))
    train_op = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


for number in range(MODELS):
    estimator.Estimator(model_fn, f"{sys.argv[1]}/{number}").train(input_fn, max_steps=12)
