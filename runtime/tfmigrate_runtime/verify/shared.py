"""What the recorder writes and those who read it understand: formats, the choice of devices.

It is read by both sides: here, and in the user's interpreter, on Python 3.6 or newer.
"""

import json
import os
import re
import time
from typing import Any, Dict, Optional, Tuple

FORMAT_VERSION = 1  # of traces
REFUSED = ".refused"  # the end of the name of the file that says why a program is refused

HELP = (
    "cpu:N (N CPU devices in the places of GPUs), gpu (all there are) or gpu:N (N GPUs; where "
    "there are fewer, each is split in parts)"
)
_CHOICE = re.compile(r"(cpu|gpu)(?::([1-9]\d*))?")

# Of the numbers that an initializer draws, which order statistics are kept.
_TAIL = 64
_SKETCH = 2048

_STARTING: Dict[str, Any] = {
    "state": "starting",
    "steps": 0,
    "turns": 0,
    "skipped": 0,
    "synchronous": False,
}


class DevicesError(Exception):
    """The devices that were asked for cannot be had."""


def read_choice(choice: str) -> Tuple[str, Optional[int]]:
    """Returns "cpu" or "gpu", and how many, None where the number is left open.

    Raises:
        DevicesError: it is none of ``cpu:N``, ``gpu`` and ``gpu:N``.
    """
    match = _CHOICE.match(choice.lower())
    if match is None or match.end() != len(choice):
        raise DevicesError("--devices %s: give cpu:N, gpu or gpu:N, with N at least 1" % choice)
    kind, count = match.groups()
    return kind, int(count) if count else None


def ranks(count: int) -> Any:
    """Returns the ranks of the order statistics that are kept of so many numbers."""
    import numpy as np

    if count <= _SKETCH:
        return np.arange(count)
    tail = np.arange(_TAIL)
    between = np.round(np.linspace(0, count - 1, _SKETCH)).astype(np.int64)
    return np.unique(np.concatenate([tail, count - 1 - tail, between]))


def folder_of(script: str, module: Optional[str] = None) -> str:
    """Returns the folder that a program's own modules are imported from.

    Args:
        script: its file.
        module: the name that the file has as a module, where ``python -m`` starts it.
    """
    folder = os.path.dirname(os.path.abspath(script))
    for _ in range(module.count(".") if module else 0):
        folder = os.path.dirname(folder)
    return folder


def state_of(folder: str, index: int) -> Dict[str, Any]:
    """Returns what a worker of a cluster is doing, as ``record_worker.py`` has it."""
    try:
        with open(os.path.join(folder, "worker-%d.json" % index)) as stream:
            state: Dict[str, Any] = json.load(stream)
            return state
    except FileNotFoundError:
        return dict(_STARTING, since=time.time())
