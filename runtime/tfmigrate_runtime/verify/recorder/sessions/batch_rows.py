"""The rows of batches as a trace has them: those of all replicas, and of large ones a sample."""

from typing import Any, Sequence

import numpy as np

_LARGEST = 1 << 20  # bytes of one component


def joined(values: Sequence[Any]) -> Any:
    """Returns the rows of all replicas; their batches may be padded to other widths."""
    if len({value.shape[1:] for value in values}) == 1:
        return np.concatenate(values)
    widest = np.max([value.shape[1:] for value in values], axis=0)
    padded = []
    for value in values:
        missing = [(0, 0)] + [(0, int(size)) for size in widest - value.shape[1:]]
        padded.append(np.pad(value, missing, "constant"))
    return np.concatenate(padded)


def reduced(array: Any) -> Any:
    """Returns an array [rows, ...] of at most a MiB, or a sample [rows, n] of its rows."""
    rows = max(len(array), 1)
    if array.nbytes <= _LARGEST or array.ndim < 2:
        return array[: max(1, _LARGEST // max(array.itemsize, 1))]
    flat = array.reshape(rows, -1)
    count = max(1, _LARGEST // (rows * array.itemsize))
    return flat[:, np.linspace(0, flat.shape[1] - 1, count).astype(np.int64)]
