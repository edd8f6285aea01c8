"""tf.contrib.slim trains: its loop runs the session, also without training, and not the program.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out slim_learning_of_tensorflow_1_15.npz slim_learning.py {out}
"""

import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim

rows = tf.constant(np.random.RandomState(0).rand(16, 4).astype("float32"))
labels = tf.constant(np.random.RandomState(1).randint(0, 3, 16))
hidden = slim.fully_connected(rows, 8, weights_regularizer=slim.l2_regularizer(0.001))
logits = slim.fully_connected(slim.batch_norm(hidden), 3, activation_fn=None)
tf.losses.sparse_softmax_cross_entropy(labels, logits)
train_op = slim.learning.create_train_op(
    tf.losses.get_total_loss(), tf.train.RMSPropOptimizer(0.01), clip_gradient_norm=1.0
)
slim.learning.train(train_op, sys.argv[1], number_of_steps=8, save_summaries_secs=1000)
