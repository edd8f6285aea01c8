"""Updates that no optimizer makes are compared, through the whole command."""

from __future__ import annotations

import pytest
from changed_program import Changed
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM = "by_hand.py"


def test_the_same_program_is_the_same(changed: Changed) -> None:
    said = changed(PROGRAM)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "7 steps"


@pytest.mark.parametrize(
    ("replaced", "rung"),
    [
        (("STEPS, FINE_TUNING_RATE = 3, 0.01", "STEPS, FINE_TUNING_RATE = 3, 0.02"), "variables"),
        (("STEPS, FINE_TUNING_RATE = 3, 0.01", "STEPS, FINE_TUNING_RATE = 2, 0.01"), "steps"),
        (("session.run(shrink)", ""), "variables"),
        (("0.5 * weights", "0.6 * weights"), "variables"),
    ],
)
def test_another_update_is_seen(changed: Changed, replaced: tuple[str, str], rung: str) -> None:
    said = changed(PROGRAM, replaced)
    names = {"steps": "both train the same steps", "variables": "same variables and slots"}
    assert said.code == 1
    assert said.failed[0] in (names[rung], "same loss at every step")


def test_a_change_after_the_last_step_is_named(changed: Changed) -> None:
    said = changed(PROGRAM, ("session.run(shrink)", ""))
    assert said.failed == ["same variables and slots"]
    assert "only the original changes it after its last step (7)" in said.details(said.failed[0])


@pytest.mark.parametrize("way", ["eager", "function"])
def test_a_port_needs_no_optimizer(native: Native, way: str) -> None:
    said = native(PROGRAM, "by_hand_native.py", arguments=[way])
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("STEPS, FINE_TUNING_RATE = 3, 0.01", "STEPS, FINE_TUNING_RATE = 3, 0.02"),
        ("STEPS, FINE_TUNING_RATE = 3, 0.01", "STEPS, FINE_TUNING_RATE = 2, 0.01"),
        ("weights.assign(0.5 * weights)", ""),
    ],
)
def test_another_port_is_different(native: Native, before: str, after: str) -> None:
    said = native(PROGRAM, "by_hand_native.py", (before, after), arguments=["function"])
    assert said.code == 1
