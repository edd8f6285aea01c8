"""Optimization by another library, here by steps of one's own."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.opt import ExternalOptimizerInterface

factor = tf.placeholder(tf.float32, [])
weights = tf.get_variable("weights", initializer=np.array([[1.0, -2.0]], np.float32))
bias = tf.get_variable("bias", initializer=np.float32(0.5))
unused = tf.get_variable("unused", initializer=np.array([3.0], np.float32))
loss = factor * tf.reduce_sum(tf.square(weights - 1.0)) + tf.square(bias + tf.reduce_sum(weights))
seen = []


class Descent(ExternalOptimizerInterface):
    """Goes down the gradient, within bounds, and tells what the constraint is."""

    def _minimize(self, **given):
        values = given["initial_val"]
        lower, upper = np.array(given["packed_bounds"]).T
        for _ in range(given["optimizer_kwargs"]["steps"]):
            _, gradient = given["loss_grad_func"](values)
            values = np.clip(values - 0.1 * gradient, lower, upper).astype(np.float32)
            given["step_callback"](values)
        seen.append(given["equality_funcs"][0](values)[0])
        seen.append(given["equality_grad_funcs"][0](values)[0][0])
        return values


optimizer = Descent(
    loss,
    equalities=[tf.reduce_sum(weights) * 2.0],
    var_to_bounds={weights: (-1.5, np.inf)},
    steps=5,
)
losses, tried = [], []
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    optimizer.minimize(
        session,
        feed_dict={factor: 0.5},
        fetches=[loss],
        loss_callback=losses.append,
        step_callback=tried.append,
    )
    result = {
        "weights": session.run(weights),
        "bias": session.run(bias),
        "unused": session.run(unused),
        "losses": losses,
        "tried": tried,
        "constraint": seen,
    }
