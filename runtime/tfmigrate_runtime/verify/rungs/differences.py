"""How two arrays differ, as numbers and as text."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.traces.trace import Array
from tfmigrate_runtime.verify.wording import SIDES

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

    @property
    def place(self) -> str:
        """Where it is, as an index to follow a name; "" in an array of one number."""
        return f"[{', '.join(map(str, self.index))}]" if self.index else ""

    def __str__(self) -> str:
        return f"{self.original:.9g} in the original, {self.migrated:.9g} in the migrated program"


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


def only_in_one(old: Collection[str], new: Collection[str]) -> dict[str, str]:
    """Returns the names that one program does not have, sorted, with a sentence about each."""
    names = sorted({*old} ^ {*new})
    return {name: f"{name} is only in the {SIDES[name in new]}." for name in names}


def first_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Returns the first of many details, and how many more there are."""
    more = len(lines) - _MOST_LINES
    return (*lines[:_MOST_LINES], f"And {more} more.") if more > 0 else tuple(lines)
