"""tf.contrib.util."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_ops import meta_graph

__all__ = [
    "constant_value", "make_ndarray", "make_tensor_proto", "ops_used_by_graph_def",
    "stripped_op_list_for_graph",
]  # fmt: skip

constant_value = tf.get_static_value
make_ndarray = tf.make_ndarray
make_tensor_proto = tf.make_tensor_proto
ops_used_by_graph_def = meta_graph.ops_used_by_graph_def
stripped_op_list_for_graph = meta_graph.stripped_op_list_for_graph
