"""A program that evaluates variables and tensors, with a session or with a runner."""

import numpy as np
import tensorflow.compat.v1 as tf

IS_EAGER, SCALE = False, 1.0
rows = np.arange(24, dtype=np.float32).reshape(6, 4) / 10

with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 4])
    w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    scaled = SCALE * tf.reduce_sum(w)
    init = tf.global_variables_initializer()
    if IS_EAGER:
        from tfmigrate_runtime import graphs

        session = graphs.Runner()
    else:
        session = tf.Session()
    with session:
        session.run(init)
        for _ in range(3):
            session.run([train, loss], {x: rows})
            print(w.eval(), w.eval(session=session), loss.eval({x: rows}), scaled.eval())
