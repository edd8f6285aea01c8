"""What phases.py trains, without sessions: by models that are compiled twice, or by a tape."""

import sys

import keras
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
features = rng.rand(64, 12).astype(np.float32)
labels = rng.randint(0, 3, 64).astype(np.int32)
body = keras.layers.Dense(10, activation="tanh", name="body")
head = keras.layers.Dense(3, name="head")
model = keras.Sequential([keras.Input((12,)), body, keras.layers.Dropout(0.2), head])
shadow = keras.models.clone_model(model)
shadow.set_weights(model.get_weights())
cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def update_averages():
    for average, variable in zip(shadow.variables, model.variables, strict=True):
        average.assign(0.9 * average + 0.1 * variable)


def compiled(make, is_frozen):
    body.trainable = not is_frozen
    model.compile(make(), cross_entropy)

    def step(x, y):
        loss = model.train_on_batch(x, y)
        update_averages()
        return loss

    return step


def by_tape(make, is_frozen):
    optimizer = make()
    variables = (head if is_frozen else model).trainable_variables

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = cross_entropy(y, model(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        update_averages()
        return loss

    return step if "eager" in sys.argv else tf.function(step)


def warm():
    return keras.optimizers.SGD(0.1, momentum=0.9)


def full():
    return keras.optimizers.Adam(0.01, epsilon=1e-8)


steps = []
if "turns" in sys.argv:
    steps = [by_tape(full, False), by_tape(warm, True)] * 3
elif "tape" in sys.argv:
    steps = [by_tape(warm, True)] * 3 + [by_tape(full, False)] * 4
for step in range(len(steps) or 7):
    rows = slice(step % 4 * 16, step % 4 * 16 + 16)
    if not steps and step in (0, 3):
        train = compiled(full if step else warm, is_frozen=step == 0)
    if steps:
        train = steps[step]
    print(step, float(train(features[rows], labels[rows])))
