"""Checkpoints of TensorFlow 1.15 go on in the Keras programs of fixtures, and back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_tail import one_in
from original_checkpoints import check_same, tensors_of, write_checkpoint
from recorded_cases import Case, load_case

from tfmigrate.cli import main
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.running.surroundings import environment
from tfmigrate_runtime.verify.traces.trace import load_trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = [
    form.parent
    for form in sorted(FIXTURES.glob("*/*/migrated_keras*"))
    if form.parent.parent.name not in ("replica_device_setter", "towers")
]
TIMEOUT_SECONDS = 300.0


def convert(case: Case, old: Path, new: Path, *options: str) -> int:
    """Converts a checkpoint with the program that --target keras made of a fixture."""
    arguments = [argument.replace("{out}", str(old.parent)) for argument in case.arguments]
    program = ["--program", str(case.migrated_keras)]
    return main(["checkpoint", "convert", str(old), str(new), *program, *options, "--", *arguments])


@pytest.mark.parametrize("fixture", one_in(4, FOLDERS), ids=lambda path: path.name)
def test_checkpoint_is_the_same_after_both_conversions(fixture: Path, tmp_path: Path) -> None:
    case = load_case(fixture)
    trace = load_trace(case.trace)
    old = write_checkpoint(trace, int(trace.variable_step[-1]), tmp_path / "old")
    new = tmp_path / "new" / "model.weights.h5"
    assert convert(case, old, new) == 0
    back = tmp_path / "back" / old.name
    assert convert(case, new, back, "--like", str(old)) == 0
    check_same(old, back)


@pytest.mark.parametrize("name", one_in(2, ["momentum_piecewise", "dense_adam"]))
def test_training_goes_on_from_a_converted_checkpoint(name: str, tmp_path: Path) -> None:
    case = load_case(FIXTURES / "replicate_model_fn" / name)
    original = load_trace(case.trace)
    model_dir = tmp_path / "model"
    old = write_checkpoint(original, 60, model_dir)
    assert convert(case, old, model_dir / "model.weights.h5") == 0
    # The original's second call of train, of 60 steps, reads its data from the beginning, too.
    program = Program(
        case.migrated_keras,
        ["--model_dir", str(model_dir), "--train_steps", "60"],
        replicas=case.replicas,
    )
    run_recorded(program, tmp_path / "native.npz", TIMEOUT_SECONDS)
    native = load_trace(tmp_path / "native.npz")
    assert native.step.tolist() == list(range(61, 121))
    assert np.abs(native.loss - original.loss[60:]).max() <= 1e-5
    back = model_dir / "model.ckpt-120"
    assert convert(case, model_dir / "model.weights.h5", back, "--like", str(old)) == 0
    values = tensors_of(back)
    for variable, rows in original.variables.items():
        assert np.abs(values[variable] - rows[-1]).max() <= 1e-5, variable


def test_original_goes_on_from_a_checkpoint_that_was_converted_back(
    tmp_path: Path, reference_python: str
) -> None:
    case = load_case(FIXTURES / "replicate_model_fn" / "dense_adam")
    model_dir = tmp_path / "model"
    command = [reference_python, str(case.original), "--train_steps", "60", "--model_dir"]
    around: dict[str, Any] = {
        "check": True,
        "capture_output": True,
        "text": True,
        "env": environment(),
    }
    subprocess.run([*command, str(model_dir)], **around)
    new = model_dir / "model.weights.h5"
    assert convert(case, model_dir, new) == 0
    for form in ("again.keras", "again.weights.h5"):
        assert convert(case, model_dir, tmp_path / form) == 0
        back = tmp_path / form.partition(".")[2] / "model.ckpt-60"
        assert convert(case, tmp_path / form, back, "--like", str(model_dir)) == 0
    done = [
        subprocess.run([*command, str(folder)], **around) for folder in (model_dir, back.parent)
    ]
    said = [[line for line in run.stdout.splitlines() if "step 120" in line] for run in done]
    assert said[0] == said[1] != []


def test_a_program_beside_old_checkpoints_names_the_command(tmp_path: Path) -> None:
    case = load_case(FIXTURES / "replicate_model_fn" / "dense_adam")
    write_checkpoint(load_trace(case.trace), 60, tmp_path)
    command = [sys.executable, str(case.migrated_keras), "--model_dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last == (f"ValueError: {tmp_path} is of TensorFlow 1.x: run `checkpoint convert`")
