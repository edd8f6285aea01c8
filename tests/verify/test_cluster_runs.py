"""Programs that run as clusters: recorded, compared with TensorFlow 1.15.5, and ended.

The stored traces are those of the same programs on TensorFlow 1.15.5, recorded by::

    tfmigrate verify --cluster ps=2,worker=2 --turns --reference-python PYTHON \
        --record cluster_async_of_tensorflow_1_15.npz programs/cluster_async.py -- \
        <the arguments below>
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from long_tail import one_in
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running import run_program
from tfmigrate_runtime.verify.running.cluster import Cluster
from tfmigrate_runtime.verify.running.run_program import Program, ProgramFailed, run_recorded
from tfmigrate_runtime.verify.traces.recording import Recording, load_recording
from tfmigrate_runtime.verify.traces.trace import TraceError, load_trace

pytestmark = pytest.mark.usefixtures("tensorflow_installed")

HERE = Path(__file__).parent
ASYNC, SYNC = PROGRAMS / "cluster_async.py", PROGRAMS / "cluster_sync.py"
ARGUMENTS = (
    "--job_name={job_name}",
    "--task_index={task_index}",
    "--ps_hosts={ps_hosts}",
    "--worker_hosts={worker_hosts}",
    "--logdir={out}",
)
own_processes = pytest.mark.usefixtures("process_of_its_own")
STORED = {
    ASYNC: HERE / "cluster_async_of_tensorflow_1_15.npz",
    SYNC: HERE / "cluster_sync_of_tensorflow_1_15.npz",
}


def record(target: Path, script: Path, *more: str, timeout: float = TIMEOUT) -> Recording:
    program = Program(
        script, (*ARGUMENTS, *more), cluster=Cluster.parse("ps=1,worker=2"), turns=True
    )
    run_recorded(program, target, timeout, logs=target.parent / "logs")
    return load_recording(target)


def verify(script: Path, *more: str, options: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """Runs the command line on a program and its stored trace."""
    jobs = load_recording(STORED[script]).cluster
    command = [str(script), str(script), "--cluster", str(jobs), "--trace", str(STORED[script])]
    command += ["--force-trace"] if more else []
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        code = main([*command, *options, "--", *ARGUMENTS, *more])
    return code, output.getvalue(), errors.getvalue()


def processes(folder: Path) -> list[int]:
    """Returns the ids that the tasks printed."""
    texts = [log.read_text() for log in (folder / "logs").rglob("*.log")]
    return [int(found) for text in texts for found in re.findall(r"process (\d+)", text)]


def still_runs(process: int) -> bool:
    """Returns whether a process runs a moment after it was killed."""
    until = time.monotonic() + 5.0
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True


def test_turns_are_compared_exactly_with_tensorflow_1() -> None:
    code, out, err = verify(ASYNC, options=("--turns", "--format", "json"))
    assert code == 0, out + err
    verdict = json.loads(out)
    assert [rung["verdict"] for rung in verdict["rungs"]] == ["same"] * 7 + ["skipped"] * 2
    assert verdict["original"]["tensorflow"].startswith("1.15")
    steps = {task: about["steps"] for task, about in verdict["migrated"]["tasks"].items()}
    assert steps == {"worker/0": 6, "worker/1": 5}
    assert verdict["migrated"]["placement"]["global_step"] == "/job:ps/task:0"
    assert verdict["migrated"]["placement"]["weights"] == "/job:ps/task:1"


def test_synchronous_workers_are_compared_exactly_with_tensorflow_1() -> None:
    code, out, err = verify(SYNC)
    assert code == 0, out + err
    assert "workers are synchronous" in out
    assert "The programs train the same" in out


def test_another_learning_rate_is_found() -> None:
    code, out, _ = verify(ASYNC, "--rate=0.06", options=("--turns",))
    assert code == 1, out
    assert "The programs do not train the same.\n  Rung 5 fails" in out
    assert "worker/0: Variables first differ at step 1" in out
    assert "there the updates have ratio 1.2." in out


def test_steps_and_variables_of_every_worker_are_recorded(tmp_path: Path) -> None:
    # There is no GPU: what the program puts there runs all the same.
    options = ("--session", "supervisor", "--device", "/gpu:0")
    trace = record(tmp_path / "trace.npz", ASYNC, *options)
    assert trace.tasks["worker/0"].step.tolist() == [1, 3, 5, 7, 9, 11]
    assert trace.tasks["worker/1"].step.tolist() == [2, 4, 6, 8, 10]
    kernel = trace.chief.variables["weights"]
    assert kernel.shape == (6, 3, 1)
    # Turns: what a worker finds is what the other one left.
    assert not np.array_equal(kernel[0], trace.tasks["worker/1"].variables["weights"][0])
    np.testing.assert_array_equal(
        trace.tasks["worker/1"].initial["weights"], trace.chief.variables["weights"][0]
    )
    assert set(trace.placement.values()) == {"/job:ps/task:0"}
    assert processes(tmp_path)
    assert not any(still_runs(process) for process in processes(tmp_path))
    with pytest.raises(TraceError, match="the trace of a cluster: pass --cluster"):
        load_trace(tmp_path / "trace.npz")


@pytest.mark.parametrize(
    ("fail", "which", "code"),
    one_in(3, [("step", "worker/1", 3), ("worker/1", "worker/1", 2), ("ps/0", "ps/0", 1)]),
)
def test_a_task_that_fails_is_named_at_once(
    fail: str, which: str, code: int, tmp_path: Path
) -> None:
    began = time.monotonic()
    with pytest.raises(ProgramFailed) as failure:
        record(tmp_path / "trace.npz", ASYNC, "--fail", fail)
    assert f"{which} ended with exit code {code}\n  | " in str(failure.value)
    if fail != "step":
        assert "no more" in str(failure.value)
    # Not only when the time limit of the whole is up.
    assert time.monotonic() - began < TIMEOUT - 20
    assert not any(still_runs(process) for process in processes(tmp_path))
    assert not (tmp_path / "trace.npz").exists()


@own_processes
def test_what_hangs_is_ended_and_told(tmp_path: Path) -> None:
    with pytest.raises(ProgramFailed) as failure:
        record(tmp_path / "trace.npz", ASYNC, "--fail", "hang", timeout=40)
    text = str(failure.value)
    assert "was still running after 40 s and was killed" in text
    assert "worker/1 was still running" in text
    assert not any(still_runs(process) for process in processes(tmp_path))


@own_processes
def test_a_chief_that_lingers_after_its_steps_is_done(tmp_path: Path) -> None:
    trace = record(tmp_path / "trace.npz", ASYNC, "--fail", "linger")
    assert [len(task.step) for task in trace.tasks.values()] == [6, 5]
    assert not any(still_runs(process) for process in processes(tmp_path))


@pytest.mark.long
def test_other_ports_are_tried_where_one_was_taken(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    trace = record(tmp_path / "trace.npz", ASYNC, "--taken", str(taken), "--steps", "2")
    assert taken.exists()
    assert trace.chief.step.tolist()[0] == 1


def test_a_worker_that_waits_for_one_that_left_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_program, "_STUCK_SECONDS", 3.0)
    with pytest.raises(ProgramFailed, match="worker/1 is stuck in a synchronous step"):
        record(tmp_path / "trace.npz", SYNC, "--leave")


def test_nothing_is_left_when_the_launcher_is_terminated(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tfmigrate_runtime.verify.cli", "--legacy"]
    command += ["--cluster", "ps=1,worker=2", "--record", str(tmp_path / "trace.npz")]
    command += ["--logs", str(tmp_path / "logs"), str(ASYNC), "--", *ARGUMENTS, "--fail", "hang"]
    with subprocess.Popen(command) as launcher:
        until = time.monotonic() + TIMEOUT
        while len(processes(tmp_path)) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        launcher.terminate()
        assert launcher.wait(30) == 143
    assert len(processes(tmp_path)) == 2
    assert not any(still_runs(process) for process in processes(tmp_path))


def test_a_missing_interpreter_is_named(tmp_path: Path) -> None:
    program = Program(ASYNC, ARGUMENTS, "/no/python", cluster=Cluster.parse("worker=1"))
    with pytest.raises(ProgramFailed, match="cannot run /no/python"):
        run_recorded(program, tmp_path / "trace.npz", TIMEOUT)


def test_what_synchronous_workers_share_is_read_between_their_steps(tmp_path: Path) -> None:
    """The second worker's updates of averages take long, and Adam decays slots before the step."""
    recording = record(tmp_path / "trace.npz", PROGRAMS / "cluster_shared.py")
    first, second = recording.tasks["worker/0"], recording.tasks["worker/1"]
    assert first.step.tolist() == second.step.tolist() == [1, 2, 3, 4, 5, 6]
    for name, values in first.variables.items():
        assert (values == second.variables[name]).all(), name
        assert (first.initial[name] == second.initial[name]).all(), name
    # A tenth of the first gradient and a thousandth of its square, which float32 knows to 5e-5;
    # decayed once more they were 0.12 of each other.
    mean, square = first.variables["table/Adam"][0], first.variables["table/Adam_1"][0]
    assert np.allclose(0.1 * np.square(mean), square, rtol=1e-3)
