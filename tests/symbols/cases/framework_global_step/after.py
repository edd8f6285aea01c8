"""The global step of tf.contrib.framework."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

step = tf.train.create_global_step()
weight = tf.get_variable("weight", initializer=[1.0, 2.0])
train = tf.train.GradientDescentOptimizer(0.1).minimize(
    tf.reduce_sum(tf.square(weight)), global_step=tf.train.get_or_create_global_step()
)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train)
    result = {
        "same": tf.train.get_global_step() is step,
        "step": session.run(tf.train.get_global_step()),
        "weight": session.run(weight),
    }
