"""Ratings by factors of users and items: sparse gradients, a monitored session, shuffled rows."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
USERS, ITEMS, WIDTH = 30, 20, 5
rng = np.random.RandomState(3)
user, item = rng.randint(0, USERS, 400), rng.randint(0, ITEMS, 400)
rating = (rng.normal(size=USERS)[user] + rng.normal(size=ITEMS)[item]).astype(np.float32)
data = tf.data.Dataset.from_tensor_slices((user, item, rating))
data = data.shuffle(400, seed=4).repeat(3).batch(32, drop_remainder=True)
u, i, r = tf.data.make_one_shot_iterator(data).get_next()

step = tf.train.get_or_create_global_step()
normal = tf.truncated_normal_initializer(stddev=0.1)
of_users = tf.get_variable("users", [USERS, WIDTH], initializer=normal)
of_items = tf.get_variable("items", [ITEMS, WIDTH], initializer=normal)
bias = tf.get_variable("bias", [ITEMS], initializer=tf.zeros_initializer())
mean = tf.get_variable("mean", [], initializer=tf.constant_initializer(0.1))
p, q = tf.nn.embedding_lookup(of_users, u), tf.nn.embedding_lookup(of_items, i)
predicted = tf.reduce_sum(p * q, 1) + tf.gather(bias, i) + mean
tf.losses.huber_loss(r, predicted, delta=1.0)
tf.losses.add_loss(0.02 * tf.reduce_mean(tf.reduce_sum(p * p, 1) + tf.reduce_sum(q * q, 1)))
loss = tf.losses.get_total_loss()


def clipped(gradient):
    if not isinstance(gradient, tf.IndexedSlices):
        return gradient
    values = tf.clip_by_value(gradient.values, -0.02, 0.02)
    return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)


rate = tf.train.polynomial_decay(0.3, step, 20, 0.05, power=2.0)
optimizer = tf.train.AdagradOptimizer(rate, initial_accumulator_value=0.2)
pairs = [(clipped(gradient), variable) for gradient, variable in optimizer.compute_gradients(loss)]
train = optimizer.apply_gradients(pairs, global_step=step)
with tf.control_dependencies([train]):
    short = tf.clip_by_norm(tf.gather(of_users, u[:2]), 0.2, axes=[1])
    train = tf.group(tf.scatter_update(of_users, u[:2], short))
rmse = tf.metrics.root_mean_squared_error(r, predicted)
tf.add_to_collection(tf.GraphKeys.LOCAL_INIT_OP, tf.local_variables_initializer())
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=sys.argv[1], save_checkpoint_steps=10, hooks=[tf.train.StopAtStepHook(24)]
) as session:
    while not session.should_stop():
        session.run([train, loss, rmse[1]])
