"""The recorder on the installed TensorFlow; each program takes a few seconds."""

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.recorder import record as recorder
from tfmigrate_runtime.verify.recorder.program import scripts
from tfmigrate_runtime.verify.recorder.sessions import graph_training
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import ProgramFailed

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
TINY = PROGRAMS / "tiny.py"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return record(TINY, tmp_path_factory.mktemp("tiny") / "trace.npz")


@pytest.mark.parametrize("end", ["exit", "leave"])
def test_two_recordings_are_equal_to_the_bit(tiny, tmp_path, end):
    again = record(TINY, tmp_path / "again.npz", "--end", end)
    assert again.loss.tobytes() == tiny.loss.tobytes()
    assert set(again.variables) == {"kernel", "kernel/Momentum", "global_step"}
    for name, values in tiny.variables.items():
        assert again.variables[name].tobytes() == values.tobytes()


def test_a_module_is_started_in_the_folder_of_its_package(tiny, tmp_path):
    """As ``python -m trainer.task``: packages without ``__init__.py`` are found too."""
    package = tmp_path / "trainer"
    package.mkdir()
    (package / "model.py").write_text(TINY.read_text())
    task = package / "task.py"
    task.write_text("from trainer import model\n\nassert model.flags.steps == 10\n")
    trace = record(task, tmp_path / "trace.npz", module="trainer.task")
    assert trace.loss.tobytes() == tiny.loss.tobytes()
    assert sorted(trace.meta["sources"]) == ["model.py", "task.py"]


def test_what_is_recorded(tiny):
    assert tiny.step.tolist() == list(range(1, 11))
    assert tiny.variables["global_step"].tolist() == list(range(1, 11))  # values after the update
    assert tiny.initial["global_step"] == 0
    assert tiny.trainable == ["kernel"]
    assert len(set(tiny.loss.tolist())) == 10  # dropout and input differ from step to step
    # SGD with momentum: what the first step does, from what was recorded before and after it
    first = tiny.variables["kernel"][0]
    update = np.float32(0.1) * tiny.variables["kernel/Momentum"][0]
    np.testing.assert_allclose(first, tiny.initial["kernel"] - update, rtol=0, atol=1e-7)


def test_every_third_step_with_the_first_and_the_last(tmp_path):
    trace = record(TINY, tmp_path / "trace.npz", every=3)
    assert trace.variable_step.tolist() == [1, 3, 6, 9, 10]
    assert len(trace.loss) == 10


def test_initial_values_are_transferred_where_they_differ(tmp_path):
    arguments = ("--start", "chance")
    first = record(TINY, tmp_path / "first.npz", *arguments)
    second = record(
        TINY, tmp_path / "second.npz", *arguments, initial_values=tmp_path / "first.npz"
    )
    assert second.meta["transferred"] == ["kernel"]
    assert set(second.meta["pinned"]) == {"kernel/Momentum", "global_step"}
    assert second.meta["free"] == []
    assert second.initial["kernel"].tobytes() == first.initial["kernel"].tobytes()
    assert second.loss.tobytes() == first.loss.tobytes()
    # What the program made itself must be equal: that it is random shows when it is run again.
    verdict = climb(first, second, Tolerance(loss=0.0, variable=0.0))
    assert verdict.failed is verdict.rungs[2]
    assert verdict.rungs[2].outcome.details[0].startswith("kernel starts from the constants ")


def test_replicas_draw_different_numbers_that_are_the_same_in_every_run(tmp_path):
    script = PROGRAMS / "streams.py"
    first = record(script, tmp_path / "first.npz", replicas=2)
    second = record(script, tmp_path / "second.npz", replicas=2)
    assert first.loss.min() > 1e-3
    assert first.loss.tobytes() == second.loss.tobytes()
    assert first.meta["devices"]["mapped"] == {"GPU:0": "CPU:0", "GPU:1": "CPU:1"}


