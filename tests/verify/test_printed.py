"""Evaluations that a program without sessions only prints, through the whole command."""

from __future__ import annotations

import pytest
from native_program import Native

from tfmigrate_runtime.verify.recorder.results.printed_numbers import unit_of

PAIR, RUNG = ("printed.py", "printed_native.py"), "same calls and results"


@pytest.mark.parametrize(
    ("number", "unit"), [("1.25", 0.01), ("3.", 1.0), ("-.5", 0.1), ("1.5e-4", 1e-5), ("2e3", 1e3)]
)
def test_the_unit_of_the_last_place(number: str, unit: float) -> None:
    assert unit_of(number) == pytest.approx(unit)


@pytest.mark.usefixtures("tensorflow_installed")
class TestOfTheCommand:
    """What is printed of training, which may have a regularizer in it, and times are left out."""

    def test_what_both_print_is_compared(self, native: Native) -> None:
        said = native(*PAIR)
        assert (said.code, said.failed, said.error) == (0, [], "")
        assert said.rungs[RUNG]["figure"] == "6 printed numbers"

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("for rows in held_out", "for rows in data[np.newaxis]"),
            ("for rows in held_out", "for rows in held_out[:1]"),
            ("outputs > 0.0", "outputs > 0.3"),
        ],
    )
    def test_another_evaluation_is_seen(self, native: Native, before: str, after: str) -> None:
        said = native(*PAIR, (before, after))
        assert (said.code, said.failed) == (1, [RUNG])
        assert "an evaluation, and the migrated program" in said.details(RUNG)

    def test_other_texts_are_not_compared(self, native: Native) -> None:
        said = native(*PAIR, ("validation loss", "held out:"), ("in held_out", "in held_out[:1]"))
        assert said.code == 0
        assert "6 session runs without training" in said.missing
