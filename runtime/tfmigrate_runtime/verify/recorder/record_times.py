"""Names of files and folders that hold the time of the run, which is another in every run.

Part of ``record.py``; runs on Python 3.6 or newer.
"""

import functools
import re
import time
from typing import Iterable, Iterator, List

_STARTED = time.time()
_MOST_SECONDS = 86400  # of a run that are looked at
_SECONDS_SINCE_1970 = re.compile(r"^(?:temp-)?(?:b')?\d{9,}'?$")
_FRACTION = re.compile(r"^(?:[0-9]+|[._][0-9]{3,6})")  # of a second
# Their digits, whatever stands between them; the longer ones first, which have the others in them.
_WITH_SECONDS = ("%Y%m%d", "%d%m%Y", "%m%d%Y", "%y%m%d", "%m%d", "%d%m", "%d", "")
_WITH_MINUTES = _WITH_SECONDS[:-1]
_DATES = _WITH_SECONDS[:4]


@functools.lru_cache(maxsize=None)
def without_time(name: str) -> str:
    """Returns a name with ``<time>`` in the place of the time at which the program runs.

    Args:
        name: of a file or folder, without those that it is in.
    """
    if _SECONDS_SINCE_1970.match(name):
        return "<time>"
    places = [found.start() for found in re.finditer(r"[0-9]", name)]
    if len(places) < 6:
        return name
    digits = "".join(name[place] for place in places)
    for form in _forms():
        start = digits.find(form)
        if start >= 0:
            end = places[start + len(form) - 1] + 1
            rest = _FRACTION.sub("", name[end:])
            return name[: places[start]] + "<time>" + without_time(rest)
    return name


def _forms() -> Iterator[str]:
    """Yields the digits of every second, minute and day of the run so far."""
    now = time.time()
    seconds = range(int(max(_STARTED, now - _MOST_SECONDS)), int(now) + 1)
    moments = [get(second) for second in seconds for get in (time.localtime, time.gmtime)]
    hours = ("%H%M%S", "%I%M%S")
    yield from _unique(moments, [date + hour for date in _WITH_SECONDS for hour in hours])
    yield from (str(second) for second in seconds)
    hours = ("%H%M", "%I%M")
    yield from _unique(moments, [date + hour for date in _WITH_MINUTES for hour in hours])
    yield from _unique(moments, _DATES)


def _unique(moments: List[time.struct_time], formats: Iterable[str]) -> Iterator[str]:
    for form in formats:
        yield from dict.fromkeys(time.strftime(form, moment) for moment in moments)
