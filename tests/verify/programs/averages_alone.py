"""Averages of weights that one op updates with a step, and that are also updated alone."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

weights = tf.get_variable("weights", [3], initializer=tf.ones_initializer())
loss = tf.reduce_sum(tf.square(weights))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
average = tf.train.ExponentialMovingAverage(0.5)
update = average.apply([weights])
alone = tf.train.ExponentialMovingAverage(0.5)
update_alone = alone.apply([weights])
both = tf.group(step, update)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(both)
        # It is of the weights after the step.
        now, mean = session.run([weights, average.average(weights)])
        session.run(update_alone)
        assert np.array_equal(session.run(weights), now), "averages alone have trained"
        session.run(average.average(weights))
        assert np.array_equal(session.run(weights), now), "reading an average has trained"
    np.testing.assert_allclose(mean, 0.5 * 0.512 + 0.5 * (0.5 * 0.64 + 0.5 * (0.5 * 0.8 + 0.5)))
