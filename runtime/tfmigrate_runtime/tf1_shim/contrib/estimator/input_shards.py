"""The batch of each tower: a contiguous share of the input batch."""

from typing import Any

import tensorflow.compat.v1 as tf


def split_batch(
    features: Any, labels: Any, towers: int, device: str
) -> tuple[list[Any], list[Any] | None]:
    """Splits features and labels along axis 0, as ``tf.split`` does (semantics 1.1, 1.2).

    Args:
        features: a tensor [batch, ...], or a dict of tensors and SparseTensors.
        labels: the same, or None.
        towers: how many shares.
        device: where the batch is cut.

    Returns:
        The features of each tower, and the labels of each tower or None.

    Raises:
        ValueError: a batch whose size is known is not divisible by ``towers``. A size that only
            the run knows fails there, with tf.errors.InvalidArgumentError.
    """
    with tf.name_scope("split_inputs"), tf.device(device):
        return (_shards(features, towers), None if labels is None else _shards(labels, towers))


def _shards(batch: Any, towers: int) -> list[Any]:
    if not isinstance(batch, dict):
        return _tensor_shards(batch, towers)
    shards: list[dict[Any, Any]] = [{} for _ in range(towers)]
    for name, tensor in batch.items():
        split = _sparse_shards if isinstance(tensor, tf.SparseTensor) else _tensor_shards
        for shard, part in zip(shards, split(tensor, towers), strict=True):
            shard[name] = part
    return shards


def _tensor_shards(tensor: Any, towers: int) -> list[Any]:
    size = tf.convert_to_tensor(tensor).shape[0]
    # Dimension(None) % 2 is Dimension(None), and != 0 is then None: the run decides.
    if size % towers != 0:
        raise ValueError(
            f"Batch size {size} needs to be divisible by the number of GPUs, which is {towers}."
        )
    return list(tf.split(tensor, towers))


def _sparse_shards(tensor: Any, towers: int) -> list[Any]:
    # Not checked for divisibility: the first tower's share is the bigger one then.
    return list(tf.sparse_split(sp_input=tensor, num_split=towers, axis=0))
