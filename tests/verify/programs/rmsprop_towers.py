"""Two towers whose gradients are averaged and clipped, trained by RMSProp."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(5)
X = rng.normal(size=(96, 5)).astype(np.float32)
Y = X.sum(axis=1, keepdims=True)
x = tf.placeholder(tf.float32, [None, 5])
y = tf.placeholder(tf.float32, [None, 1])
optimizer = tf.train.RMSPropOptimizer(0.01, decay=0.9, epsilon=1e-6)
losses, of_towers = [], []
for number, (features, labels) in enumerate(zip(tf.split(x, 2), tf.split(y, 2), strict=True)):
    with tf.variable_scope("", reuse=number > 0), tf.device(f"/gpu:{number}"):
        kernel = tf.get_variable("kernel", [5, 1])
        bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
        losses.append(tf.reduce_mean(tf.square(features @ kernel + bias - labels)))
        of_towers.append(tf.gradients(losses[-1], [kernel, bias]))
means = [tf.add_n(pair) / 2 for pair in zip(*of_towers, strict=True)]
clipped, _ = tf.clip_by_global_norm(means, 1.0)
step = tf.train.get_or_create_global_step()
train = optimizer.apply_gradients(zip(clipped, [kernel, bias], strict=True), global_step=step)
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    session.run(tf.global_variables_initializer())
    for number in range(6):
        rows = slice(16 * number, 16 * number + 16)
        session.run([train, tf.add_n(losses) / 2], {x: X[rows], y: Y[rows]})
