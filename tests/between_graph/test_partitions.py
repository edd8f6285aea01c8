"""Partitioned variables of synchronous workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from task_hosts import free_addresses

PROGRAM = Path(__file__).parent / "programs" / "partitioned.py"


def test_variables_have_the_parts_that_they_have_on_parameter_servers() -> None:
    """Each is initialized, clipped and saved by itself; the strategy of TensorFlow joins them."""
    ended = subprocess.run(
        [sys.executable, str(PROGRAM), *free_addresses(1)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines()[-1] == (
        "{'net/table/part_0:0': [3, 2], 'net/table/part_1:0': [2, 2]}"
    )
