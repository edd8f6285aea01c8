"""measured.py with a GradientTape and metrics of Keras, one of them of the training."""

import numpy as np
import tensorflow as tf
from keras import Input, Sequential, layers, losses, metrics, optimizers

model = Sequential([Input([4]), layers.Dense(3, use_bias=False)])
optimizer, of_classes = optimizers.SGD(0.5), losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer.build(model.trainable_variables)
accuracy = metrics.SparseCategoricalAccuracy(name="accuracy")
of_training = metrics.SparseCategoricalAccuracy(name="training_accuracy")


@tf.function
def train(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss = of_classes(y, logits)
    of_training.update_state(y, logits)
    variables = model.trainable_variables
    optimizer.apply(tape.gradient(loss, variables), variables)


@tf.function
def measure(x, y):
    accuracy.update_state(y, model(x))


rows = np.random.RandomState(0).normal(size=(150, 4)).astype(np.float32)
classes = rows[:, :3].argmax(1)
for _ in range(2):
    of_training.reset_state()
    for start in range(0, 60, 20):
        part = slice(start, start + 20)
        train(tf.constant(rows[part]), tf.constant(classes[part]))
    accuracy.reset_state()
    for start in range(60, 150, 30):
        part = slice(start, start + 30)
        measure(tf.constant(rows[part]), tf.constant(classes[part]))
    print(float(of_training.result()), float(accuracy.result()))
