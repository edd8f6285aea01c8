"""Variables of synchronous workers, in parts, and rows of their gradients."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from task_hosts import free_addresses

PROGRAMS = Path(__file__).parent / "programs"


def last_line(program: str) -> str:
    """Runs a program as the one worker of a cluster; returns the last line that it prints."""
    command = [sys.executable, str(PROGRAMS / program), *free_addresses(1)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return ended.stdout.splitlines()[-1]


def test_variables_have_the_parts_that_they_have_on_parameter_servers() -> None:
    """Each is initialized, clipped and saved by itself; the strategy of TensorFlow joins them."""
    variables = "{'net/table/part_0:0': [3, 2], 'net/table/part_1:0': [2, 2]}"
    assert last_line("partitioned.py") == variables


def test_rows_of_embedding_lookup_sparse_are_in_the_order_of_appearance() -> None:
    """As on TensorFlow 1.15: only rows that meet when two gradients are merged are averaged."""
    assert last_line("sparse_rows.py") == "[7, 2, 4]"
