"""The same with Keras, whose layers have no scopes in their names."""

import keras
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)


def layer(name: str, inputs: int, units: int, activation: str | None = None) -> keras.layers.Layer:
    start = keras.initializers.Constant(rng.randn(inputs, units).astype("f"))
    made = keras.layers.Dense(units, activation, False, kernel_initializer=start, name=name)
    made.build((None, inputs))
    return made


trunk = layer("trunk", 3, 4, "tanh")
heads = [layer("age_out", 4, 1), layer("clicks_out", 4, 1)]
optimizers = [keras.optimizers.Adam(rate, epsilon=1e-8) for rate in (0.01, 0.02)]
for head, optimizer in zip(heads, optimizers, strict=True):
    optimizer.build([*trunk.trainable_variables, *head.trainable_variables])


def train(number: int, batch: np.ndarray) -> None:
    head, optimizer = heads[number], optimizers[number]
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(head(trunk(batch)) - 1.0))
    variables = [*trunk.trainable_variables, *head.trainable_variables]
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


for number in (0, 1, 1, 0, 0):
    train(number, rng.randn(8, 3).astype("f"))
