"""Fixtures that run as clusters: what their case.toml says, and how they are recorded."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from recorded_cases import load_case, program_of, record_golden
from verify_support import PROGRAMS

from tfmigrate_runtime.verify.running.cluster import ONE_PROCESS, ClusterError
from tfmigrate_runtime.verify.running.run_program import ProgramFailed
from tfmigrate_runtime.verify.traces.recording import (
    add_final_losses,
    load_recording,
)
from tfmigrate_runtime.verify.traces.trace import TraceError

STORED = Path(__file__).parent / "cluster_async_of_tensorflow_1_15.npz"
TEXT = """
[case]
title = "A linear model"
entry = "original.py"

[run]
args = ["--job_name={job_name}", "--task_index={task_index}", "--ps_hosts={ps_hosts}",
    "--worker_hosts={worker_hosts}", "--logdir={out}"]
steps = 11
replicas = 1

[tolerance]
loss = 1e-6
variable = 1e-6
metric = 1e-5
"""
JOBS = """
[cluster]
jobs = "ps=1,worker=2"
turns = true
every = 2
free_runs = 5
"""


def write_case(folder: Path, text: str) -> Path:
    (folder / "case.toml").write_text(text)
    (folder / "original.py").write_text((PROGRAMS / "cluster_async.py").read_text())
    return folder


def test_a_case_says_how_its_cluster_is_run(tmp_path: Path) -> None:
    case = load_case(write_case(tmp_path, TEXT + JOBS))
    program = program_of(case, case.migrated)
    assert str(program.cluster) == "ps=1,worker=2"
    assert program.script == tmp_path / "migrated.py"
    assert (program.turns, program.every, case.free_runs) == (True, 2, 5)


def test_a_case_without_a_cluster_is_one_process(tmp_path: Path) -> None:
    case = load_case(write_case(tmp_path, TEXT))
    assert case.cluster is None
    assert program_of(case, case.migrated).cluster == ONE_PROCESS


def test_a_cluster_that_cannot_be_is_refused(tmp_path: Path) -> None:
    text = TEXT + JOBS.replace("worker=2", "worker=0")
    with pytest.raises(ClusterError):
        load_case(write_case(tmp_path, text))


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_golden_trace_is_not_of_tensorflow_2(tmp_path: Path) -> None:
    case = load_case(write_case(tmp_path, TEXT + JOBS))
    with pytest.raises(ProgramFailed, match="golden traces need 1"):
        record_golden(case, sys.executable)
    assert not case.trace.exists()


def test_final_losses_are_added_to_a_trace(tmp_path: Path) -> None:
    target = tmp_path / "trace.npz"
    target.write_bytes(STORED.read_bytes())
    add_final_losses(target, [0.5, 0.25])
    before, after = load_recording(STORED), load_recording(target)
    assert after.meta == {**before.meta, "final_losses": [0.5, 0.25]}
    for name, trace in before.tasks.items():
        np.testing.assert_array_equal(after.tasks[name].loss, trace.loss)
        assert after.tasks[name].variables.keys() == trace.variables.keys()


def test_what_is_no_trace_of_a_cluster_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", meta=np.asarray('{"format": 1}'))
    with pytest.raises(TraceError, match="the trace of one process, not of a cluster"):
        load_recording(tmp_path / "one.npz", is_cluster=True)
    (tmp_path / "none.npz").write_bytes(b"nothing")
    with pytest.raises(TraceError, match="not a trace"):
        load_recording(tmp_path / "none.npz")
