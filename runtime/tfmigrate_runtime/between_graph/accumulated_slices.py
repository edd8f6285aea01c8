"""How ``SparseConditionalAccumulator`` of TensorFlow 1.x adds up the rows of several workers.

It merges two lists of rows as if both were in order and had every row once
(``core/kernels/sparse_conditional_accumulator.h``): at their heads, the smaller row is copied,
and equal rows are added. Rows in order are thus averaged over the workers that have them. Those of
an embedding's gradient are in the order of the batch, with repetitions: most of them do not meet,
and are copied as they are. Measured on TensorFlow 1.15.5: the rows 3, 1 of one worker and 5, 3
of another become 3, 1, 5, 3, none of them divided.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def mean_of_accumulated(rows: Array, values: Array, lengths: Array) -> tuple[Array, Array]:
    """Returns what the accumulator would give out for the slices of all workers.

    Where there are more than two workers, the accumulator takes them as they come; here they are
    in order.

    Args:
        rows: [m], the rows of all workers, one worker behind the other.
        values: [m, n], their values.
        lengths: [workers], how many rows each worker has.

    Returns:
        The rows [k] and their values [k, n], each divided by the number of workers in it; rows may
        be repeated.
    """
    entry_of: list[int] = []  # by row of the arguments: the entry of the result it is added to
    row_of: list[int] = []  # by entry
    merged: list[int] = []  # the entries in the order of the result
    start = 0
    for length in lengths.tolist():
        merged = _merged(merged, row_of, rows[start : start + length].tolist(), entry_of)
        start += length
    entries = np.asarray(entry_of, np.intp)
    sums = np.zeros((len(row_of), values.shape[1]), values.dtype)
    np.add.at(sums, entries, values)  # in the order of the workers
    workers = np.bincount(entries, minlength=len(row_of)).astype(values.dtype)
    means = sums / workers[:, np.newaxis]
    order = np.asarray(merged, np.intp)
    return np.asarray(row_of, rows.dtype)[order], means[order]


def _merged(
    entries: list[int], row_of: list[int], rows: list[int], entry_of: list[int]
) -> list[int]:
    """Merges one worker's rows into the entries there are; returns the entries in order."""
    result = []
    place = 0
    for row in rows:
        while place < len(entries) and row_of[entries[place]] < row:
            result.append(entries[place])
            place += 1
        if place < len(entries) and row_of[entries[place]] == row:
            entry = entries[place]
            place += 1
        else:
            entry = len(row_of)
            row_of.append(row)
        entry_of.append(entry)
        result.append(entry)
    return result + entries[place:]
