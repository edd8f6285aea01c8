"""What ``import tensorflow`` gives to a program under the legacy runtime."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent / "names_program.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", *arguments]
    environment = {**os.environ, "TFMIGRATE_COLD": "1"}  # how programs begin is what is tested
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    result = run(str(PROGRAM), "--flag", "-m", "value")
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def test_names_are_those_of_tensorflow_1(said: dict[str, Any]) -> None:
    assert said["version"] == "1.15.5"
    assert said["adam"] is said["graph"] is said["compat"] is said["python"] is True
    assert said["eager"] is False
    assert said["dimension"] == "Dimension"
    assert said["keras"] == "BatchNormalization"
    assert said["estimator"].startswith("tensorflow_estimator.")
    assert said["learn"] == [
        "tensorflow.contrib.learn",
        "tensorflow.contrib.learn.python.learn.learn_runner",
    ]


def test_the_program_gets_its_own_arguments(said: dict[str, Any]) -> None:
    assert said["argv"] == ["--flag", "-m", "value"]


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        ("tf.contrib.tensor_forest.nothing", "AttributeError", "tf.contrib.tensor_forest.nothing "),
        (
            "from tensorflow.contrib.tensor_forest import nothing",
            "ImportError",
            "cannot import name 'nothing' from 'tensorflow.contrib.tensor_forest' (not emulated",
        ),
        ("import tensorflow.contrib.no_such_package", "ModuleNotFoundError", "no_such_package"),
        ("tf.no_such_name", "AttributeError", "tf.no_such_name "),
        ("tf.estimator.tpu.experimental", "AttributeError", "tf.estimator.tpu.experimental "),
    ],
)
def test_what_is_not_emulated_says_so(
    said: dict[str, Any], code: str, kind: str, text: str
) -> None:
    found = said["errors"][code]
    assert found[0] == kind
    assert text in found[1]
    assert ("docs/explanation/tf1_shim.md" in found[1]) is (kind != "ModuleNotFoundError")


def test_exit_codes_and_tracebacks_are_the_programs(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text("import sys\nsys.exit(int(sys.argv[1]))\n")
    assert run(str(script), "3").returncode == 3
    failed = run(str(script), "x")
    assert failed.returncode == 1
    lines = failed.stderr.splitlines()
    at = lines.index("Traceback (most recent call last):")
    assert f'File "{script}", line 2' in lines[at + 1]
    missing = run(str(tmp_path / "none.py"))
    assert missing.returncode == 2
    assert missing.stderr == f"tfmigrate-run: {tmp_path / 'none.py'}: no such file\n"


def test_a_python_2_program_is_pointed_to_what_rewrites_it(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text('print "hello"\n')
    failed = run(str(script))
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].startswith(
        "tfmigrate-run: this may be Python 2; `tfmigrate --py2"
    )
