"""Records what TensorFlow 1.15 makes of the cases: ``PYTHON_OF_1_15 record_original.py``.

Run by any Python 3.7 that has TensorFlow 1.15; the result is ``original_traces.json``.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from between_graph_cases import CASES

HERE = Path(__file__).parent
SECONDS = 150


def free_address() -> str:
    """Returns an address that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{found.getsockname()[1]}"


def run(options: dict[str, Any], jobs: dict[str, int], folder: Path) -> dict[str, Any]:
    """Returns what every worker of a cluster printed."""
    cluster = {job: [free_address() for _ in range(count)] for job, count in jobs.items()}
    if options.get("turns"):
        options = {**options, "turns": str(folder)}
    logs: dict[str, Path] = {}
    processes = []
    for job, count in jobs.items():
        for index in range(count):
            place = {"cluster": cluster, "task": {"type": job, "index": index}}
            log = logs[f"{job}{index}"] = folder / f"{job}{index}.log"
            processes.append(
                subprocess.Popen(
                    [sys.executable, str(HERE / "programs/between_graph_program.py"),
                     json.dumps(options)],
                    env={**os.environ, "TF_CONFIG": json.dumps(place)},
                    stdout=log.open("w"),
                    stderr=subprocess.STDOUT,
                )
            )  # fmt: skip
    wanted = {name: log for name, log in logs.items() if not name.startswith("ps")}
    end = time.monotonic() + SECONDS
    try:
        while not all("DONE " in log.read_text() for log in wanted.values()):
            if time.monotonic() > end:
                raise RuntimeError("".join(log.read_text()[-2000:] for log in wanted.values()))
            time.sleep(0.2)
    finally:
        for process in processes:  # parameter servers and synchronous chiefs do not end
            process.kill()
    return {
        name: json.loads(log.read_text().partition("DONE ")[2].splitlines()[0])
        for name, log in wanted.items()
    }


def main() -> None:
    """Records all cases, or those that are named."""
    file = HERE / "original_traces.json"
    traces = json.loads(file.read_text()) if file.exists() else {}
    for name in sys.argv[1:] or CASES:
        options, jobs = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            traces[name] = run(options, jobs, Path(folder))
        print(name, traces[name]["worker0"]["losses"][-1], flush=True)
        file.write_text(json.dumps(traces, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
