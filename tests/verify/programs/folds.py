"""Trains one model for each of three folds, each in a graph and a session."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(6)
rows = rng.randn(60, 5).astype(np.float32)
labels = rows.sum(axis=1, keepdims=True)
for fold in range(3):
    tf.reset_default_graph()
    x, y = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.float32, [None, 1])
    start = tf.random_normal_initializer(stddev=0.1, seed=fold)
    top = tf.layers.dense(tf.nn.dropout(x, 0.9), 1, kernel_initializer=start, name="top")
    loss = tf.reduce_mean(tf.abs(top - y))
    train = tf.train.AdamOptimizer(0.02 * (fold + 1)).minimize(loss)
    saver = tf.train.Saver()
    kept, path = np.arange(60) % 3 != fold, ""
    for part in range(2):  # the second continues from the checkpoint of the first
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            if part:
                saver.restore(session, path)
            for _ in range(3):
                session.run(train, {x: rows[kept], y: labels[kept]})
            path = saver.save(session, os.path.join(os.environ["TMPDIR"], "model"))
