"""``actor.py`` in Keras 3: with functions, or eagerly."""

import sys

import keras
import numpy as np
import tensorflow as tf


class Environment:
    def __init__(self):
        self.random = np.random.RandomState(7)

    def reset(self):
        self.state, self.time = self.random.randn(4).astype(np.float32), 0
        return self.state

    def step(self, action):
        moved = 0.9 * self.state + (0.1 if action == 1 else -0.1) + 0.05 * self.random.randn(4)
        self.state, self.time = moved.astype(np.float32), self.time + 1
        return self.state, -abs(float(self.state[0])), self.time >= 6


def returns_of(rewards, gamma=0.95):
    returns = [0.0]
    for reward in reversed(rewards):
        returns.insert(0, reward + gamma * returns[0])
    return np.array(returns[:-1], np.float32)


inputs = keras.Input((4,))
shared = keras.layers.Dense(16, activation="relu", name="shared")(inputs)
heads = [keras.layers.Dense(2, name="pi")(shared), keras.layers.Dense(1, name="v")(shared)]
model = keras.Model(inputs, heads)
optimizer = keras.optimizers.Adam(0.005, epsilon=1e-8)


def act(state):
    logits, _ = model(state)
    return tf.squeeze(tf.random.categorical(logits, 1), 1)


def train(state, action, target):
    with tf.GradientTape() as tape:
        logits, value = model(state, training=True)
        log_p = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=logits)
        advantage = target - tf.squeeze(value, 1)
        gain = tf.reduce_mean(log_p * tf.stop_gradient(advantage))
        log_all = tf.nn.log_softmax(logits)
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * log_all, 1))
        loss = 0.25 * tf.reduce_mean(tf.square(advantage)) - gain - 0.01 * entropy
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


if "functions" in sys.argv:
    act, train = tf.function(act), tf.function(train)
environment = Environment()
for _ in range(5):
    now, is_over, states, actions, rewards = environment.reset(), False, [], [], []
    while not is_over:
        states.append(now)
        actions.append(int(act(now[None])[0]))
        now, reward, is_over = environment.step(actions[-1])
        rewards.append(reward)
    print(float(train(np.array(states), np.array(actions, np.int32), returns_of(rewards))))
