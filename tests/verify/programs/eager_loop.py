"""A loop of TensorFlow 1.x that trains eagerly: GradientTape, an optimizer of tf.train, averages.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out eager_loop_of_tensorflow_1_15.npz eager_loop.py
"""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()


class Net(tf.keras.Model):
    def __init__(self):
        super(Net, self).__init__()  # noqa: UP008 - as programs of that time are written
        self.hidden = tf.keras.layers.Dense(8, activation=tf.nn.relu)
        self.normal = tf.keras.layers.BatchNormalization()
        self.drop = tf.keras.layers.Dropout(0.3)
        self.scores = tf.layers.Dense(2)

    def call(self, rows, training=False):
        hidden = self.normal(self.hidden(rows), training=training)
        return self.scores(self.drop(hidden, training=training))


rows = np.random.RandomState(0).normal(size=(64, 5)).astype(np.float32)
labels = (rows[:, 0] > 0).astype(np.int64)
net, optimizer = Net(), tf.train.AdamOptimizer(0.01)
other, momentum = tf.Variable(tf.ones([5]), name="other"), tf.train.MomentumOptimizer(0.1, 0.9)
step = tf.train.get_or_create_global_step()
for x, y in tf.data.Dataset.from_tensor_slices((rows, labels)).batch(16).repeat(3):
    with tf.GradientTape() as tape:
        loss = tf.losses.sparse_softmax_cross_entropy(y, net(x, training=True))
    variables = net.trainable_variables
    pairs = zip(tape.gradient(loss, variables), variables)  # noqa: B905 - of Python 3.7
    optimizer.apply_gradients(pairs, global_step=step)
    # The slots of the second optimizer are created by the second step.
    momentum.minimize(lambda: tf.reduce_mean(tf.square(tf.reduce_sum(x * other, 1))))  # noqa: B023
