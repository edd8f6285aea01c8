"""Arrays of values whose lengths may differ, as NumPy made them before 1.24."""

from typing import Any

import numpy as np

__all__ = ["array", "asarray"]


def array(values: Any) -> np.ndarray[Any, Any]:
    """Returns an array of values; of Python objects where they have no common shape.

    NumPy 1.24 and later make the latter of sequences of different lengths only if asked to.
    """
    try:
        return np.array(values)
    except ValueError:
        return np.array(values, dtype=object)


def asarray(values: Any) -> np.ndarray[Any, Any]:
    """Returns what ``array`` does, and an array itself."""
    return values if isinstance(values, np.ndarray) else array(values)
