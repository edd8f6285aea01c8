"""A classifier that a session trains, and measures after each epoch by a metric that adds up."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int64, [None])
kernel = tf.get_variable("kernel", [4, 3])
logits = tf.matmul(x, kernel)
counter = tf.Variable(0, trainable=False)  # its name says nothing
train = tf.train.GradientDescentOptimizer(0.5).minimize(
    tf.losses.sparse_softmax_cross_entropy(y, logits), counter
)
accuracy, update = tf.metrics.accuracy(y, tf.argmax(logits, 1), name="accuracy")
reset = tf.variables_initializer(tf.local_variables("accuracy"))
rows = np.random.RandomState(0).normal(size=(150, 4)).astype(np.float32)
classes = rows[:, :3].argmax(1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(2):
        for start in range(0, 60, 20):
            part = slice(start, start + 20)
            session.run(train, {x: rows[part], y: classes[part]})
        session.run(reset)
        for start in range(60, 150, 30):
            part = slice(start, start + 30)
            session.run(update, {x: rows[part], y: classes[part]})
        print(session.run(accuracy))
