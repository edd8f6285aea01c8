"""A synchronous chief ends once its peers have gone (semantics.md, 3)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from legacy_clusters import free_addresses

PROGRAM = Path(__file__).parent / "programs" / "sync_end.py"
SECONDS = 400.0  # more than the chief waits for where nothing ends it
LINGERED = "Coordinator stopped with threads still running"


def test_the_chief_ends_without_waiting_for_gradients_that_cannot_come(tmp_path: Path) -> None:
    """Without help it waits 120 s: a Supervisor fails then, a monitored session lingers."""
    addresses = free_addresses(3)
    tasks = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(PROGRAM)),
                *(str(task), *addresses, str(tmp_path)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for task in (0, 1)
    ]
    try:
        second = tasks[1].communicate(timeout=SECONDS)[0]
        first = tasks[0].communicate(timeout=SECONDS)[0]
    finally:
        for process in tasks:
            process.kill()
            process.wait()
    assert [process.returncode for process in tasks] == [0, 0], first + second
    # Both see the weights that five averaged gradients made: w = target * (1 - 0.5 ** 5),
    # target = [1, 2.5], the mean of theirs.
    assert "LOSS 0 0.178955\n" in first
    assert "LOSS 1 0.335205\n" in second
    assert "LOSS alone 0.004883\n" in first
    assert LINGERED not in first
    assert first.rstrip().endswith("ENDS grpc")
