"""``gradient_sums.py`` in Keras 3, with sums that are no variables."""

import keras
import numpy as np
import tensorflow as tf

N = 4


class L2(keras.regularizers.Regularizer):
    def __call__(self, w):
        return 0.01 * tf.nn.l2_loss(w)


inputs = keras.Input([6])
h = keras.layers.Dense(8, activation="tanh", kernel_regularizer=L2(), name="hidden")(inputs)
h = keras.layers.BatchNormalization(momentum=0.8, name="norm")(h)
out = keras.layers.Dense(1, name="out")(h)
model = keras.Model(inputs, out)
opt = keras.optimizers.SGD(0.1, momentum=0.9)
opt.build(model.trainable_variables)


@tf.function
def gradients_of(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y)) + tf.add_n(model.losses)
    return tape.gradient(loss, model.trainable_variables), loss


for big in range(5):
    total = [tf.zeros_like(v) for v in model.trainable_variables]
    for small in range(N):
        rng = np.random.RandomState(10 * big + small)
        bx = rng.normal(size=(8, 6)).astype(np.float32)
        grads, loss = gradients_of(tf.constant(bx), tf.constant(np.sin(bx[:, :1])))
        total = [t + g for t, g in zip(total, grads, strict=True)]
    clipped, _ = tf.clip_by_global_norm([t / N for t in total], 0.8)
    opt.apply_gradients(zip(clipped, model.trainable_variables, strict=True))
