"""Limits of the original that no step reaches are named where no graph shows what they became."""

from __future__ import annotations

import pytest
from changed_program import Changed
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")

UNREACHED = [
    "Maximum 1e-06 at limits.py:11",
    "Maximum -9 at limits.py:12",
    "PiecewiseConstant 30000 at limits.py:14",
    "ExponentialDecay at limits.py:15",
    "Less 1000 at limits.py:16",
    "clip_by_global_norm at limits.py:19",
    "1 more",  # the comparison with a text
]


def test_of_a_port(native: Native) -> None:
    """The clip at 0.3 and the boundary after two steps are reached, and so is what they are."""
    said = native("limits.py", "limits_native.py")
    assert said.code == 0
    assert f"no step of the original reaches ({', '.join(UNREACHED)})" in said.missing


@pytest.mark.parametrize("change", [("0.3", "0.2"), ("step <= 2", "step <= 3")])
def test_others_are_compared(native: Native, change: tuple[str, str]) -> None:
    assert native("limits.py", "limits_native.py", change).code == 1


def test_graphs_are_compared(changed: Changed) -> None:
    said = changed("limits.py")
    assert (said.code, "no step of the original" in said.missing) == (0, False)
    said = changed("limits.py", ("5.0", "6.0"))
    assert "No compared step reached it." in said.details("same variables and slots")
