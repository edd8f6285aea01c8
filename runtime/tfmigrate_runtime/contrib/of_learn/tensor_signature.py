"""What an Estimator of contrib.learn remembers of its first input."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf


class _Fields(NamedTuple):
    dtype: Any
    shape: Any
    is_sparse: bool


class TensorSignature(_Fields):
    """Dtype and shape of a tensor; the shape of a sparse one is None."""

    def __new__(cls, tensor: Any) -> TensorSignature:
        """Takes a Tensor or a SparseTensor."""
        if isinstance(tensor, tf.SparseTensor):
            return super().__new__(cls, tensor.values.dtype, None, True)
        return super().__new__(cls, tensor.dtype, tensor.shape, False)

    def is_compatible_with(self, other: Any) -> bool:
        """Returns whether tensors of both could be batches of the same feature."""
        if not self.dtype.is_compatible_with(other.dtype) or self.is_sparse != other.is_sparse:
            return False
        if self.is_sparse or self.shape.dims is None or other.shape.dims is None:
            return True
        same_rank = self.shape.ndims == other.shape.ndims
        return same_rank and bool(self.shape[1:].is_compatible_with(other.shape[1:]))

    def get_placeholder(self) -> Any:
        """Returns a placeholder for batches of any size."""
        if self.is_sparse:
            return tf.sparse_placeholder(self.dtype)
        shape = None if self.shape.rank is None else [None, *self.shape[1:]]
        return tf.placeholder(self.dtype, shape)


def tensors_compatible(tensors: Any, signatures: Any) -> bool:
    """Returns whether tensors have every feature of the signatures, with such values."""
    if tensors is None or signatures is None:
        return tensors is None and signatures is None
    if isinstance(tensors, dict) != isinstance(signatures, dict):
        return False
    if not isinstance(tensors, dict):
        return _is_tensor(tensors) and TensorSignature(tensors).is_compatible_with(signatures)
    return all(
        name in tensors and TensorSignature(tensors[name]).is_compatible_with(signature)
        for name, signature in signatures.items()
    )


def create_signatures(tensors: Any) -> Any:
    """Returns the signatures of a tensor, or of each in a dict; None for anything else."""
    if isinstance(tensors, dict):
        return {name: TensorSignature(tensor) for name, tensor in tensors.items()}
    return TensorSignature(tensors) if _is_tensor(tensors) else None


def create_placeholders_from_signatures(signatures: Any) -> Any:
    """Returns placeholders for a signature, or for each in a dict; None for None."""
    if isinstance(signatures, dict):
        return {name: signature.get_placeholder() for name, signature in signatures.items()}
    return None if signatures is None else signatures.get_placeholder()


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.SparseTensor))
