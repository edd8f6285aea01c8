"""Cells of tf.contrib.cudnn_rnn, as its documentation uses them on CPUs: names, outputs, states."""

import os

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import cudnn_rnn

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
tf.disable_v2_behavior()

random = np.random.RandomState(5)
inputs = tf.constant(random.normal(size=[4, 2, 3]).astype(np.float32))
found = {}
for kind in (cudnn_rnn.CudnnCompatibleLSTMCell, cudnn_rnn.CudnnCompatibleGRUCell):
    name = kind.__name__
    with tf.variable_scope(name):
        cell = tf.nn.rnn_cell.MultiRNNCell([kind(3) for _ in range(2)])
        outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32, time_major=True)
    variables = sorted(tf.trainable_variables(name), key=lambda variable: variable.name)
    found[name + "_outputs"] = outputs
    for index, part in enumerate(tf.nest.flatten(state)):
        found[name + "_state_%d" % index] = part
    for variable, gradient in zip(variables, tf.gradients(tf.square(outputs), variables)):
        found[variable.op.name.replace("/", "_")] = gradient
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for index, variable in enumerate(sorted(tf.global_variables(), key=lambda v: v.name)):
        size = int(np.prod(variable.shape.as_list()))
        values = np.sin(np.arange(size) * 0.7 + index).reshape(variable.shape.as_list())
        variable.load(0.6 * values, session)
    result = session.run(found)
