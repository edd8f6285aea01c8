"""Python's garbage collection of cycles, which is slow on large syntax trees and finds none."""

import contextlib
import gc
from collections.abc import Iterator

_ALLOCATIONS = 50_000  # between two searches: a tree of some thousand lines


@contextlib.contextmanager
def few_searches() -> Iterator[None]:
    """Makes Python collect cycles less often, if it is enabled."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], _ALLOCATIONS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
