"""Steps that are made again from moved states, in the run that measures rounding."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.rounding import switches
from tfmigrate_runtime.verify.rounding.noise import repeated_runs
from tfmigrate_runtime.verify.rounding.samples import Samples
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.states_file import write_states_of_all
from tfmigrate_runtime.verify.traces.trace import Trace

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
STEPS = 4
PROGRAM = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
rows = np.random.RandomState(0).normal(size=(32, 3)).astype(np.float32)
data = tf.data.Dataset.from_tensor_slices(rows).repeat().shuffle(16).batch(8)
x = tf.data.make_one_shot_iterator(data).get_next()
INPUT
kernel = tf.get_variable("kernel", [3, 1], initializer=tf.ones_initializer())
hidden = tf.nn.dropout(x, rate=0.5) @ kernel
loss = tf.reduce_mean((hidden - x[:, :1]) ** 2)
step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer(0.1).minimize(loss, step)
with tf.train.MonitoredTrainingSession() as session:
    for _ in range(4):
        session.run(TRAIN)
"""
HOOKED = (
    "MonitoredTrainingSession()",
    "MonitoredTrainingSession(hooks=[tf.train.NanTensorHook(loss)])",
)
BRANCH = (
    "tf.nn.dropout(x, rate=0.5)",
    "tf.cond(tf.placeholder_with_default(True, []), lambda: tf.nn.dropout(x, rate=0.5), lambda: x)",
)
TOWERS = (
    "step = tf.train.get_or_create_global_step()\n",
    "step = tf.train.get_or_create_global_step()\n"
    "average = tf.get_variable('mean', [], None, tf.zeros_initializer(), trainable=False)\n"
    "for part in tf.split(x, 2):\n"
    "    update = tf.assign(average, 0.9 * average + 0.1 * tf.reduce_mean(part))\n"
    "    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)\n",
)
ROLES = tuple(
    f"--{name}={{{name}}}" for name in ("job_name", "task_index", "ps_hosts", "worker_hosts")
)
UNITS = [1.0, 32.0]
PLAN = {"rows": [2, 3], "units": UNITS, "counters": ["global_step"]}


def grouped(name: str) -> tuple[str, str]:
    """Returns the change that makes an operation part of what trains."""
    return ("with tf.train.Mon", f"train = tf.group(train, {name})\nwith tf.train.Mon")


def repeated(folder: Path, *changes: tuple[str, str], lacking: str = "") -> tuple[Trace, Trace]:
    """Records a program, and again with its last two steps made again; returns both traces.

    Args:
        folder: for the program and its traces.
        changes: of the program's text.
        lacking: the variable that the states do not have, "" for none.
    """
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "program.py"
    path.write_text(text.replace("INPUT", "").replace("TRAIN", "train"))
    first = record(path, folder / "first.npz")
    plans = {"": [PLAN] * (1 + len(first.models))}
    variables = {name: each for name, each in first.variables.items() if name != lacking}
    known = replace(first, variables=variables)
    states = write_states_of_all(folder / "states.npz", Recording.of(known), plans)
    return first, record(path, folder / "again.npz", follow=states)


@pytest.mark.parametrize(
    "changes",
    [(), (HOOKED,), (BRANCH,), (TOWERS, grouped("tf.get_collection(tf.GraphKeys.UPDATE_OPS)"))],
    ids=["session", "hook", "branch that is fed", "updates in no order"],
)
def test_a_step_that_is_made_again_has_its_batch_and_its_mask(
    changes: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    first, again = repeated(tmp_path, *changes)
    assert again.meta["again"] == {"same": True, "refused": {}}
    for name, values in first.variables.items():
        assert np.array_equal(values, again.variables[name]), name  # the program goes on as it did
    assert np.array_equal(first.loss, again.loss)
    runs = repeated_runs(first, again, [PLAN])
    assert len(runs) == len(UNITS)
    for units, run in zip(UNITS, runs, strict=True):
        change = np.abs(run.variables["kernel"]).max(axis=(1, 2))
        assert (change[:2] == 0).all()
        assert (change[2:] > 0).any()
        assert (change < 0.1 * units * 1e-4).all()  # of a step of Adam, which is the rate
        assert (np.abs(run.loss - first.loss) <= units * 1e-6 * first.loss).all()


def test_what_a_port_has_not_is_given_back(tmp_path: Path) -> None:
    """Keras programs have no global step: steps of the original were not made again, in 9 runs."""
    first, again = repeated(tmp_path, lacking="global_step")
    assert again.meta["follow"]["free"] == ["global_step"]
    assert again.meta["again"] == {"same": True, "refused": {}}
    for name, values in first.variables.items():
        assert np.array_equal(values, again.variables[name]), name
    assert len(repeated_runs(first, again, [PLAN])) == len(UNITS)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param(
            grouped("enqueue"),
            "may have effects",
            id="queue",
        ),
        pytest.param(
            (
                "tf.nn.dropout(x, rate=0.5)",
                "tf.cond(x[0, 0] < 9, lambda: tf.nn.dropout(x, rate=0.5), lambda: x)",
            ),
            "cannot be fed",
            id="branch",
        ),
        pytest.param(
            grouped("seen"),
            "not recorded",
            id="variable",
        ),
        pytest.param(
            grouped("waiting"),
            "wait for",
            id="control",
        ),
    ],
)
def test_what_cannot_be_given_back_is_not_made_again(
    change: tuple[str, str], reason: str, tmp_path: Path
) -> None:
    """A queue that is filled, a draw in a branch, a local variable, an op that runs though fed."""
    parts = """
tf.disable_control_flow_v2()
queue = tf.FIFOQueue(99, [tf.float32])
enqueue = queue.enqueue(tf.constant(1.0))
count = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
seen = tf.assign_add(count, 1)
with tf.control_dependencies([x.op]):
    waiting = tf.no_op()
"""
    first, again = repeated(tmp_path, ("INPUT", parts), change)
    refused = again.meta["again"]["refused"]
    assert list(refused) == ["2", "3"]
    assert all(reason in each for each in refused.values())
    assert repeated_runs(first, again, [PLAN]) == []
    assert np.array_equal(first.variables["kernel"], again.variables["kernel"])


