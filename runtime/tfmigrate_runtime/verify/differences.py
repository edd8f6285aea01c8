"""How two arrays differ, as numbers and as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.trace import Array

_MOST_LINES = 8


@dataclass(frozen=True)
class Difference:
    """The largest difference of two arrays.

    Attributes:
        size: its absolute value; infinite where one side is NaN and the other is not.
        index: where it is.
        original: the value there.
        migrated: the value there.
    """

    size: float
    index: tuple[int, ...]
    original: float
    migrated: float


def greatest_difference(original: Array, migrated: Array) -> Difference:
    """Returns the largest absolute difference of two arrays.

    NaN equals NaN; NaN and a number are infinitely far apart, and so are arrays of unequal shapes.
    """
    if original.shape != migrated.shape:
        return Difference(float("inf"), (), float("nan"), float("nan"))
    if original.dtype.kind not in "biuf" or migrated.dtype.kind not in "biuf":
        size = 0.0 if np.array_equal(original, migrated) else float("inf")
        return Difference(size, (0,) * original.ndim, float("nan"), float("nan"))
    old, new = original.astype(np.float64), migrated.astype(np.float64)
    if old.size == 0:
        return Difference(0.0, (), float("nan"), float("nan"))
    with np.errstate(invalid="ignore"):
        distance = np.abs(old - new)
    both = (np.isnan(old) & np.isnan(new)) | (old == new)
    distance = np.where(both, 0.0, np.where(np.isnan(distance), np.inf, distance))
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(distance)), distance.shape))
    return Difference(float(distance[index]), index, float(old[index]), float(new[index]))


def close(old: Array, new: Array, tolerance: float | Array) -> Any:
    """Returns by element whether two arrays are within a tolerance; NaN is close to NaN."""
    if old.dtype.kind not in "biuf" or new.dtype.kind not in "biuf":
        return old == new
    with np.errstate(invalid="ignore"):
        near = np.abs(old.astype(np.float64) - new.astype(np.float64)) <= tolerance
    return near | (np.isnan(old) & np.isnan(new)) | (old == new)


def how_many(original: Array, migrated: Array, tolerance: float) -> str:
    """Returns how many elements of two arrays are further apart than a tolerance."""
    apart = int((~close(original, migrated, tolerance)).sum())
    count = max(original.size, 1)
    return f"{apart} of {count} elements ({100 * apart / count:.3g}%)"


def first_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Returns the first of many details, and how many more there are."""
    more = len(lines) - _MOST_LINES
    return (*lines[:_MOST_LINES], f"And {more} more.") if more > 0 else tuple(lines)
