"""Migrated programs run where only tfmigrate-runtime and TensorFlow are installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tfmigrate_runtime
from tfmigrate.tables.runtime_modules import DISTRIBUTIONS, imports_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
RUNTIME = Path(tfmigrate_runtime.__file__).parent
# What verify, the legacy runtime and the migrator need besides.
ABSENT = ("libcst", "pathspec", "psutil", "rich", "tensorflow_estimator", "tfmigrate", "tomli")
# numpy and protobuf come with TensorFlow; rich draws a line on terminals where it is installed.
PRESENT = {*DISTRIBUTIONS, "google", "numpy"}
FOR_A_TERMINAL = RUNTIME / "train" / "estimator" / "progress.py"

BLOCKED = """
import runpy, sys
for name in {absent!r}:
    sys.modules[name] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize("folder", ["train", "contrib", "compat"])
def test_what_programs_import_needs_tensorflow_only(folder: str) -> None:
    known = {*sys.stdlib_module_names, *PRESENT, "tfmigrate_runtime"}
    for path in (RUNTIME / folder).rglob("*.py"):
        if not path.name.startswith("shim_"):  # for original programs
            more = {"rich"} if path == FOR_A_TERMINAL else set()
            assert {name.partition(".")[0] for name in imports_of(path)} <= known | more, path


def test_a_migrated_program_trains_without_the_rest(tmp_path: Path) -> None:
    program = FIXTURES / "replicate_model_fn" / "dense_adam" / "migrated.py"
    code = BLOCKED.format(absent=ABSENT)
    arguments = ["--model_dir", str(tmp_path), "--train_steps=4", "--steps_per_eval=4"]
    command = [sys.executable, "-c", code, str(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "step 4: accuracy" in done.stdout
    assert (tmp_path / "model.ckpt-4.index").is_file()
