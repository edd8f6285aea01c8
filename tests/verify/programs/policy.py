"""Policy gradients: actions are drawn in one run and trained on in another."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
DISCOUNT, ENTROPY = 0.9, 0.01
state = tf.placeholder(tf.float32, [None, 3])
action, gain = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
scaled = tf.variance_scaling_initializer(1.0)


def layer(x, units, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [int(x.shape[1]), units], initializer=scaled)
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return tf.matmul(x, kernel) + bias


hidden = tf.tanh(layer(state, 12, "hidden"))
logits = layer(hidden, 2, "actor")
value = tf.squeeze(layer(hidden, 1, "critic"), 1)
chosen = tf.random.categorical(logits, 1)[:, 0]
log_p = tf.nn.log_softmax(logits)
taken = tf.reduce_sum(log_p * tf.one_hot(action, 2), 1)
advantage = tf.stop_gradient(gain - value)
entropy = -tf.reduce_sum(tf.nn.softmax(logits) * log_p, 1)
of_value = 0.5 * tf.reduce_mean(tf.square(gain - value))
loss = tf.reduce_mean(-taken * advantage) + of_value - ENTROPY * tf.reduce_mean(entropy)
train = tf.train.RMSPropOptimizer(
    0.01, decay=0.95, momentum=0.2, epsilon=1e-3, centered=True
).minimize(loss)
weights = tf.trainable_variables()
slow = [tf.Variable(weight.initialized_value(), trainable=False) for weight in weights]
follow = [s.assign(0.9 * s + 0.1 * w) for s, w in zip(slow, weights, strict=True)]
rng = np.random.RandomState(2)


def episode(session):
    now, states, actions, rewards = rng.normal(size=3), [], [], []
    for _ in range(10):
        drawn = session.run(chosen, {state: [now]})[0]
        states.append(now)
        actions.append(drawn)
        rewards.append(float((now[0] > 0) == drawn))
        now = 0.8 * now + 0.3 * rng.normal(size=3) + 0.1 * drawn
    returns = [0.0]
    for reward in rewards[::-1]:
        returns.append(reward + DISCOUNT * returns[-1])
    return {state: states, action: actions, gain: returns[:0:-1]}


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(8):
        lived = episode(session)
        session.run([train, loss], lived)
        if number % 2:
            session.run(follow)
    print(session.run(tf.reduce_mean(value), lived))
