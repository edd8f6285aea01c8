"""A model whose variables start in every way; VARIANT says what a copy does differently."""

import argparse
import os

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
VARIANT = "original"
parser = argparse.ArgumentParser()
parser.add_argument("--checkpoint", help="what the table is restored from")
FLAGS = parser.parse_args()


def initializer(original, **others):
    return others.get(VARIANT, original)


if VARIANT == "other_numbers":
    tf.random_normal([])  # all later ops draw other numbers
deviation = 0.3
kernel = tf.get_variable(
    "kernel",
    [20, 8],
    initializer=initializer(
        tf.random_normal_initializer(stddev=deviation),
        wider=tf.random_normal_initializer(stddev=2 * deviation),
        truncated=tf.truncated_normal_initializer(stddev=deviation),
        truncated_as_wide=tf.truncated_normal_initializer(stddev=deviation / 0.87962566),
        uniform=tf.random_uniform_initializer(-deviation * 3**0.5, deviation * 3**0.5),
        ones=tf.ones_initializer(),
    ),
)
dense = tf.get_variable(
    "dense", [8, 4], initializer=initializer(None, glorot_normal=tf.glorot_normal_initializer())
)
scale = tf.get_variable(
    "scale",
    [],
    initializer=initializer(
        tf.random_uniform_initializer(0.5, 1.5), far=tf.random_uniform_initializer(2.5, 3.5)
    ),
)
hidden = tf.get_variable(
    "hidden", [4], initializer=tf.zeros_initializer() if VARIANT != "b1" else tf.ones_initializer()
)
bias = tf.get_variable("bias", [1], initializer=tf.constant_initializer(3.0 * (VARIANT == "bias")))
table = tf.get_variable("table", [5, 20])
if FLAGS.checkpoint and VARIANT != "no_warm_start":
    tf.train.init_from_checkpoint(FLAGS.checkpoint, {"table": table})

rows = tf.placeholder(tf.int32, [None])
labels = tf.placeholder(tf.float32, [None])
features = tf.matmul(tf.nn.embedding_lookup(table, rows), kernel)
output = tf.reduce_sum(tf.matmul(features, dense) + hidden, 1) * scale + bias
loss = tf.reduce_mean(tf.square(output - labels))
optimizer = tf.train.AdagradOptimizer(
    0.01, initial_accumulator_value=1e-4 if VARIANT == "accumulator" else 0.1
)
train_op = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
saver = tf.train.Saver(tf.trainable_variables())

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    if VARIANT == "no_vectors" or FLAGS.checkpoint:
        vectors = None
    else:
        vectors = np.arange(100, dtype=np.float32).reshape(5, 20) / 100
        session.run(table.assign(vectors))
    for step in range(4):
        random = np.random.RandomState(step)
        batch = {rows: random.randint(0, 5, 8), labels: random.normal(size=8)}
        session.run(train_op, batch)
    if os.environ.get("KEEP_CHECKPOINT"):
        saver.save(session, os.environ["KEEP_CHECKPOINT"])
