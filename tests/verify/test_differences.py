"""How two arrays differ, in words."""

from __future__ import annotations

import numpy as np

from tfmigrate_runtime.verify.differences import how_far, how_many

OLD = np.array([[1.0, 100.0], [0.0, np.nan]])


def test_the_greatest_absolute_and_relative_differences_are_told() -> None:
    new = OLD + np.array([[0.5, 2.0], [0.25, 0.0]])
    assert how_many(OLD, new, 0.3) == "2 of 4 elements (50%)"
    assert how_far("kernel", OLD, new, 0.3) == [
        "kernel[0, 1] has the largest absolute difference, 2 (tolerance 3e-01): original 100, "
        "migrated 102.",
        "kernel[0, 0] has the largest relative difference, 0.5: original 1, migrated 1.5.",
    ]


def test_scalars_have_no_index_and_zeros_no_ratio() -> None:
    zero, one = np.float32(0), np.float32(1)
    assert how_far("step", zero, one, 0.0) == [
        "step has the largest absolute difference, 1 (tolerance 0e+00): original 0, migrated 1."
    ]


def test_strings_are_counted_only() -> None:
    words = np.array([b"a", b"b"]), np.array([b"a", b"c"])
    assert how_many(*words, 0.1) == "1 of 2 elements (50%)"
    assert how_far("classes", *words, 0.1) == []
