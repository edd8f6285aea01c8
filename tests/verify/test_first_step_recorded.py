"""The first batch and the first checkpoint of programs, recorded and restored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from verify_support import PROGRAMS, TIMEOUT, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.recorder.sessions.batch_rows import reduced
from tfmigrate_runtime.verify.running import limits
from tfmigrate_runtime.verify.running.run_program import (
    REFERENCE_VARIABLE,
    Program,
    ProgramFailed,
    run_recorded,
)
from tfmigrate_runtime.verify.traces.trace import Trace, load_trace

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
TINY = PROGRAMS / "tiny.py"
TENSORS = {
    "global_step": ["int64", []],
    "kernel": ["float32", [3, 2]],
    "kernel/Momentum": ["float32", [3, 2]],
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a trace and a checkpoint."""
    folder = tmp_path_factory.mktemp("tiny")
    record(TINY, folder / "trace.npz", checkpoint=folder / "kept")
    return folder


def bits(trace: Trace) -> list[bytes]:
    return [trace.loss.tobytes(), *(value.tobytes() for value in trace.variables.values())]


def test_the_checkpoint_of_the_first_step_is_told(tiny: Path) -> None:
    told = load_trace(tiny / "trace.npz").meta["checkpoint"]
    assert told == {"step": 1, "tensors": TENSORS, "unsaved": []}


@pytest.mark.parametrize("source", ["kept", "trace.npz"])
def test_a_checkpoint_is_restored_and_taken_back(tiny: Path, tmp_path: Path, source: str) -> None:
    first = load_trace(tiny / "trace.npz")
    # Slots and steps, which both start from zero, must come from the checkpoint.
    second = record(TINY, tmp_path / "second.npz", restore=tiny / source)
    assert second.meta["restored"] == {"error": None}
    assert set(second.checkpoint) == set(second.restored) == set(TENSORS)
    for name, value in second.restored.items():
        assert value.tobytes() == first.variables[name][0].tobytes(), name
        assert value.tobytes() == second.checkpoint[name].tobytes(), name
    assert second.restored["kernel/Momentum"].any()
    assert bits(second) == bits(first)


def test_a_program_can_be_ended_once_it_has_restored(tiny: Path, tmp_path: Path) -> None:
    # It would fail at its end.
    program = Program(TINY, ["--end", "raise"], restore=tiny / "kept", only_restores=True)
    run_recorded(program, tmp_path / "restored.npz", TIMEOUT)
    found = load_trace(tmp_path / "restored.npz")
    assert found.meta["restored"] == {"error": None}
    assert not len(found.step)
    with pytest.raises(ProgramFailed, match="the program says why"):
        record(TINY, tmp_path / "trace.npz", "--end", "raise", restore=tiny / "kept")


def test_what_a_checkpoint_lacks_is_told(tiny: Path, tmp_path: Path) -> None:
    adam = tmp_path / "adam.py"
    text = TINY.read_text().replace("MomentumOptimizer(flags.rate, 0.9)", "AdamOptimizer(0.1)")
    adam.write_text(text)
    found = record(adam, tmp_path / "trace.npz", restore=tiny / "kept").meta["restored"]
    assert "not found in checkpoint" in found["error"]


def test_a_program_without_a_saver_says_so(tmp_path: Path) -> None:
    found = record(PROGRAMS / "sessions.py", tmp_path / "trace.npz", restore=tmp_path / "none")
    reason = {"reason": "it creates no tf.train.Saver before its first step"}
    assert (found.meta["checkpoint"], found.meta["restored"]) == (reason, reason)


def test_the_batch_of_a_dataset_over_two_replicas(tmp_path: Path) -> None:
    found = record(PROGRAMS / "replicas.py", tmp_path / "trace.npz", replicas=2)
    assert found.meta["batch"] == {"shapes": {"0/0": [8, 3], "0/1": [8, 1]}, "reason": None}
    features, labels = found.batch["0/0"], found.batch["0/1"]
    assert features[:, :1].tobytes() == labels.tobytes()
    rows = np.random.RandomState(0).normal(size=(24, 3)).astype(np.float32)
    assert all((row == rows).all(axis=1).any() for row in features)


def test_what_is_fed_and_what_the_graph_draws_itself(tiny: Path, tmp_path: Path) -> None:
    fed = record(PROGRAMS / "sessions.py", tmp_path / "trace.npz")
    shapes = fed.meta["batch"]["shapes"]
    assert all(name.startswith("fed/") for name in shapes)
    assert {shape[0] for shape in shapes.values()} == {next(iter(fed.batch.values())).shape[0]}
    assert load_trace(tiny / "trace.npz").meta["batch"] == {
        "shapes": {},
        "reason": "its graph reads no input pipeline and is fed no arrays",
    }


def test_large_batches_are_cut_down() -> None:
    large = np.arange(4 * 1024 * 1024, dtype=np.float32).reshape(4, 1024, 1024)
    sample = reduced(large)
    assert sample.shape == (4, 65536)
    assert sample.nbytes == 1 << 20
    assert (sample[2, 0], sample[2, -1]) == (large[2, 0, 0], large[2, -1, -1])
    assert reduced(large[:, :10]).shape == (4, 10, 1024)


def test_an_original_that_needs_much_memory_is_run_again_to_restore(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    monkeypatch.setattr(limits, "_SMALL_SHARE", 0.0)
    assert main([str(TINY), str(TINY), "--legacy", "--format", "json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["rungs"][6]["figure"] == "3 tensors, both ways"
    assert told.err.count("running ") == 3
    assert "to restore a checkpoint of the migrated program" in told.err


def test_both_programs_restore_what_the_other_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    assert main([str(TINY), str(TINY), "--legacy", "--format", "json"]) == 0
    told = capsys.readouterr()
    rung = json.loads(told.out)["rungs"][6]
    assert (rung["verdict"], rung["figure"]) == ("same", "3 tensors, both ways")
    # The original is not started again for that.
    assert told.err.count("running ") == 2

    slots = tmp_path / "slots.py"
    text = TINY.read_text().replace(
        "checkpoint_dir=flags.model_dir",
        "checkpoint_dir=flags.model_dir, "
        "scaffold=tf.train.Scaffold(saver=tf.train.Saver([kernel, global_step]))",
    )
    slots.write_text(text)
    assert main([str(TINY), str(slots), "--legacy", "-q", "--format", "json"]) == 1
    rung = json.loads(capsys.readouterr().out)["rungs"][6]
    assert rung["verdict"] == "different"
    assert rung["details"] == ["kernel/Momentum is only in the original's checkpoint."]


@pytest.mark.parametrize("is_resource", [False, True])
def test_a_loss_may_be_a_variable_itself(tmp_path: Path, is_resource: bool) -> None:
    script = tmp_path / "least.py"
    script.write_text(
        "import tensorflow.compat.v1 as tf\n"
        "tf.disable_v2_behavior()\n"
        f"a = tf.get_variable('a', initializer=20.0, use_resource={is_resource})\n"
        "step = tf.train.get_or_create_global_step()\n"
        "train = tf.train.GradientDescentOptimizer(0.5).minimize(a, global_step=step)\n"
        "with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(3)]) as session:\n"
        "    while not session.should_stop():\n"
        "        session.run(train)\n"
    )
    trace = record(script, tmp_path / "trace.npz")
    assert trace.variables["a"].tolist() == [19.5, 19.0, 18.5]
    assert len(trace.loss) == 3
