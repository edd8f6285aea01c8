"""Labels of short sequences, by a session: masks, batch normalization, averages, exports."""

import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

STEPS, ROWS, LENGTH, CLASSES = 12, 16, 8, 3
TRAINING, HELD_OUT = 1, 2
DROPPED, DECAY = 0.3, 1e-3


def data(seed, count):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(count, LENGTH, 4)).astype(np.float32)
    labels = np.where(x[:, :, 0] > 0.5, 2, x[:, :, 1] > 0).astype(np.int32)
    mask = (rng.uniform(size=(count, LENGTH)) < 0.8).astype(np.float32)
    return x, labels, mask


x = tf.placeholder(tf.float32, [None, LENGTH, 4], "x")
y = tf.placeholder(tf.int32, [None, LENGTH], "y")
mask = tf.placeholder(tf.float32, [None, LENGTH], "mask")
is_training = tf.placeholder_with_default(False, [], "is_training")
step = tf.train.get_or_create_global_step()

projected = tf.layers.dense(x, 6, name="projection", trainable=False)
hidden = tf.layers.conv1d(
    projected, 8, 3, padding="same", name="conv", kernel_initializer=tf.glorot_uniform_initializer()
)
hidden = tf.layers.batch_normalization(
    hidden, momentum=0.9, epsilon=1e-3, training=is_training, name="norm"
)
hidden = tf.nn.relu(hidden)
hidden = tf.layers.dropout(hidden, DROPPED, training=is_training)
logits = tf.layers.dense(hidden, CLASSES, name="logits")
targets = 0.9 * tf.one_hot(y, CLASSES) + 0.1 / CLASSES
entropies = tf.nn.softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)
error = tf.reduce_sum(entropies * mask) / tf.reduce_sum(mask)
kernels = [v for v in tf.trainable_variables() if "kernel" in v.name]
loss = error + DECAY * tf.add_n([tf.nn.l2_loss(v) for v in kernels])

warm = tf.minimum(1.0, tf.cast(step + 1, tf.float32) / 4.0)
rate = warm * tf.train.exponential_decay(0.2, step, 5, 0.5, staircase=True)
optimizer = tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True)
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    gradients, variables = zip(*optimizer.compute_gradients(loss), strict=True)
gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
trained = optimizer.apply_gradients(zip(gradients, variables, strict=True), step)
average = tf.train.ExponentialMovingAverage(0.9)
with tf.control_dependencies([trained]):
    train_op = average.apply(tf.trainable_variables())
accuracy, count = tf.metrics.accuracy(y, tf.argmax(logits, -1), weights=mask)
backups = [tf.Variable(v.initialized_value(), trainable=False) for v in tf.trainable_variables()]
keep = [b.assign(v) for b, v in zip(backups, tf.trainable_variables(), strict=True)]
use_averages = [v.assign(average.average(v)) for v in tf.trainable_variables()]
put_back = [v.assign(b) for b, v in zip(backups, tf.trainable_variables(), strict=True)]

tf.summary.scalar("loss", loss)
tf.summary.scalar("rate", rate)
merged = tf.summary.merge_all()
saver = tf.train.Saver(max_to_keep=3)
writer = tf.summary.FileWriter(sys.argv[1] + "/events")
rows_x, rows_y, rows_mask = data(TRAINING, ROWS * 6)
order = np.random.RandomState(7).permutation(ROWS * 6)


def batch(number):
    rows = order[number * ROWS % len(order) :][:ROWS]
    return {x: rows_x[rows], y: rows_y[rows], mask: rows_mask[rows], is_training: True}


def evaluate(session):
    session.run(keep)
    session.run(use_averages)
    session.run(tf.local_variables_initializer())
    held_x, held_y, held_mask = data(HELD_OUT, 48)
    for start in range(0, 48, 16):
        part = slice(start, start + 16)
        session.run(count, {x: held_x[part], y: held_y[part], mask: held_mask[part]})
    print(session.run([accuracy]))
    found = session.run([error], {x: held_x, y: held_y, mask: held_mask})
    session.run(put_back)
    return found


with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for number in range(STEPS):
        _, _, summary = session.run([train_op, loss, merged], batch(number))
        writer.add_summary(summary, number)
        if number % 4 == 3:
            evaluate(session)
            saver.save(session, sys.argv[1] + "/model", global_step=number)
    exported = {"probabilities": tf.nn.softmax(logits)}
    tf.saved_model.simple_save(session, sys.argv[1] + "/export", {"x": x}, exported)
writer.close()
