"""Seeds that a program does not give: the numbers drawn are those of TensorFlow 1.15."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

HERE = Path(__file__).parent
OF_1_15: dict[str, Any] = json.loads((HERE / "seeds_1_15.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(HERE / "seeds_program.py")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert result.returncode == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout[result.stdout.index("{\n") :])
    return found


@pytest.mark.parametrize("graph", sorted(OF_1_15["seeds"]))
def test_ops_have_the_seeds_of_1_15(said: dict[str, Any], graph: str) -> None:
    assert said["seeds"][graph] == OF_1_15["seeds"][graph]


def test_the_numbers_drawn_are_those_of_1_15(said: dict[str, Any]) -> None:
    for ours, theirs in zip(said["drawn"], OF_1_15["drawn"], strict=True):
        # float32, computed by other kernels: the last bits of Box-Muller's sine differ.
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_a_keras_model_trains_as_with_1_15(said: dict[str, Any]) -> None:
    assert said["keras"]["weights"] == OF_1_15["keras"]["weights"]
    # Dropout included; float32 sums over a batch are added in another order.
    assert said["keras"]["losses"] == pytest.approx(OF_1_15["keras"]["losses"], rel=1e-5)
