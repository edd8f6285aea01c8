"""Replicas that update their variables themselves, with slots in variables of the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAMS = ("rmsprop_towers.py", "rmsprop_towers_native.py")
PAIRS = {
    "kernel/RMSProp": "Variable",
    "bias/RMSProp": "Variable#2",
    "kernel/RMSProp_1": None,  # RMSProp's momentum, which is 0
    "bias/RMSProp_1": None,
}


def test_slots_that_may_be_either_need_a_map(native: Native) -> None:
    """RMSProp has two slots of each variable, the port one."""
    said = native(*PROGRAMS)
    assert said.code == 2
    assert 'Pass --map FILE, JSON such as {"kernel/RMSProp": "Variable"}' in said.error


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        pytest.param("", "", 0, id="right"),
        pytest.param("gradients, 1.0)", "gradients, 1.1)", 1, id="clip"),
        pytest.param("0.9 * square", "0.91 * square", 1, id="decay"),
        pytest.param("0.01 * gradient", "0.0101 * gradient", 1, id="rate"),
    ],
)
def test_steps_are_those_of_all_copies(
    native: Native, tmp_path: Path, old: str, new: str, code: int
) -> None:
    """The last variable's second copy was updated after the step, which drifted apart."""
    path = tmp_path / "map.json"
    path.write_text(json.dumps(PAIRS))
    said = native(*PROGRAMS, (old, new), options=["--map", str(path)])
    assert said.code == code, said.error
