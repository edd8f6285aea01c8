"""What a transferred initial value tells of the initializer that had drawn another one."""

from __future__ import annotations

import numpy as np

from tfmigrate_runtime.verify.trace import Array

_LEAST_SAMPLE = 16  # numbers from which a standard deviation says something
# Another draw is a multiple of the first one, to this share of the spread, as good as never; the
# same draw, scaled, is one to float32's rounding, 6e-8.
_SAME_DRAW = 1e-4
_LEAST_TO_FIT = 4  # numbers: a line goes through two of them
# Versions of TensorFlow round the scaling of a draw otherwise: a few units in the last place.
_ROUNDING = 1e-5


def drawn_otherwise(name: str, original: Array, drawn: Array, trainable: bool) -> list[str]:
    """Says how a transferred value was not just another draw of the same.

    Slots and statistics are never drawn, and a constant must be that constant. The same draw, by a
    factor, is of another initializer. The logarithms of
    standard deviations of n numbers each have a standard error of 1 / sqrt(2 (n - 1)); draws of
    the same distribution do not differ by six standard errors of their difference.

    Args:
        name: the variable.
        original: what the original started from.
        drawn: what the migrated program would have started from.
        trainable: whether it is trained.
    """
    constant = np.ptp(original) == 0 or np.ptp(drawn) == 0
    if not trainable or (constant and original.size > 1):
        return [
            f"{name} starts from a value that is not drawn at random: {original.flat[0]:.9g} in "
            f"the original, {drawn.flat[0]:.9g} in the migrated program."
        ]
    if original.dtype.kind != "f":
        return []
    scaled = _scaled(name, original, drawn)
    if scaled or original.size < _LEAST_SAMPLE:
        return scaled
    spread = float(original.std()), float(drawn.std())
    if abs(np.log(spread[1] / spread[0])) <= 6 / np.sqrt(original.size - 1):
        return []
    return [
        f"{name} is drawn from another distribution: standard deviation {spread[0]:.3g} in the "
        f"original, {spread[1]:.3g} in the migrated program."
    ]


def _scaled(name: str, original: Array, drawn: Array) -> list[str]:
    """Says that both are one draw, by a factor and a shift, where they are."""
    if original.size < _LEAST_TO_FIT or original.shape != drawn.shape:
        return []
    old, new = (np.ravel(values).astype(np.float64) for values in (original, drawn))
    if not (np.isfinite(old).all() and np.isfinite(new).all()):
        return []
    factor, shift = np.polyfit(old, new, 1)
    spread = float(new.std())
    if np.abs(new - factor * old - shift).max() > _SAME_DRAW * spread:
        return []
    if abs(factor - 1) <= _ROUNDING and abs(shift) <= _ROUNDING * spread:
        return []
    shifted = f", {shift:+.3g}" if abs(shift) > _ROUNDING * spread else ""
    return [
        f"{name} is the original's draw by another initializer: {factor:.6g} times its "
        f"values{shifted}."
    ]
