"""What programs find under ``tensorflow.python``, ``tensorflow.examples`` and public paths."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).parent / "moved_names_program.py"


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(PROGRAM)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def test_inner_paths_lead_to_the_public_classes_and_functions(said: dict[str, Any]) -> None:
    assert len(said["same"]) > 25
    assert [name for name, same in said["same"].items() if not same] == []


def test_every_name_of_the_table_leads_somewhere(said: dict[str, Any]) -> None:
    count, lost = said["lost"]
    assert count > 800
    assert lost == []


def test_what_is_found_works(said: dict[str, Any]) -> None:
    assert said["graph"] == {
        "assert": "Assert",
        "adam_op": "resource_apply_adam",
        "dense": ["dense/kernel:0", "dense/bias:0"],
    }
    assert said["matmul"] == "a"
    assert said["shapes"] == [[], [3], [2, 3]]
    assert said["mnist"] == ["read_data_sets", 784]


def test_what_is_not_there_says_so(said: dict[str, Any]) -> None:
    errors = said["errors"]
    gone = errors["from tensorflow.python.tpu.tpu_config import TPUConfig"]
    assert gone[0] == "ImportError"
    assert gone[1].endswith(
        "(not emulated by the legacy runtime, see docs/explanation/tf1_shim.md)"
    )
    assert errors["import tensorflow.python.no_such_module"][0] == "ModuleNotFoundError"
    assert errors["from tensorflow.python.framework.ops import no_such_name"][1].startswith(
        "cannot import name 'no_such_name' from 'tensorflow.python.framework.ops'"
    )
    assert len(errors) == 4
