"""Small functions of ``tensorflow.python.framework`` that TensorFlow no longer has."""

from typing import Any

import tensorflow.compat.v1 as tf


def scalar() -> Any:
    """Returns the shape of a scalar (tensor_shape.scalar of TensorFlow 1.15)."""
    return tf.TensorShape([])


def vector(length: Any) -> Any:
    """Returns the shape of a vector (tensor_shape.vector of TensorFlow 1.15)."""
    return tf.TensorShape([length])


def matrix(rows: Any, cols: Any) -> Any:
    """Returns the shape of a matrix (tensor_shape.matrix of TensorFlow 1.15)."""
    return tf.TensorShape([rows, cols])


def get_registered_ops() -> dict[str, Any]:
    """Returns the OpDef of every op by its name (op_def_registry.get_registered_ops of 1.15)."""
    from tfmigrate_runtime.compat.shim_registry import op_def_pb2, pywrap_tf_session

    ops: Any = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {op.name: op for op in ops.op}
