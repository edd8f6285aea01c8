"""Nested structures of tf.contrib.framework."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import framework
from tfmigrate_runtime.framework import nest

tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [2])
structure = {"b": (x, x + 1.0), "a": [x * 2.0]}
flat = nest.flatten(structure)
doubled = framework.nest.map_structure(lambda t: t * 2.0, structure)
nest.assert_same_structure(structure, doubled)
with tf.Session() as session:
    found = session.run(doubled, {x: [1.0, -3.0]})
    result = {
        "flat": session.run(tf.stack(flat), {x: [1.0, -3.0]}),
        "a": found["a"][0],
        "b": found["b"][1],
        "packed": nest.pack_sequence_as([0, (0, 0)], [1, 2, 3])[1],
    }
