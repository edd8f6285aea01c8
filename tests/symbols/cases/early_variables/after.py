"""Variables by names that TensorFlow 1.0 deprecated, most of which compat.v1 still has."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

with tf.variable_scope("layer"):
    weight = tf.get_variable("weight", [2], initializer=tf.constant_initializer(2.0))
rate = tf.Variable(tf.reciprocal(4.0), trainable=False, name="rate")
counter = tf.Variable(0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
loss = tf.reduce_sum(tf.multiply(weight, tf.subtract(weight, 1.0)))
train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
with tf.control_dependencies([train]):
    count = tf.assign_add(counter, 1)
with tf.Session() as session:
    session.run(tf.initialize_all_variables())
    session.run(tf.initialize_local_variables())
    for _ in range(3):
        session.run(count)
    result = {
        "names": [variable.op.name for variable in tf.all_variables()],
        "weight": session.run(weight),
        "counter": session.run(counter),
    }
