"""The fixture replicate_model_fn/momentum_piecewise as a loop in a function, raw variables."""

import argparse

import keras
import numpy as np
import tensorflow as tf

BATCH, BOUNDARIES, HELD_OUT = 50, [40, 80], (300, 32)
SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ]
)


def display(count, seed):
    random = np.random.RandomState(seed)
    digits = random.randint(10, size=count)
    brightness = SEGMENTS[digits] + random.normal(scale=0.3, size=(count, 7))
    return brightness.astype(np.float32), digits.astype(np.int32)


class Momentum(keras.optimizers.SGD):
    """Keeps the sum of gradients: that of Keras has the learning rate of each step in it."""

    def update_step(self, gradient, variable, learning_rate):
        sums = self.momentums[self._get_variable_index(variable)]
        sums.assign(self.momentum * sums + gradient)
        variable.assign_sub(learning_rate * (gradient + self.momentum * sums))


parser = argparse.ArgumentParser()
parser.add_argument("--model_dir")
parser.add_argument("--train_steps", type=int)
options = parser.parse_args()
strategy = tf.distribute.MirroredStrategy(
    ["CPU:0", "CPU:1"], cross_device_ops=tf.distribute.ReductionToOneDevice()
)
replicas = strategy.num_replicas_in_sync
with strategy.scope():
    limit = np.sqrt(6.0 / (7 + 12))
    first = tf.Variable(tf.random.uniform([7, 12], -limit, limit), name="first")
    first_bias = tf.Variable(tf.zeros([12]), name="first_bias")
    limit = np.sqrt(6.0 / (12 + 10))
    second = tf.Variable(tf.random.uniform([12, 10], -limit, limit), name="second")
    second_bias = tf.Variable(tf.zeros([10]), name="second_bias")
    variables = [first, first_bias, second, second_bias]
    rates = keras.optimizers.schedules.PiecewiseConstantDecay(BOUNDARIES, [0.1, 0.03, 0.01])
    optimizer = Momentum(rates, momentum=0.9, nesterov=True)
    optimizer.build(variables)


def step_on_replica(images, labels):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(images @ first + first_bias)
        logits = hidden @ second + second_bias
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses) / replicas
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))


@tf.function
def train(dataset):
    for images, labels in dataset:
        strategy.run(step_on_replica, args=(images, labels))


accuracy = keras.metrics.SparseCategoricalAccuracy("accuracy")
error = keras.metrics.Mean("loss")


def evaluate():
    accuracy.reset_state()
    error.reset_state()
    for images, labels in tf.data.Dataset.from_tensor_slices(display(*HELD_OUT)).batch(BATCH):
        logits = tf.nn.relu(images @ first + first_bias) @ second + second_bias
        accuracy.update_state(labels, logits)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        error.update_state(tf.reduce_mean(losses))
    print(float(accuracy.result()), float(error.result()))


steps_of_call = options.train_steps // 2
data = tf.data.Dataset.from_tensor_slices(display(1000, 31)).repeat().batch(BATCH)
for _ in range(2):
    train(strategy.experimental_distribute_dataset(data.take(steps_of_call)))
    evaluate()
