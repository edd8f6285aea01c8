"""Checkpoints of sessions of TensorFlow 1.15 go on in training steps, and back."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from long_tail import one_in
from original_checkpoints import check_same, tensors_of, write_checkpoint

from tfmigrate.cli import main
from tfmigrate_runtime.verify.case import Case, load_case
from tfmigrate_runtime.verify.golden import program_of
from tfmigrate_runtime.verify.recording import load_recording
from tfmigrate_runtime.verify.run_program import run_recorded
from tfmigrate_runtime.verify.trace import Trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = [
    form.parent
    for kind in ("replica_device_setter", "towers")
    for form in sorted(FIXTURES.glob(f"{kind}/*/migrated_keras.py"))
    if "tf.train.CheckpointManager" in form.read_text("utf-8")
]
TIMEOUT_SECONDS = 300.0
HOSTS = {"job_name": "worker", "task_index": "0", "ps_hosts": "a:1", "worker_hosts": "a:2,a:3"}
TF_CONFIG = '{"cluster": {"worker": ["a:2", "a:3"]}, "task": {"type": "worker", "index": 0}}'


def values_at(case: Case, step: int | None = None) -> tuple[Trace, int]:
    """Returns a trace with the variables of a step, and the step: the chief's last by default."""
    traces = list(load_recording(case.trace).tasks.values())
    step = int(traces[0].variable_step[-1]) if step is None else step
    return next(trace for trace in traces if step in trace.variable_step), step


def convert(case: Case, script: Path, out: Path, old: Path, new: str, *options: str) -> int:
    """Converts a checkpoint with a program, of a cluster with the first worker alone."""
    arguments = [argument.format(out=out, **HOSTS) for argument in case.arguments]
    command = ["checkpoint", "convert", str(old), new, "--program", str(script), *options]
    return main([*command, "--", *arguments])


@pytest.mark.parametrize("fixture", one_in(5, FOLDERS), ids=lambda path: path.name)
def test_checkpoint_is_the_same_after_both_conversions(
    fixture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CONFIG", TF_CONFIG)
    case = load_case(fixture)
    old = write_checkpoint(*values_at(case), tmp_path / "old")
    new, back = tmp_path / "new", tmp_path / "back" / old.name
    options = [case, case.migrated_keras, tmp_path / "out"]
    assert convert(*options, old, f"{new}/", "--in-order") == 0
    assert convert(*options, new, str(back), "--in-order", "--like", str(old)) == 0
    check_same(old, back)


# By fixture the step that it goes on from, and what lets its program read the data from there.
SKIPPED = "for _ in range(10): next_batch(32)"
RESTORED = "saver.restore_or_initialize()"
CONTINUED = {
    "one_machine_monitored": (12, {"prefetch(1)": "prefetch(1).skip(12)"}),
    "one_machine_session": (
        15,
        {
            "for i in range(FLAGS.max": f"{RESTORED}\n  for i in range(15, FLAGS.max",
            "self._next = 0": "self._next = 15 * 32",
        },
    ),
    "feed_slices_clip": (
        10,
        {
            "for step in range(1,": f"{RESTORED}\n{SKIPPED}\nfor step in range(11,",
        },
    ),
    "sync_monitored_hook": (8, {"batch(FLAGS.batch_size)": "batch(FLAGS.batch_size).skip(8)"}),
    "async_tabs_session_inside": (
        24,
        {
            "local_step = 0": "local_step, data.pos = 12, 12 * BATCH_SIZE",
        },
    ),
}


@pytest.mark.parametrize("name", one_in(3, CONTINUED))
def test_training_goes_on_from_a_converted_checkpoint(name: str, tmp_path: Path) -> None:
    fixture = next(folder for folder in FOLDERS if folder.name == name)
    case, (step, edits) = load_case(fixture), CONTINUED[name]
    text = case.migrated_keras.read_text("utf-8")
    for written, edited in edits.items():
        assert text.count(written) == 1, written
        text = text.replace(written, edited)
    script = tmp_path / "program.py"
    script.write_text(text, "utf-8")
    out = tmp_path / "out"
    old = write_checkpoint(*values_at(case, step), out)
    assert convert(case, script, out, out, f"{out}/new.ckpt-{step}") == 0

    program = program_of(case, script)
    program = replace(program, arguments=[a.replace("{out}", str(out)) for a in program.arguments])
    run_recorded(program, tmp_path / "native.npz", TIMEOUT_SECONDS)
    original, native = load_recording(case.trace), load_recording(tmp_path / "native.npz")
    for task, wanted in original.tasks.items():
        found = native.tasks[task]
        left = wanted.step > step
        assert found.step.tolist() == wanted.step[left].tolist()
        assert np.abs(found.loss - wanted.loss[left]).max() <= 1e-5
    back = tmp_path / "back" / "model.ckpt"
    assert convert(case, script, out, out, str(back), "--like", str(old)) == 0
    values = tensors_of(back)
    if not case.turns:  # another worker makes a step while the chief saves
        for variable, rows in values_at(case)[0].variables.items():
            assert np.abs(values[variable] - rows[-1]).max() <= 1e-5, variable


def test_a_program_beside_old_checkpoints_names_the_command(tmp_path: Path) -> None:
    case = load_case(FIXTURES / "replica_device_setter" / "one_machine_monitored")
    old = write_checkpoint(*values_at(case), tmp_path)
    command = [sys.executable, str(case.migrated_keras), "--job-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == f"ValueError: {old} is of TensorFlow 1.x: run `checkpoint convert`"
