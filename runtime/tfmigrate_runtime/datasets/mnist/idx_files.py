"""Reads IDX files, compressed with gzip or not."""

import gzip
import io
from typing import Any

import numpy as np

_IMAGES, _LABELS = 2051, 2049
_GZIP = b"\x1f\x8b"


def extract_images(f: Any) -> Any:
    """Reads the images of a file.

    Args:
        f: the file, opened for reading bytes, gzip or not.

    Returns:
        uint8 [images, rows, columns, 1].

    Raises:
        ValueError: it is not an IDX file of images, or cut off.
    """
    content = _content(f, _IMAGES, "image")
    count, rows, columns = (int(n) for n in np.frombuffer(content, ">u4", 3, 4))
    pixels = np.frombuffer(_payload(f, content, 16, count * rows * columns), np.uint8)
    return pixels.reshape(count, rows, columns, 1)


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = 10) -> Any:
    """Reads the labels of a file.

    Args:
        f: the file, opened for reading bytes, gzip or not.
        one_hot: whether each label is a vector.
        num_classes: length of that vector.

    Returns:
        uint8 [labels]; with one_hot float64 [labels, num_classes].

    Raises:
        ValueError: it is not an IDX file of labels, or cut off.
    """
    content = _content(f, _LABELS, "label")
    count = int(np.frombuffer(content, ">u4", 1, 4)[0])
    labels = np.frombuffer(_payload(f, content, 8, count), np.uint8)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> Any:
    """Returns labels as vectors.

    Args:
        labels_dense: integers [labels].
        num_classes: length of the vectors.

    Returns:
        float64 [labels, num_classes].
    """
    labels = np.asarray(labels_dense)
    vectors = np.zeros((labels.shape[0], num_classes))
    # Flat positions, as in TensorFlow 1.15: a label too large marks a class of the next example.
    vectors.flat[np.arange(labels.shape[0]) * num_classes + labels.ravel()] = 1
    return vectors


def _content(f: Any, magic: int, what: str) -> bytes:
    content = f.read()
    if content[:2] == _GZIP:
        content = gzip.GzipFile(fileobj=io.BytesIO(content)).read()
    if (number := int.from_bytes(content[:4], "big")) != magic:
        raise ValueError(f"Invalid magic number {number} in MNIST {what} file: {f.name}")
    return bytes(content)


def _payload(f: Any, content: bytes, start: int, size: int) -> bytes:
    if len(content) < start + size:
        raise ValueError(
            f"{f.name} is cut off: {size} bytes of data expected, {len(content) - start} found"
        )
    return content[start : start + size]