def test_what_updates_nothing_is_not_run_again(tmp_path: Path) -> None:
    """A queue that is filled, and a metric, are run with the step, but need not be again."""
    parts = """
queue = tf.FIFOQueue(99, [tf.float32])
enqueue = queue.enqueue(tf.constant(1.0))
count = tf.metrics.mean(hidden)[1]
"""
    changes = ("loss = tf", parts + "loss = tf"), ("(TRAIN)", "([train, enqueue, count])")
    first, again = repeated(tmp_path, ("INPUT", ""), *changes)
    assert again.meta["again"] == {"same": True, "refused": {}}
    assert len(repeated_runs(first, again, [PLAN])) == len(UNITS)


def test_steps_of_a_second_model_are_made_again(tmp_path: Path) -> None:
    second = """
graph = tf.Graph()
with graph.as_default():
    weight = tf.get_variable("weight", [2], initializer=tf.ones_initializer())
    error = tf.reduce_mean(tf.nn.dropout(weight, rate=0.5) ** 2)
    move = tf.train.AdamOptimizer(0.1).minimize(error, tf.train.get_or_create_global_step())
    with tf.train.MonitoredTrainingSession() as session:
        for _ in range(4):
            session.run(move)
"""
    text = PROGRAM + second
    (tmp_path / "program.py").write_text(text.replace("INPUT", "").replace("TRAIN", "train"))
    first = record(tmp_path / "program.py", tmp_path / "first.npz")
    plans = [None, PLAN]
    states = write_states_of_all(tmp_path / "states.npz", Recording.of(first), {"": plans})
    again = record(tmp_path / "program.py", tmp_path / "again.npz", follow=states)
    runs = repeated_runs(first, again, plans)
    assert len(runs) == len(UNITS)
    for run in runs:
        assert not run.variables["kernel"].any()
        (model,) = run.models
        change = np.abs(model.variables["weight"]).max(axis=1)
        assert (change[:2] == 0).all()
        assert (change[2:] > 0).any()


@pytest.mark.parametrize(
    ("program", "options", "arguments"),
    [
        pytest.param("decided_units.py", [], (), id="process"),
        pytest.param(
            "cluster_units.py", ["--cluster", "ps=1,worker=2", "--turns"], ROLES, id="cluster"
        ),
    ],
)
def test_steps_that_are_made_again_save_runs(
    program: str,
    options: list[str],
    arguments: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rounding decides for units of these programs, which took seven more runs of them to know."""
    text = (PROGRAMS / program).read_text()
    assert "ROUNDING = 0.0" in text
    (tmp_path / "old.py").write_text(text)
    (tmp_path / "new.py").write_text(text.replace("ROUNDING = 0.0", "ROUNDING = 2e-7"))
    scripts = [str(tmp_path / name) for name in ("old.py", "new.py")]
    assert main([*scripts, *options, "--legacy", "--fresh", "--", *arguments]) == 0
    assert capsys.readouterr().err.count("running ") == 3


def test_samples_of_one_run_are_taken_before_another_is_made(tmp_path: Path) -> None:
    first, _ = repeated(tmp_path)
    off = first.variables["kernel"].copy()
    off[3] += 1e-4
    migrated = replace(first, variables={**first.variables, "kernel": off})
    runs: list[Any] = []

    def rerun(path: Path) -> Recording:
        with np.load(path) as stored:
            runs.append(json.loads(str(stored["meta"]))["again"])
        return Recording.of(record(tmp_path / "program.py", tmp_path / "more.npz", follow=path))

    pair = Recording.of(first), Recording.of(migrated)
    samples = Samples("original", pair, rerun, tmp_path / "moved.npz")
    for _ in range(3):  # the run, its steps moved by one unit, and by more
        assert samples.add(Tolerance(of_tasks=samples.known))
    assert len(samples.known[""].wide) == switches.RUNS
    assert not samples.add(Tolerance(of_tasks=samples.known))
    (plan,) = runs
    assert (plan["rows"], plan["counters"]) == ([3], ["global_step"])
