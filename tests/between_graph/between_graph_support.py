"""Runs the program of these tests as a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cluster_support import Task, start

PROGRAM = Path(__file__).parent / "programs" / "between_graph_program.py"


def started(options: dict[str, Any], folder: Path, **jobs: int) -> dict[str, Task]:
    """Starts every task of a cluster."""
    folder.mkdir(parents=True, exist_ok=True)
    if options.get("turns"):
        options = {**options, "turns": str(folder)}
    return start({}, folder, [str(PROGRAM), json.dumps(options)], **jobs)


def result(task: Task) -> dict[str, Any]:
    """Waits for the end of a worker, and returns what it printed."""
    assert task.wait() == 0, task.text()[-3000:]
    found: dict[str, Any] = json.loads(task.text().partition("DONE ")[2].splitlines()[0])
    return found


def results(options: dict[str, Any], folder: Path, **jobs: int) -> dict[str, dict[str, Any]]:
    """Runs a cluster, and returns what its workers printed; parameter servers are killed."""
    tasks = started(options, folder, **jobs)
    try:
        return {name: result(task) for name, task in tasks.items() if not name.startswith("ps")}
    finally:
        for task in tasks.values():
            task.kill()
