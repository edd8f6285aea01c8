"""The global step of tf.contrib.framework."""

import tensorflow as tf
from tensorflow.contrib.framework import get_global_step, get_or_create_global_step

step = tf.contrib.framework.create_global_step()
weight = tf.get_variable("weight", initializer=[1.0, 2.0])
train = tf.train.GradientDescentOptimizer(0.1).minimize(
    tf.reduce_sum(tf.square(weight)), global_step=get_or_create_global_step()
)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train)
    result = {
        "same": get_global_step() is step,
        "step": session.run(get_global_step()),
        "weight": session.run(weight),
    }
