"""What is kept in compat.v1 runs there as it did on TensorFlow 1.15.

The stored results are those of TensorFlow 1.15.5; with TFMIGRATE_REFERENCE_PYTHON set they are
made anew and compared.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tfmigrate.engine.options import Options
from tfmigrate.engine.run import run
from tfmigrate.model.findings import Severity

PROGRAMS = Path(__file__).parent / "kept"
STORED = PROGRAMS / "results_of_tensorflow_1_15.json"
REFERENCE = os.environ.get("TFMIGRATE_REFERENCE_PYTHON", "")
# The tasks of each program; none for a program of one process.
CASES: dict[str, dict[str, int]] = {
    "async_return": {"ps": 2, "worker": 1},
    "queue_of_servers": {"ps": 1, "worker": 1},
    "sync_helper_session": {"ps": 1, "worker": 2},
    "towers": {},
    "towers_under_setter": {},
}
SECONDS = 200.0  # on two busy cores; a worker that comes too early waits for 30 s

Results = dict[str, list[float]]


def results(python: str, program: Path, jobs: dict[str, int]) -> Results:
    """Runs a program in all its tasks; returns what each worker printed."""
    tasks = [(job, index) for job, count in jobs.items() for index in range(count)]
    ports = iter(_free_ports(len(tasks)))
    cluster = {job: [f"127.0.0.1:{next(ports)}" for _ in range(n)] for job, n in jobs.items()}
    environment = {k: v for k, v in os.environ.items() if k != "TF_CONFIG"}
    environment |= {"CUDA_VISIBLE_DEVICES": "", "GRPC_FAIL_FAST": "false"}
    commands = {
        f"{job}{index}": [python, str(program), job, str(index), json.dumps(cluster)]
        for job, index in tasks
    } or {"alone": [python, str(program)]}
    logs = {name: program.with_name(f"{name}.log") for name in commands}
    started = {
        name: subprocess.Popen(
            command,
            stdout=logs[name].open("w"),
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=program.parent,
        )
        for name, command in commands.items()
    }
    try:
        for name in [name for name in started if not name.startswith("ps")]:
            # The chief of synchronous workers may not end once its peers have left.
            _wait(started[name], logs[name])
    finally:
        for process in started.values():
            process.kill()
            process.wait()
    return {name: _result(log) for name, log in logs.items() if not name.startswith("ps")}


def _wait(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + SECONDS
    while "RESULT " not in log.read_text():
        assert process.poll() in (None, 0), log.read_text()[-3000:]
        assert time.monotonic() < end, log.read_text()[-3000:]
        time.sleep(0.1)


def _result(log: Path) -> list[float]:
    found: list[float] = json.loads(log.read_text().partition("RESULT ")[2].splitlines()[0])
    return found


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for free in sockets:
        free.bind(("127.0.0.1", 0))
    ports = [int(free.getsockname()[1]) for free in sockets]
    for free in sockets:
        free.close()
    return ports


@pytest.mark.parametrize("case", sorted(CASES))
def test_a_kept_program_runs_as_before(case: str, tmp_path: Path) -> None:
    program = tmp_path / f"{case}.py"
    program.write_bytes((PROGRAMS / program.name).read_bytes())
    outcome = run([str(program)], [], Options(), dry_run=False)
    left = {finding.severity for finding in outcome.findings if not finding.applied}
    assert left == {Severity.KEPT}
    assert outcome.exit_code == 0
    stored: Results = json.loads(STORED.read_text())[case]
    found = results(sys.executable, program, CASES[case])
    assert found == {name: pytest.approx(values, rel=1e-5) for name, values in stored.items()}


@pytest.mark.skipif(not REFERENCE, reason="needs TFMIGRATE_REFERENCE_PYTHON")
@pytest.mark.parametrize("case", sorted(CASES))
def test_the_stored_results_are_those_of_tensorflow_1_15(case: str, tmp_path: Path) -> None:
    program = tmp_path / f"{case}.py"
    program.write_bytes((PROGRAMS / program.name).read_bytes())
    stored: Results = json.loads(STORED.read_text())[case]
    found = results(REFERENCE, program, CASES[case])
    assert found == {name: pytest.approx(values, rel=1e-6) for name, values in stored.items()}
