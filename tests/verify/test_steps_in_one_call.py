"""A stretch of steps is made in one call, as in production, and compared."""

from __future__ import annotations

import pytest
from changed_program import Changed

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, VARIABLES = "in_one_call.py", "same variables and slots"


def test_steps_in_one_call_are_compared_as_one(changed: Changed) -> None:
    said = changed(PROGRAM, arguments=("{out}",))
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "12 steps"
    assert "Steps 5 to 8 were made in one call" in said.details(VARIABLES)


def test_so_are_those_of_a_second_model(changed: Changed) -> None:
    said = changed(PROGRAM, arguments=("{out}", "0.0", "2"))
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "12 steps, 1 further model"
    assert "model 2 of 2 (kernel, bias): Steps 5 to 8 were made in" in said.details(VARIABLES)


def test_a_fault_of_steps_in_one_call_is_found(changed: Changed) -> None:
    said = changed(PROGRAM, ("SLIP = 0.0", "SLIP = 1e-4"), arguments=("{out}",))
    assert (said.code, said.failed) == (1, [VARIABLES])
    assert "Variables first differ at step 8" in said.details(VARIABLES)
