"""Packages of tf.contrib do what they did on TensorFlow 1.15, beside the symbol cases.

What they did is in contrib_packages.json (scripts/record/record_contrib_packages.py), that of
HParams in tests/learn/hparams.json (scripts/record/record_learn_settings.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
RECORDED: dict[str, Any] = json.loads((HERE / "contrib_packages.json").read_text())
# TensorFlow 1.15 forgot to put the number into the message.
RECORDED["optimize_loss"]["errors"][3][1] = "Invalid learning_rate -1.0."
HPARAMS: dict[str, Any] = json.loads((HERE.parent / "learn" / "hparams.json").read_text())
# Float32 kernels of two versions of TensorFlow add in another order.
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(HERE / "packages_program.py")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def differences(found: Any, expected: Any, path: str = "") -> list[str]:
    """Returns where two values out of JSON differ, numbers by more than the tolerance."""
    if isinstance(found, dict) and isinstance(expected, dict) and found.keys() == expected.keys():
        return [d for k in found for d in differences(found[k], expected[k], f"{path}/{k}")]
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return [d for i, (f, e) in pairs for d in differences(f, e, f"{path}/{i}")]
    if isinstance(found, float) and isinstance(expected, float):
        same = found == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE)
    else:
        same = found == expected
    return [] if same else [f"{path}: {found!r}, expected {expected!r}"]


@pytest.mark.parametrize("part", RECORDED)
def test_does_what_it_did(part: str, said: dict[str, Any]) -> None:
    assert differences(said[part], RECORDED[part]) == []


def test_hyperparameters_do_what_they_did(said: dict[str, Any]) -> None:
    # As text: NaN is not NaN.
    found = {name: json.dumps(case, sort_keys=True) for name, case in said["hparams"].items()}
    expected = {name: json.dumps(case, sort_keys=True) for name, case in HPARAMS.items()}
    assert expected.pop("serialized")
    assert found == expected


def test_differences_are_seen() -> None:
    assert differences({"a": [1.0, "x"]}, {"a": [1.1, "y"]}) == [
        "/a/0: 1.0, expected 1.1",
        "/a/1: 'x', expected 'y'",
    ]
