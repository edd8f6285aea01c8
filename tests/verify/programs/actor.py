"""An actor and critic that draws its actions between its training steps."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)


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


state = tf.placeholder(tf.float32, [None, 4])
action = tf.placeholder(tf.int32, [None])
target = tf.placeholder(tf.float32, [None])
shared = tf.layers.dense(state, 16, tf.nn.relu, name="shared")
logits = tf.layers.dense(shared, 2, name="pi")
value = tf.squeeze(tf.layers.dense(shared, 1, name="v"), 1)
sample = tf.squeeze(tf.multinomial(logits, 1), 1)
log_p = -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=action, logits=logits)
advantage = target - value
gain = tf.reduce_mean(log_p * tf.stop_gradient(advantage))
entropy = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), 1))
loss = 0.25 * tf.reduce_mean(tf.square(advantage)) - gain - 0.01 * entropy
train = tf.train.AdamOptimizer(0.005).minimize(loss)
environment = Environment()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        now, is_over, states, actions, rewards = environment.reset(), False, [], [], []
        while not is_over:
            states.append(now)
            actions.append(session.run(sample, {state: now[None]})[0])
            now, reward, is_over = environment.step(actions[-1])
            rewards.append(reward)
        feeds = {state: np.array(states), action: np.array(actions), target: returns_of(rewards)}
        print(session.run([loss, train], feeds)[0])
