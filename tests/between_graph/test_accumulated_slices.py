"""Rows that several workers give, against what SparseConditionalAccumulator of 1.15.5 gave out."""

from __future__ import annotations

import numpy as np
import pytest

from tfmigrate_runtime.between_graph.accumulated_slices import mean_of_accumulated

Slices = tuple[list[int], list[float]]


@pytest.mark.parametrize(
    ("workers", "rows", "values"),
    [
        ([([1, 3], [1, 2]), ([3, 5], [10, 20])], [1, 3, 5], [1, 6, 20]),
        ([([3, 1], [2, 1]), ([5, 3], [20, 10])], [3, 1, 5, 3], [2, 1, 20, 10]),
        (
            [([3, 1, 3], [2, 1, 4]), ([5, 3, 3], [20, 10, 30])],
            [3, 1, 3, 5, 3, 3],
            [2, 1, 4, 20, 10, 30],
        ),
        (
            [([5, 3, 3], [20, 10, 30]), ([3, 1, 3], [2, 1, 4])],
            [3, 1, 3, 5, 3, 3],
            [2, 1, 4, 20, 10, 30],
        ),
    ],
    ids=["in order", "not in order", "repeated", "repeated, the other way round"],
)
def test_rows_are_merged_as_the_accumulator_merges_them(
    workers: list[Slices], rows: list[int], values: list[float]
) -> None:
    all_rows = np.asarray([row for own, _ in workers for row in own])
    all_values = np.asarray([value for _, own in workers for value in own], np.float32)
    lengths = np.asarray([len(own) for own, _ in workers], np.int32)
    found_rows, found = mean_of_accumulated(all_rows, all_values[:, np.newaxis], lengths)
    # Whole numbers and halves: exact.
    np.testing.assert_array_equal(found_rows, rows)
    np.testing.assert_array_equal(found[:, 0], values)


def test_worker_without_rows_adds_nothing_and_is_not_counted() -> None:
    rows = np.asarray([1, 3, 3], np.int64)
    values = np.asarray([[1.0], [2.0], [10.0]], np.float32)
    found_rows, found = mean_of_accumulated(rows, values, np.asarray([2, 0, 1], np.int32))
    np.testing.assert_array_equal(found_rows, [1, 3])
    np.testing.assert_array_equal(found[:, 0], [1.0, 6.0])
