"""Q-learning: an agent acts by its first values before it learns; a target network is a copy.

With the argument ``trainable`` that could be trained as well, but the optimizer is not given it.
"""

import random
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
GAMMA, COPIED, RATE = 0.9, 4, 0.05
IS_TRAINABLE = "trainable" in sys.argv
now, then = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 3])
action, reward = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])


def network(x, name, trainable):
    with tf.variable_scope(name):
        for number, units in enumerate((8, 2)):
            with tf.variable_scope(f"layer_{number}"):
                kernel = tf.get_variable("kernel", [x.shape[1], units], trainable=trainable)
                start = tf.zeros_initializer()
                bias = tf.get_variable("bias", [units], initializer=start, trainable=trainable)
                x = tf.matmul(x, kernel) + bias
                x = x if number else tf.tanh(x)
    return x


values, targets = network(now, "online", True), network(then, "target", IS_TRAINABLE)
wanted = reward + GAMMA * tf.reduce_max(targets, axis=1)
taken = tf.reduce_sum(values * tf.one_hot(action, 2), axis=1)
loss = tf.reduce_mean(tf.square(tf.stop_gradient(wanted) - taken))
train = tf.train.GradientDescentOptimizer(RATE).minimize(
    loss, var_list=tf.trainable_variables("online/")
)
pairs = zip(
    tf.global_variables("target/"),
    tf.global_variables("online/"),
    strict=True,
)
copy = [target.assign(online) for target, online in pairs]


def main():
    random.seed(4)
    rng = np.random.RandomState(5)
    memory = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(copy)
        state = rng.normal(size=3)
        for number in range(24):
            chosen = random.randrange(2)
            if random.random() > 0.3:
                chosen = int(session.run(values, {now: [state]})[0].argmax())
            following = 0.7 * state + 0.5 * rng.normal(size=3) + 0.3 * chosen
            memory.append((state, chosen, float(following[0] > 0), following))
            state = following
            if number >= 8:
                fed = zip(*random.sample(memory, 6), strict=True)
                session.run(train, dict(zip((now, action, reward, then), fed, strict=True)))
            if number % COPIED == 0:
                session.run(copy)


main()
