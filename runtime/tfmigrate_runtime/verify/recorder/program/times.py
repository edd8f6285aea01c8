"""Names of files and folders that hold the time of the run, which is another in every run."""

import functools
import re
import time
from typing import Iterator, Optional, Set, Tuple

_SECONDS_SINCE_1970 = re.compile(r"^(?:temp-)?(?:b')?\d{9,}'?$")
_FRACTION = re.compile(r"^(?:[0-9]+|[._][0-9]{3,6})")  # of a second
_SHORTEST, _LONGEST = 6, 14  # digits of a time: %H%M%S, %Y%m%d%H%M%S
_SECONDS = 600  # of a run whose shortest forms count: soon any number of steps has one


class Clock:
    """The times of a run so far, by their digits."""

    def __init__(self, started: int) -> None:
        """Takes the second in which the run started."""
        self._started, self._until = started, started
        self._digits: Set[str] = set()

    def digits(self) -> Set[str]:
        """Returns the digits of all times up to now."""
        now = int(time.time()) + 1
        for second in range(self._until, now):
            least = _SHORTEST + (second >= self._started + _SECONDS)
            self._digits.update(form for form in _digits_of(second) if len(form) >= least)
        self._until = now
        return self._digits


_clock = Clock(int(time.time()))


@functools.lru_cache(maxsize=None)
def without_time(name: str) -> str:
    """Returns a name with ``<time>`` in the place of the time at which the program runs.

    Args:
        name: of a file or folder, without those that it is in.
    """
    if _SECONDS_SINCE_1970.match(name):
        return "<time>"
    places = [digit.start() for digit in re.finditer(r"[0-9]", name)]
    span = _time_in("".join(name[place] for place in places))
    if span is None:
        return name
    tail = _FRACTION.sub("", name[places[span[1] - 1] + 1 :])
    return name[: places[span[0]]] + "<time>" + without_time(tail)


def _time_in(digits: str) -> Optional[Tuple[int, int]]:
    """Returns where a time of the run begins and ends among digits; the longest one counts."""
    known = _clock.digits() if len(digits) >= _SHORTEST else ()
    for length in range(_LONGEST, _SHORTEST - 1, -1):
        for start in range(len(digits) - length + 1):
            if digits[start : start + length] in known:
                return start, start + length
    return None


def _digits_of(second: int) -> Iterator[str]:
    """Yields the digits of a second, minute and day in every usual order."""
    yield str(second)
    for moment in (time.localtime(second), time.gmtime(second)):
        parts = time.strftime("%Y %y %m %d %H %I %M %S", moment).split()
        year, short, month, day, hour, half, minute, seconds = parts
        dates = (year + month + day, day + month + year, month + day + year, short + month + day)
        yield from dates
        for hours in (hour, half):
            yield hours + minute + seconds
            for date in (*dates, month + day, day + month, day):
                yield date + hours + minute
                yield date + hours + minute + seconds
