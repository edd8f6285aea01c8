"""tf.contrib.util."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.util"
# Each was an alias of the one in tf (contrib/util/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    "constant_value": Equivalent("get_static_value"),
    "make_ndarray": Equivalent("make_ndarray"),
    "make_tensor_proto": Equivalent("make_tensor_proto"),
}
_OWN_OPS = Missing(
    "it loaded the operations that were compiled into tf.contrib",
    "load custom operations with tf.load_op_library",
)
MISSING: Mapping[str, Missing] = {
    "loader": _OWN_OPS,
    "ops_used_by_graph_def": Missing(
        "TensorFlow 2 has no such function", "collect node.op over graph_def.node and its functions"
    ),
    "stripped_op_list_for_graph": Missing(
        "TensorFlow 2 has no such function", "remove it: tf.saved_model lists the operations itself"
    ),
}
