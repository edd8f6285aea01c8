"""What is reached from some things, step by step: functions by calls, files by imports."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def reached(
    starts: Iterable[Thing], further: Callable[[Thing], Iterable[Thing]]
) -> Iterator[Thing]:
    """Yields some things, and those that each leads to, each of them once."""
    waiting, seen = [*starts], set[Thing]()
    while waiting:
        if (thing := waiting.pop()) not in seen:
            seen.add(thing)
            yield thing
            waiting += further(thing)
