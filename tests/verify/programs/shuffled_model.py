"""A model that is fed arrays in random order, which a queue of TensorFlow 1.x draws.

What is recorded of it on TensorFlow 1.15.5 is stored:

    python all_sessions.py --out shuffled_model_of_tensorflow_1_15.npz shuffled_model.py {out}
"""

import sys

import numpy as np
import tensorflow as tf

rows = np.random.RandomState(0).rand(60, 4).astype("float32")
labels = rows.sum(1, keepdims=True)


def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1, name="dense"))
    step = tf.train.get_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


tf.estimator.Estimator(model_fn, sys.argv[1]).train(
    tf.estimator.inputs.numpy_input_fn(rows, labels, batch_size=16, num_epochs=3, shuffle=True)
)
