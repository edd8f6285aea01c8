"""What variables start from, through the whole command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
STARTS = PROGRAMS / "starts.py"


@pytest.fixture(autouse=True)
def no_reference_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)


@pytest.fixture(scope="module")
def original(tensorflow_installed: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with original.py, its trace.npz, and a checkpoint."""
    folder = tmp_path_factory.mktemp("starts")
    (folder / "original.py").write_text(STARTS.read_text())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEEP_CHECKPOINT", str(folder / "kept"))
        record(folder / "original.py", folder / "trace.npz")
    return folder


def verified(
    capsys: pytest.CaptureFixture[str], folder: Path, variant: str, *more: str
) -> tuple[int, dict[str, Any]]:
    migrated = folder / f"{variant}.py"
    text = STARTS.read_text().replace('VARIANT = "original"', f'VARIANT = "{variant}"')
    migrated.write_text(text)
    code = main([str(folder / "original.py"), str(migrated), "-q", "--format", "json", *more])
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, said


@pytest.mark.parametrize(
    ("variant", "told"),
    [
        ("b1", "hidden starts from the constant 0 in the original, from the constant 1 in the"),
        pytest.param(
            "bias",
            "bias starts from the constant 0 in the original, from the constant 3 in the",
            marks=pytest.mark.long,
        ),
        ("wider", "kernel starts from the original's random numbers on a different scale: 2 times"),
        ("truncated", "kernel is drawn from a different distribution: normal, mean"),
        pytest.param(
            "truncated_as_wide",
            "kernel is drawn from a different distribution: normal, mean",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "uniform",
            "kernel is drawn from a different distribution: normal, mean",
            marks=pytest.mark.long,
        ),
        ("ones", "kernel starts from random numbers (normal, mean"),
        pytest.param(
            "glorot_normal",
            "dense is drawn from a different distribution: uniform, mean",
            marks=pytest.mark.long,
        ),
        ("far", "scale is drawn from a different distribution: uniform, mean"),
        ("accumulator", "hidden/Adagrad starts from the constant 0.1"),
        ("no_vectors", "table starts from values assigned or restored before the first step (0, "),
    ],
)
def test_another_start_is_a_difference(
    original: Path, capsys: pytest.CaptureFixture[str], variant: str, told: str
) -> None:
    code, verdict = verified(capsys, original, variant)
    assert code == 1
    assert verdict["rungs"][2]["verdict"] == "different"
    assert [line for line in verdict["rungs"][2]["details"] if line.startswith(told)]


def test_other_numbers_of_the_same_law_are_the_same_and_that_is_said(
    original: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEEP_CHECKPOINT", str(original / "kept"))
    code, verdict = verified(capsys, original, "other_numbers")
    assert code == 0, [r["details"] for r in verdict["rungs"] if r["verdict"] == "different"]
    assert verdict["conclusion"].endswith(
        "; 3 variables start from different numbers of the same distribution."
    )
    assert verdict["rungs"][2]["details"][0] == (
        "Initial values drawn from the same distribution, with different numbers: kernel, dense, "
        "scale. Training was compared starting from the original's values."
    )


def test_a_warm_start_is_compared(original: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--legacy", "--", "--checkpoint", str(original / "kept"))
    code, verdict = verified(capsys, original, "warm_start", *given)
    assert code == 0
    assert verdict["rungs"][2]["details"] == []
    # Slots and the step are not saved, on neither side.
    assert verdict["rungs"][6]["verdict"] == "same"
    assert verdict["rungs"][6]["details"][0].startswith("Neither program saves bias/Adagrad, ")
    code, verdict = verified(capsys, original, "no_warm_start", *given)
    assert code == 1
    assert verdict["rungs"][2]["verdict"] == "different"
    assert verdict["rungs"][2]["details"][0].startswith(
        "table starts from values of a checkpoint (0.0"
    )


_WITH_HOOK = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Load(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        session.run(weight.initializer, {weight.initializer.inputs[1]: np.ones(40, np.float32)})


EXTRA
weight = tf.get_variable("weight", [40])
other = tf.get_variable("other", [40], initializer=tf.random_normal_initializer())
step = tf.train.get_or_create_global_step()
loss = tf.reduce_sum((weight * other) ** 2)
train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, step)
hooks = [tf.train.NanTensorHook(loss), tf.train.StopAtStepHook(last_step=3), Load()]
with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
    while not session.should_stop():
        session.run(train_op)
"""


@pytest.mark.parametrize(("loads", "code"), [(True, 0), (False, 1)])
def test_what_a_hook_loads_is_what_a_program_starts_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], loads: bool, code: int
) -> None:
    original, migrated = tmp_path / "original.py", tmp_path / "migrated.py"
    original.write_text(_WITH_HOOK.replace("EXTRA\n", ""))
    # Its ops draw other numbers: without what the hook loads, all that differs is that.
    text = _WITH_HOOK.replace("EXTRA", "tf.random_normal([])")
    migrated.write_text(text if loads else text.replace(", Load()]", "]"))
    record(original, tmp_path / "trace.npz")
    assert main([str(original), str(migrated), "-q", "--format", "json"]) == code
    rung = json.loads(capsys.readouterr().out)["rungs"][2]
    assert rung["verdict"] == ("same" if loads else "different")
    told = "Initial values drawn from the same distribution, with different numbers: other."
    if not loads:
        told = "weight starts from values assigned or restored before the first step (1) in the"
    assert rung["details"][0].startswith(told)


def test_workers_of_a_cluster_start_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original, migrated = PROGRAMS / "cluster_sync.py", tmp_path / "cluster_sync.py"
    text, plain = original.read_text(), '"weights", [3, 1]'
    assert plain in text
    other = "initializer=tf.truncated_normal_initializer(stddev=0.8)"
    migrated.write_text(text.replace(plain, f"{plain}, {other}"))
    names = ("job_name", "task_index", "ps_hosts", "worker_hosts")
    given = [*(f"--{name}={{{name}}}" for name in names), "--logdir={out}"]
    options = ["--cluster", "ps=1,worker=2", "-q", "--legacy", "--format", "json", "--"]
    assert main([str(original), str(migrated), *options, *given]) == 1
    rung = json.loads(capsys.readouterr().out)["rungs"][2]
    assert rung["verdict"] == "different"
    assert rung["details"][0].startswith(
        "weights is drawn from a different distribution: uniform, "
    )
