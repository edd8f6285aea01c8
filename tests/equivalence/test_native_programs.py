"""What --target keras makes of fixtures trains on Keras 3 as TensorFlow 1.15.5 did."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from fixture_cases import FIXTURES
from long_tail import one_in
from recorded_cases import load_case

from tfmigrate_runtime.verify.rungs.compare_native import as_far_as_native
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import at_common_steps, load_trace

FORMS = sorted(FIXTURES.glob("*/*/migrated_keras*"))
FOLDERS = [form.parent for form in FORMS]
TIMEOUT_SECONDS = 300.0
# contrib.learn's ExportStrategy wrote a classification for each input alternative, with classes as
# text; the Keras form exports the model's own signature. Of test_then_train the second export has a
# signature for Regress, which Keras cannot write: one for Predict, with --unsafe.
OTHER_EXPORTS = ("learn_estimator_metric_spec", "test_then_train")
# Moving averages of batch normalization: towers moved one average in no fixed order, replicas move
# it once by their mean (semantics.md, 1.11).
MOVING_AVERAGE = 5e-4
# An evaluation after training uses the moving averages.
EVALUATION_BY_MOVING_AVERAGES = 1e-4

WITHOUT_TFMIGRATE = """
import runpy, sys
for name in ("tfmigrate", "tfmigrate_runtime", "tf_keras", "tensorflow.compat.v1"):
    sys.modules[name] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_there_are_native_forms() -> None:
    assert len(FORMS) >= 4


@pytest.mark.parametrize("case_folder", one_in(3, FOLDERS), ids=lambda path: path.name)
def test_native_form_trains_like_the_original(case_folder: Path, tmp_path: Path) -> None:
    case = load_case(case_folder)
    program = Program(case.migrated_keras, case.arguments, replicas=case.replicas)
    run_recorded(program, tmp_path / "native.npz", TIMEOUT_SECONDS, initial_values=case.trace)
    native = load_trace(tmp_path / "native.npz")
    original = as_far_as_native(load_trace(case.trace), native)
    limits = replace(case.tolerance, loss=1e-5, variable=1e-5)  # Keras rounds differently
    verdict = climb(original, native, limits)
    failed = "same exports" if case_folder.name in OTHER_EXPORTS else None
    assert (verdict.failed and verdict.failed.name) == failed, verdict.failed
    assert [rung.verdict for rung in verdict.rungs[:6]] == ["same"] * 6
    assert len(native.loss) == case.steps
    # A loss above one is compared relatively: float32 has seven digits.
    assert (
        np.abs(native.loss - original.loss) / np.maximum(1, np.abs(original.loss))
    ).max() <= 1e-5
    old, new = at_common_steps(original, native)
    moving = 0.0
    for name, values in old.variables.items():
        difference = float(np.abs(new.variables[name] - values).max())
        moving = max(moving, difference if "moving_" in name else 0.0)
        assert difference <= (MOVING_AVERAGE if "moving_" in name else 1e-5), name
    limit = EVALUATION_BY_MOVING_AVERAGES if moving else 1e-5
    for metrics, found in zip(original.evaluations, native.evaluations, strict=True):
        for metric, value in metrics.items():
            assert found[metric] == pytest.approx(value, abs=limit), metric


def test_native_form_needs_tensorflow_alone(tmp_path: Path) -> None:
    case = load_case(FIXTURES / "replicate_model_fn" / "dense_adam")
    arguments = ["--model_dir", str(tmp_path / "out"), "--train_steps", "60"]
    command = [sys.executable, "-c", WITHOUT_TFMIGRATE, str(case.migrated_keras), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    assert "step 60: accuracy" in done.stdout
    assert (tmp_path / "out" / "model.weights.h5").exists()


def test_native_form_resumes_from_its_checkpoint(tmp_path: Path) -> None:
    case = load_case(FIXTURES / "replicate_model_fn" / "dense_adam")
    arguments = ["--model_dir", str(tmp_path / "out"), "--train_steps", "60"]
    command = [sys.executable, str(case.migrated_keras), *arguments]
    for step in (60, 120):
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        assert done.returncode == 0, done.stderr
        assert f"step {step}: accuracy" in done.stdout


def test_native_form_goes_on_after_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TFMIGRATE_COLD", "1")  # the process that is killed is the program's own
    case = load_case(FIXTURES / "replicate_model_fn" / "embedding_adagrad")  # saves every 60 steps
    checkpoint = tmp_path / "out" / "model.weights.h5"
    command = [sys.executable, str(case.migrated_keras), "--model_dir", str(tmp_path / "out")]
    with (tmp_path / "log").open("w") as log:
        killed = subprocess.Popen([*command, "--train_steps", "1000000"], stdout=log, stderr=log)
        for _ in range(600):
            if checkpoint.exists() or killed.poll() is not None:
                break
            time.sleep(0.1)
        killed.kill()
        killed.wait()
    assert checkpoint.exists(), (tmp_path / "log").read_text("utf-8")
    saved = steps_in(checkpoint)
    assert saved > 0
    assert saved % 60 == 0
    command += ["--train_steps", str(saved + 40)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    assert "40/40" in done.stdout  # only the missing steps are made
    assert steps_in(checkpoint) == saved + 40


def steps_in(checkpoint: Path) -> int:
    """Returns the step of a checkpoint: the first variable of the optimizer."""
    with h5py.File(checkpoint) as file:
        return int(file["optimizer/vars/0"][()])
