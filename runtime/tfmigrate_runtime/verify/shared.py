"""Shared by the recorder and the process that compares: formats, the choice of devices.

Both import it: this package, and the recorder in the user's interpreter, on Python 3.6 or newer.
"""

import json
import os
import re
import time
from typing import Any, Dict, Optional, Tuple

FORMAT_VERSION = 1  # of traces
MOST_EVENTS = 200000  # summaries of a program that are recorded
FAILED = 2  # the exit code of a program that cannot be recorded
REFUSED = ".refused"  # suffix of the file with the reason why a program is refused

HELP = (
    "cpu:N (N CPU devices in place of GPUs), gpu (all GPUs) or gpu:N (N GPUs; if there are fewer, "
    "each is split into parts)"
)
_CHOICE = re.compile(r"(cpu|gpu)(?::([1-9]\d*))?")

# The order statistics that are kept of an initializer's draws.
_TAIL = 64
_SKETCH = 2048

_STARTING: Dict[str, Any] = {
    "state": "starting", "steps": 0, "turns": 0, "given": 0, "skipped": 0, "synchronous": False,
    "made": 0, "came": 0,
}  # fmt: skip


class DevicesError(Exception):
    """The requested devices are not available."""


def read_choice(choice: str) -> Tuple[str, Optional[int]]:
    """Returns "cpu" or "gpu", and how many, None where the number is left open.

    Raises:
        DevicesError: it is none of ``cpu:N``, ``gpu`` and ``gpu:N``.
    """
    match = _CHOICE.match(choice.lower())
    if match is None or match.end() != len(choice):
        raise DevicesError("--devices %s: expected cpu:N, gpu or gpu:N, with N at least 1" % choice)
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
    """Returns the state of a worker of a cluster, which ``sessions/cluster_worker.py`` writes."""
    try:
        with open(os.path.join(folder, "worker-%d.json" % index)) as stream:
            state: Dict[str, Any] = json.load(stream)
            return state
    except FileNotFoundError:
        return dict(_STARTING, since=time.time())
