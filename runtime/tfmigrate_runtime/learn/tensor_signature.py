"""The kinds of the tensors that an Estimator was given, to hold later ones against."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf


class TensorSignature(NamedTuple):
    """The kind of a tensor.

    Attributes:
        dtype: its DType.
        shape: its shape without the batch axis, None where it is unknown or the tensor is sparse.
        is_sparse: whether it is a SparseTensor.
    """

    dtype: Any
    shape: Any
    is_sparse: bool

    def is_compatible_with(self, other: TensorSignature) -> bool:
        """Returns whether both can be of the same feature."""
        if self.dtype != other.dtype or self.is_sparse != other.is_sparse:
            return False
        if self.shape is None or other.shape is None:
            return True
        return bool(self.shape.is_compatible_with(other.shape))

    def placeholder(self) -> Any:
        """Returns a placeholder for batches of any size."""
        if self.is_sparse:
            return tf.sparse_placeholder(self.dtype)
        shape = None if self.shape is None else [None, *self.shape.as_list()]
        return tf.placeholder(self.dtype, shape)


def signatures_of(tensors: Any) -> Any:
    """Returns the signature of a tensor, signatures by name of a dict, None of anything else."""
    if isinstance(tensors, dict):
        return {name: _signature(tensor) for name, tensor in tensors.items()}
    return _signature(tensors) if isinstance(tensors, (tf.Tensor, tf.SparseTensor)) else None


def are_compatible(tensors: Any, signatures: Any) -> bool:
    """Returns whether tensors have all signatures, their batch axis apart."""
    tensor_signatures = signatures_of(tensors)
    if isinstance(signatures, dict):
        return isinstance(tensor_signatures, dict) and all(
            name in tensor_signatures and tensor_signatures[name].is_compatible_with(signature)
            for name, signature in signatures.items()
        )
    return isinstance(tensor_signatures, TensorSignature) and tensor_signatures.is_compatible_with(
        signatures
    )


def placeholders_of(signatures: Any) -> Any:
    """Returns placeholders for signatures, None for None."""
    if isinstance(signatures, dict):
        return {name: signature.placeholder() for name, signature in signatures.items()}
    return None if signatures is None else signatures.placeholder()


def _signature(tensor: Any) -> TensorSignature:
    if isinstance(tensor, tf.SparseTensor):
        return TensorSignature(tensor.dtype, None, True)
    shape = tensor.shape
    return TensorSignature(tensor.dtype, None if not shape.rank else shape[1:], False)
