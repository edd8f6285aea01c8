"""Programs of TensorFlow 1.x that use Keras train as on TensorFlow 1.15.5 with Keras 2.2.5.

With TFMIGRATE_REFERENCE_PYTHON set the results of programs that need no standalone Keras are made
anew and compared.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfmigrate.engine.options import Options
from tfmigrate.engine.run import run

PROGRAMS = Path(__file__).parent / "keras"
STORED: dict[str, list[float]] = json.loads((PROGRAMS / "results.json").read_text())
# Relative, of losses. Adagrad without an initial accumulator makes as long a step for a gradient of
# 1e-7 as for any other: the rate, which tf.keras keeps in float32, changes losses by 2e-4 there. A
# forgotten argument changes them by 1e-2 and more.
TOLERANCES = {"of_tensorflow": 1e-5, "standalone": 5e-4}
REFERENCE = os.environ.get("TFMIGRATE_REFERENCE_PYTHON", "")


def results(python: str, program: Path) -> list[float]:
    """Runs a program; returns what it printed."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    environment.pop("TF_USE_LEGACY_KERAS", None)
    done = subprocess.run(
        [python, str(program)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[float] = json.loads(done.stdout.partition("RESULT ")[2].splitlines()[0])
    return found


@pytest.mark.parametrize("case", sorted(STORED))
def test_a_program_with_keras_trains_as_before(case: str, tmp_path: Path) -> None:
    folder = tmp_path / "program"
    shutil.copytree(PROGRAMS, folder)
    outcome = run([str(folder)], [], Options(), dry_run=False)
    assert outcome.exit_code == 0
    found = results(sys.executable, folder / f"{case}.py")
    assert found == pytest.approx(STORED[case], rel=TOLERANCES[case])


@pytest.mark.skipif(not REFERENCE, reason="needs TFMIGRATE_REFERENCE_PYTHON")
def test_the_stored_results_are_those_of_tensorflow_1_15() -> None:
    found = results(REFERENCE, PROGRAMS / "of_tensorflow.py")
    assert found == pytest.approx(STORED["of_tensorflow"], rel=1e-6)
