"""agent.py with models of Keras and a GradientTape."""

import random

import numpy as np
import tensorflow as tf
from keras import Input, Sequential, layers, optimizers

GAMMA, COPIED, RATE = 0.9, 4, 0.05


def network(name):
    return Sequential(
        [
            Input([3]),
            layers.Dense(8, "tanh", name=f"{name}_0"),
            layers.Dense(2, name=f"{name}_1"),
        ],
        name=name,
    )


def main():
    random.seed(4)
    rng = np.random.RandomState(5)
    online, target = network("online"), network("target")
    optimizer = optimizers.SGD(RATE)
    optimizer.build(online.trainable_variables)
    target.set_weights(online.get_weights())

    @tf.function
    def learn(now, action, reward, then):
        wanted = reward + GAMMA * tf.reduce_max(target(then), axis=1)
        with tf.GradientTape() as tape:
            taken = tf.reduce_sum(online(now) * tf.one_hot(action, 2), axis=1)
            loss = tf.reduce_mean(tf.square(wanted - taken))
        optimizer.apply(tape.gradient(loss, online.trainable_variables))

    memory = []
    state = rng.normal(size=3)
    for number in range(24):
        chosen = random.randrange(2)
        if random.random() > 0.3:
            chosen = int(online(np.float32([state])).numpy()[0].argmax())
        following = 0.7 * state + 0.5 * rng.normal(size=3) + 0.3 * chosen
        memory.append((state, chosen, float(following[0] > 0), following))
        state = following
        if number >= 8:
            now, action, reward, then = zip(*random.sample(memory, 6), strict=True)
            learn(np.float32(now), np.int32(action), np.float32(reward), np.float32(then))
        if number % COPIED == 0:
            target.set_weights(online.get_weights())


main()
