"""Eager training of TensorFlow 1.x in functions: two optimizers, one of Keras, and epochs.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out eager_functions_of_tensorflow_1_15.npz eager_functions.py
"""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()


class Game:
    def __init__(self):
        layers = tf.keras.layers
        self.maker = tf.keras.Sequential([layers.Dense(6, activation="relu"), layers.Dense(4)])
        self.judge = tf.keras.Sequential([layers.Dense(6), layers.Dropout(0.3), layers.Dense(1)])
        self.first, self.second = (
            tf.keras.optimizers.Adam(0.01),
            tf.train.MomentumOptimizer(0.1, 0.9),
        )
        self.calls = 0

    @tf.function
    def train(self, rows):
        self.calls += 1  # while it is traced
        with tf.GradientTape() as tape, tf.GradientTape() as other:
            made = self.maker(tf.random.normal([tf.shape(rows)[0], 3]))
            scores = self.judge(tf.concat([rows, made], 0), training=True)[:, 0]
            loss = tf.reduce_mean(tf.square(scores)) / self.calls
            gap = tf.reduce_mean(tf.square(made - rows))
        judge, maker = self.judge.trainable_variables, self.maker.trainable_variables
        self.first.apply_gradients(zip(other.gradient(gap, maker), maker))  # noqa: B905
        self.second.apply_gradients(zip(tape.gradient(loss, judge), judge))  # noqa: B905
        return loss


rows = np.random.RandomState(0).normal(size=(64, 4)).astype(np.float32)
game, dataset = Game(), tf.data.Dataset.from_tensor_slices(rows).shuffle(64).batch(16)
for _ in range(3):
    for batch in dataset:
        loss = game.train(batch)
print("LOSS", float(loss))
