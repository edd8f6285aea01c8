"""Names of tensorflow.python: some are where they were, some are elsewhere now."""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import dtypes, ops
from tensorflow.python.ops import array_ops, control_flow_ops, math_ops, state_ops
from tensorflow.python.ops import variable_scope as vs
from tensorflow.python.training import moving_averages
from tensorflow.python.util import nest

tf.disable_v2_behavior()


def halves(x):
    """Returns the number of times that a number can be halved, and what is left."""
    return tf.while_loop(
        lambda n, rest: rest > 1.0, lambda n, rest: [n + 1, rest / 2.0], [0, x]
    )


with ops.name_scope("scope"):
    x = ops.convert_to_tensor([1.0, 2.0, 3.0], dtype=dtypes.float32)
with vs.variable_scope("model"):
    w = vs.get_variable("w", [3], initializer=tf.ones_initializer())
    average = vs.get_variable("average", [], initializer=tf.zeros_initializer(), trainable=False)
update = moving_averages.assign_moving_average(average, 8.0, 0.75, zero_debias=False)
doubled = state_ops.assign(w, w * 2.0)
total = math_ops.reduce_sum(tf.stack([x, x]), 1)
branch = tf.cond(total[0] > 5.0, lambda: total, lambda: -total)
parts = tf.unstack(array_ops.reshape(x, [3, 1]))
cropped = tf.random_crop(x, [3])
grouped = control_flow_ops.group(update, doubled)
saver = tf.train.Saver()

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(grouped)
    path = saver.save(session, "saved/model")
    result = {
        "halves": np.array(session.run(halves(20.0)), np.float64),
        "branch": session.run(branch),
        "parts": session.run(parts),
        "cropped": session.run(cropped),
        "variables": np.append(session.run(w), session.run(average)),
        "flat": nest.flatten({"b": [1, 2], "a": 3}),
        "tensor": str(isinstance(x, tf.Tensor)),
        "name": x.name,
        "saved": tf.train.NewCheckpointReader(path).get_tensor("model/w"),
    }
