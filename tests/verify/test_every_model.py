"""Every model that a program trains is compared, through the whole command."""

from __future__ import annotations

import pytest
from changed_program import Changed

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM = "two_models.py"


def test_the_same_program_is_the_same(changed: Changed) -> None:
    said = changed(PROGRAM)
    assert (said.code, said.failed) == (0, [])
    assert "model 2 of 2 (hidden, top)" not in said.details("same loss at every step")


@pytest.mark.parametrize(
    ("replaced", "rung"),
    [
        (("0.05, 4, 5", "0.2, 4, 5"), "same variables and slots"),
        (("0.05, 4, 5", "0.05, 5, 5"), "same trainable variables"),
        (("0.05, 4, 5", "0.05, 4, 4"), "both train the same steps"),
        (("train(WIDTH, SECOND_RATE, SECOND_STEPS)", ""), "both train the same steps"),
    ],
)
def test_a_change_of_the_second_model_is_seen(
    changed: Changed, replaced: tuple[str, str], rung: str
) -> None:
    said = changed(PROGRAM, replaced)
    assert (said.code, said.failed) == (1, [rung])
    assert "model" in said.details(rung)
