"""tf.contrib.graph_editor.get_backward_walk_ops, by which tensorpack finds inputs."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import graph_editor
from tfmigrate_runtime.graph_editor import get_backward_walk_ops

tf.disable_v2_behavior()


def names(operations):
    return sorted(operation.name for operation in operations)


a = tf.placeholder(tf.float32, [2], name="a")
b = tf.multiply(a, 2.0, name="b")
with tf.control_dependencies([tf.no_op("first")]):
    c = tf.add(b, 1.0, name="c")
walk = graph_editor.get_backward_walk_ops
result = {
    "all": names(get_backward_walk_ops([c.op])),
    "of tensors": names(get_backward_walk_ops([c], inclusive=False, control_inputs=True)),
    "stopped": names(get_backward_walk_ops(c, stop_at_ts=[b])),
    "within": names(walk([c], within_ops=[b.op, c.op])),
    "as it is asked": names(walk([c], within_ops_fn=lambda op: op.type != "Placeholder")),
}
