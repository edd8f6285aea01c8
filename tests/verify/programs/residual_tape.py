"""``residual.py`` in Keras 3: a subclassed model whose attributes have another order."""

import keras
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
W = rng.normal(size=(5, 3))
X = rng.normal(size=(70, 5)).astype(np.float32)
Y = X.dot(W).argmax(1)
XV = rng.normal(size=(24, 5)).astype(np.float32)
YV = XV.dot(W).argmax(1)


class Block(keras.layers.Layer):
    def __init__(self, units, rate):
        super().__init__()
        self.shortcut = keras.layers.Dense(units, use_bias=False)
        self.main = keras.layers.Dense(units)
        self.norm = keras.layers.BatchNormalization(momentum=0.9, epsilon=0.001)
        self.drop = keras.layers.Dropout(rate)

    def call(self, x, training=False):
        y = tf.nn.relu(self.norm(self.main(x), training=training))
        return self.drop(y, training=training) + self.shortcut(x)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.block = Block(12, 0.3)
        self.head = keras.layers.Dense(3)

    def call(self, x, training=False):
        return self.head(self.block(x, training=training))


net = Net()
optimizer = keras.optimizers.SGD(learning_rate=0.05)
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
accuracy = keras.metrics.SparseCategoricalAccuracy()
mean_loss = keras.metrics.Mean()


def total_loss(x, y, training):
    logits = net(x, training=training)
    penalty = 0.02 * (tf.nn.l2_loss(net.block.main.kernel) + tf.nn.l2_loss(net.head.kernel))
    return cross_entropy(y, logits) + penalty, logits


@tf.function(reduce_retracing=True)
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss, _ = total_loss(x, y, True)
    grads = tape.gradient(loss, net.trainable_weights)
    optimizer.apply_gradients(zip(grads, net.trainable_weights, strict=True))
    return loss


@tf.function(reduce_retracing=True)
def test_step(x, y):
    loss, logits = total_loss(x, y, False)
    accuracy.update_state(y, logits)
    mean_loss.update_state(loss, sample_weight=tf.cast(tf.shape(y)[0], tf.float32))


for epoch in range(4):
    for x, y in tf.data.Dataset.from_tensor_slices((X, Y)).batch(20):
        train_step(x, y)
    for metric in (accuracy, mean_loss):
        metric.reset_state()
    for x, y in tf.data.Dataset.from_tensor_slices((XV, YV)).batch(10):
        test_step(x, y)
    print(epoch, float(accuracy.result()), float(mean_loss.result()))
