"""Two-sample tests: whether two initializers draw from one distribution."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.shared import ranks
from tfmigrate_runtime.verify.traces.trace import Array

FALSE_ALARM = 1e-6  # the chance that one comparison of two programs has any, all variables together
_TESTS = 4  # for each variable
# Kurtosis of what initializers draw; a truncated normal ends at two standard deviations.
_SHAPES = ((1.8, 0.1, "uniform"), (2.37, 0.1, "truncated normal"), (3.0, 0.25, "normal"))
_LEAST_TO_NAME = 4096
# Deviations are compared where their standard error is that of a sum of many bounded terms.
_LEAST_FOR_DEVIATION = 4096
_GREATEST_KURTOSIS = 6.0
_FIXED = 1e-5  # relative: versions of TensorFlow round constants differently


@dataclass(frozen=True)
class Sample:
    """Numbers that an initializer has drawn.

    Attributes:
        values: order statistics.
        positions: their ranks, from 0.
        count: how many numbers were drawn.
        numbers: how many independent ones they count for.
        moments: mean, standard deviation and kurtosis.
        draws: how often it was drawn: of one draw it is not known what is fixed.
        fixed: the numbers that are the same in every draw, NaN for the others; None where there
            are none, or only such.
    """

    values: Array
    positions: Array
    count: int
    numbers: float
    moments: tuple[float, float, float]
    draws: int = 1
    fixed: Array | None = None

    @property
    def shape(self) -> str:
        """The family of distributions that it looks like, "" for none that is known."""
        if self.numbers < _LEAST_TO_NAME or self.fixed is not None:
            return ""
        kurtosis = self.moments[2]
        names = (name for typical, width, name in _SHAPES if abs(kurtosis - typical) <= width)
        return next(names, "")

    def __str__(self) -> str:
        mean, deviation, _ = self.moments
        shape = f"{self.shape}, " if self.shape else ""
        return (
            f"{shape}mean {mean:.3g}, standard deviation {deviation:.3g}, "
            f"{self.values[0]:.3g} to {self.values[-1]:.3g}"
        )


def recorded_sample(values: Array, about: Mapping[str, Any], fixed: Array | None) -> Sample:
    """Returns the sample that ``draws/initial_values.py`` has recorded."""
    count = int(about["count"])
    mean, deviation, kurtosis = about["moments"]
    moments = float(mean), float(deviation), float(kurtosis)
    numbers, draws = float(about["numbers"]), int(about["draws"])
    return Sample(values, ranks(count), count, numbers, moments, draws, fixed)


def sample_of(values: Array) -> Sample:
    """Returns the numbers of one draw as a sample."""
    flat = np.sort(np.ravel(values).astype(np.float64))
    mean, deviation = float(flat.mean()), float(flat.std())
    kurtosis = float((((flat - mean) / deviation) ** 4).mean()) if deviation > 0 else 0.0
    count = len(flat)
    return Sample(flat, np.arange(count), count, float(count), (mean, deviation, kurtosis))


def other_law(first: Sample, second: Sample, variables: int) -> str:
    """Returns the test by which two samples come from different distributions, "" for none.

    Args:
        first: of the original.
        second: of the migrated program.
        variables: how many variables are compared; their chances of a false alarm add up.
    """
    chance = FALSE_ALARM / (_TESTS * max(1, variables))
    return (
        _other_constants(first, second)
        or _greatest_distance(first, second, chance)
        or _beyond(first, second, chance)
        or _other_deviation(first, second, chance)
    )


def _other_constants(first: Sample, second: Sample) -> str:
    """Compares the numbers that every draw has; both samples have the same positions."""
    one, two = first.fixed, second.fixed
    if 1 in (first.draws, second.draws) or (one is None and two is None):
        return ""
    if one is None or two is None:
        return "some elements are constant in one program only"
    if one.shape != two.shape:
        return ""
    scale = max(float(np.nanmax(np.abs(one))), float(np.nanmax(np.abs(two))))
    if np.allclose(one, two, rtol=_FIXED, atol=_FIXED * scale, equal_nan=True):
        return ""
    return "the constant elements differ"


def _greatest_distance(first: Sample, second: Sample, chance: float) -> str:
    """The test of Kolmogorov and Smirnov, with a bound of its chance that holds for all sizes."""
    points = np.unique(np.concatenate([first.values, second.values]))
    low, high = _shares(first, points)
    other_low, other_high = _shares(second, points)
    distance = float(max((low - other_high).max(), (other_low - high).max(), 0.0))
    size = first.numbers * second.numbers / (first.numbers + second.numbers)
    bound = 3.0 * float(np.exp(-2.0 * size * distance**2))
    return f"Kolmogorov-Smirnov distance {distance:.2g}" if bound < chance else ""


def _shares(sample: Sample, points: Array) -> tuple[Array, Array]:
    """Returns between which bounds the share of numbers is that are not above each point."""
    below = np.searchsorted(sample.values, points, side="right")
    edges = np.concatenate([[-1], sample.positions, [sample.count]])
    return (edges[below] + 1) / sample.count, edges[below + 1] / sample.count


def _beyond(first: Sample, second: Sample, chance: float) -> str:
    """Counts the numbers of one sample beyond all numbers of the other.

    Of one distribution k such numbers come with the chance that the k greatest of all are of one
    sample.
    """
    for one, two in ((first, second), (second, first)):
        share = one.numbers / (one.numbers + two.numbers)
        scale = one.numbers / one.count
        above = one.count - _rank_after(one, float(two.values[-1]))
        # The least: how many are below the first that is not.
        under = int(np.searchsorted(one.values, two.values[0], side="left"))
        below = int(one.positions[under - 1]) + 1 if under else 0
        for count in (above, below):
            if 2.0 * share ** int(count * scale) < chance / 2:
                return f"{count} of {one.count} numbers are outside the other's range"
    return ""


def _rank_after(sample: Sample, value: float) -> int:
    """Returns the rank of the first kept number above a value: as many at most are not above."""
    index = int(np.searchsorted(sample.values, value, side="right"))
    return int(sample.positions[index]) if index < len(sample.positions) else sample.count


def _other_deviation(first: Sample, second: Sample, chance: float) -> str:
    """Compares standard deviations, of large samples without long tails."""
    error = 0.0
    for sample in (first, second):
        kurtosis = sample.moments[2]
        if sample.numbers < _LEAST_FOR_DEVIATION or not 0 < kurtosis <= _GREATEST_KURTOSIS:
            return ""
        error += max(kurtosis - 1, 0.1) / (4 * sample.numbers)
    spread = first.moments[1], second.moments[1]
    distance = abs(float(np.log(spread[1] / spread[0]))) / float(np.sqrt(error))
    # Above the normal distribution's own quantile: sums of many numbers are only nearly normal.
    if float(np.exp(-(distance**2) / 2.0)) >= chance / 100:
        return ""
    return f"standard deviations differ by {distance:.3g} standard errors"