def test_mirrored_variables_are_recorded_once_and_transferred_to_every_copy(tmp_path):
    script = PROGRAMS / "replicas.py"
    first = record(script, tmp_path / "first.npz", replicas=2)
    assert first.trainable == ["net/kernel", "net/top", "net/noise"]
    assert not [name for name in first.variables if "replica_" in name]
    zeros = tmp_path / "zeros.npz"
    with np.load(tmp_path / "first.npz") as stored:
        arrays = dict(stored)
    for name in first.trainable:
        arrays["initial/" + name] = np.zeros_like(arrays["initial/" + name])
    np.savez(zeros, **arrays)
    second = record(script, tmp_path / "second.npz", replicas=2, initial_values=zeros)
    assert set(second.meta["transferred"]) == set(first.trainable)
    # All zeros give no gradient, so the program predicts 0 for ever, on both replicas if both
    # copies were set: the mean loss of the three batches of an epoch is that of all 24 labels.
    labels = np.random.RandomState(0).normal(size=(24, 3)).astype(np.float32)[:, 0]
    # float32 sums of 24 squares
    np.testing.assert_allclose(second.loss[:3].mean(), np.mean(labels**2), rtol=1e-6)


@pytest.mark.parametrize("end", ["raise", "status"])
def test_a_program_that_fails_leaves_its_message_and_no_trace(tmp_path, end):
    with pytest.raises(ProgramFailed, match="the program says why") as failure:
        record(TINY, tmp_path / "trace.npz", "--end", end)
    assert ("RuntimeError" in str(failure.value)) == (end == "raise")
    assert "record.py" not in str(failure.value)
    assert not list(tmp_path.iterdir())


def test_a_program_that_never_trains(tmp_path):
    with pytest.raises(ProgramFailed, match="ended without a training step"):
        record(TINY, tmp_path / "trace.npz", "--steps", "0")
    assert not list(tmp_path.iterdir())


def test_a_program_that_trains_in_a_function_of_a_session(monkeypatch):
    """Of which no step is seen: functions call the recorder in eager programs only."""
    monkeypatch.setattr(graph_training, "trained_in_functions", ["AdamOptimizer"])
    trace = SimpleNamespace(checkpoints=SimpleNamespace(resumed=lambda: None))
    said = recorder._why_no_step(trace)
    assert said.startswith("its AdamOptimizer updates variables in a function")


def test_an_interpreter_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ProgramFailed, match=r"cannot run .*nowhere: No such file"):
        record(TINY, tmp_path / "trace.npz", python=str(tmp_path / "nowhere"))


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX's")
def test_a_time_limit_ends_the_program_and_its_children(tmp_path):
    pid_file = tmp_path / "pid"
    # stands in for an interpreter, so that no import takes of the time limit
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} {PROGRAMS / 'hang.py'} {pid_file}\n")
    python.chmod(0o755)
    with pytest.raises(
        ProgramFailed, match=r"was still running after 5 s and was killed\n  \| asleep"
    ):
        record(TINY, tmp_path / "trace.npz", python=str(python), timeout=5.0)
    assert ended(int(pid_file.read_text()))


def test_a_task_that_waits_for_its_cluster_is_told_how_to_get_one(tmp_path):
    script, python = tmp_path / "task.py", tmp_path / "python"
    script.write_text("server = tf.train.Server(cluster, 'worker', 0)\n")
    python.write_text("#!/bin/sh\nexec sleep 60\n")
    python.chmod(0o755)
    with pytest.raises(ProgramFailed, match=r"pass --cluster ps=1,worker=2 to run all of its"):
        record(script, tmp_path / "trace.npz", python=str(python), timeout=1.0)


def test_modules_without_a_path_are_no_sources(monkeypatch, tmp_path):
    script = tmp_path / "main.py"
    monkeypatch.setitem(sys.modules, "stand_in", SimpleNamespace(__file__=3))
    monkeypatch.setitem(sys.modules, "helper", SimpleNamespace(__file__=str(tmp_path / "a.py")))
    assert scripts.paths_of(str(script)) == [str(tmp_path / "a.py"), str(script)]


def ended(pid):
    """Returns whether a process is gone within five seconds; a zombie has ended."""
    for _ in range(50):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.1)
    return False


def test_variables_that_start_from_one_tensor_are_overwritten_alike() -> None:
    import tensorflow.compat.v1 as tf

    from tfmigrate_runtime.verify.recorder.sessions import graph_variables

    with tf.Graph().as_default() as graph, tf.Session() as session:
        start = tf.zeros([])
        made = [tf.Variable(start, name=name) for name in "ab"] + [tf.get_variable("c", [2])]
        session.run(tf.global_variables_initializer())
        variables = graph_variables.variables_of(graph)
        values = [np.float32(1), np.float32(2), np.float32([3, 4])]
        graph_variables.load(session, list(zip(variables, values, strict=True)))
        for found, expected in zip(session.run(made), values, strict=True):
            np.testing.assert_array_equal(found, expected)
