"""The random numbers of the original's steps, for the port to draw the same.

A mask of dropout is made of uniform numbers in TensorFlow 1.x: an element stays where its number is
at least the rate. So a port that takes these numbers, at its own rate, has the original's masks if
its rate is the original's.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfmigrate_runtime.record.original import Array, Original

UNIFORM, NORMAL, TRUNCATED = "RandomUniform", "RandomStandardNormal", "TruncatedNormal"
# The axes of the original's images in the order of PyTorch's: of [rows, height, width, channels].
_OF_IMAGES = {3: (0, 2, 1), 4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}


class Draws:
    """Gives out the numbers of one step after another, in the order in which they were drawn.

    Attributes:
        of_original: how many draws were the original's.
        free: how many were the port's own.
    """

    def __init__(self, original: Original | None) -> None:
        """Takes the trace; None where all numbers are the port's own."""
        self._original, self._step = original, 0
        self._left: list[tuple[str, Array]] | None = None
        self.of_original, self.free = 0, 0

    def next_step(self) -> None:
        """Goes on with the numbers of the next step."""
        self._step += 1
        self._left = None

    def take(self, kind: str, shape: Sequence[int]) -> Array | None:
        """Returns the next draw of a step, None where the original has none of this kind and shape.

        Args:
            kind: UNIFORM (in [0, 1)), NORMAL or TRUNCATED.
            shape: what the port draws. Numbers for images may have the channels last in the
                original: they are given in the port's order.
        """
        if self._left is None:
            self._left = self._original.draws(self._step) if self._original is not None else []
        wanted = tuple(int(size) for size in shape)
        # The first that fits, not the next: frameworks draw within a step in their own order.
        for place, (other, numbers) in enumerate(self._left):
            draw = _in_order(numbers, wanted)
            if other == kind and draw is not None:
                del self._left[place]
                self.of_original += 1
                return draw
        self.free += 1
        return None

    def has(self, kind: str, shape: Sequence[int]) -> bool:
        """Returns whether the original's first step draws numbers of this kind and shape."""
        first = self._original.draws(0) if self._original is not None else []
        wanted = tuple(shape)
        return any(k == kind and _in_order(n, wanted) is not None for k, n in first)

    def meta(self) -> dict[str, Any]:
        """Returns the entry for ``meta``: kinds of draws that were given, and that stayed free."""
        return {
            "given": [f"0/{number}" for number in range(bool(self.of_original))],
            "free": [f"0/{number}" for number in range(bool(self.free))],
        }


def _in_order(numbers: Array, shape: tuple[int, ...]) -> Array | None:
    if numbers.shape == shape:
        return numbers
    axes = _OF_IMAGES.get(numbers.ndim)
    if axes is not None and tuple(numbers.shape[axis] for axis in axes) == shape:
        return np.ascontiguousarray(np.transpose(numbers, axes))
    return None
