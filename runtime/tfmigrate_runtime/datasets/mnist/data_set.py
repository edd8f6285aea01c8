"""Images and labels in memory, in batches."""

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf


class DataSet:
    """Images and labels, in the batches that TensorFlow 1.15 made of them.

    The order is numpy's: its global generator is seeded by the constructor and drawn from by
    next_batch, so that any other use of numpy.random comes in between, as it did.

    Attributes:
        images: uint8 or float32 [examples, ...], in the order of the present epoch.
        labels: [examples] or [examples, classes], in the same order.
        num_examples: how many there are.
        epochs_completed: how many times all of them have been in a batch.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = tf.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        """Keeps images and labels.

        Args:
            images: uint8 [examples, rows, columns, 1].
            labels: [examples] or [examples, classes].
            fake_data: whether there are none: then 10000 examples are said to be there.
            one_hot: with fake_data, whether labels are vectors.
            dtype: uint8 for images in 0...255, float32 for 0...1.
            reshape: whether images become vectors [rows * columns].
            seed: seed of the order; None for that of tf.set_random_seed, or at random.

        Raises:
            TypeError: dtype is neither uint8 nor float32.
            ValueError: there are not as many images as labels, or images to be reshaped have
                several channels.
        """
        graph_seed, op_seed = tf.get_seed(seed)
        np.random.seed(graph_seed if seed is None else op_seed)
        if (dtype := tf.as_dtype(dtype).base_dtype) not in (tf.uint8, tf.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self._num_examples = 10000 if fake_data else len(images)
        self.one_hot = one_hot
        if not fake_data:
            images = _prepared(images, labels, dtype, reshape)
        self._images, self._labels, self._epochs_completed = images, labels, 0
        self._index_in_epoch = 0

    # The arrays have 1.15's own names: programs read them, and replace them.
    @property
    def images(self) -> Any:
        """Images, in the order of the present epoch."""
        return self._images

    @property
    def labels(self) -> Any:
        """Labels, in the order of the present epoch."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many examples there are."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """How many times all examples have been in a batch."""
        return self._epochs_completed

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """Returns the next examples, the last of an epoch together with the first of the next.

        Args:
            batch_size: how many.
            fake_data: whether to return ones and labels 0 instead.
            shuffle: whether an epoch that begins is put into random order.

        Returns:
            images [batch_size, ...] and labels [batch_size, ...].
        """
        if fake_data:
            label: Any = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if shuffle and self._epochs_completed == 0 and start == 0:
            self._shuffle()
        if (end := start + batch_size) <= self._num_examples:
            self._index_in_epoch = end
            return self._images[start:end], self._labels[start:end]
        self._epochs_completed += 1
        remainder = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = end - self._num_examples
        return (
            np.concatenate((remainder[0], self._images[: self._index_in_epoch])),
            np.concatenate((remainder[1], self._labels[: self._index_in_epoch])),
        )

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images = self._images[order]
        self._labels = self._labels[order]


def _prepared(images: Any, labels: Any, dtype: Any, reshape: bool) -> Any:
    """Returns images in the shape and type that batches have."""
    if images.shape[0] != labels.shape[0]:
        raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
    if reshape:
        if images.shape[3] != 1:
            raise ValueError(f"images of {images.shape[3]} channels cannot be reshaped")
        images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
    if dtype == tf.float32:
        images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
    return images
