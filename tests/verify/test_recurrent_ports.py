"""Cells of TensorFlow 1.x against layers of Keras 3, which hold their variables otherwise."""

from __future__ import annotations

import pytest
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PAIR = ("recurrent.py", "recurrent_native.py")


def test_kernels_are_put_together_and_gates_ordered(native: Native) -> None:
    said = native(*PAIR)
    assert (said.code, said.failed) == (0, [])
    # All of Adam's slots, too: 9 variables, two slots of each, the powers and the step.
    assert said.rungs["same initial values, batch"]["figure"].startswith("25 equal, 5 transferred")
    assert said.rungs["same variables and slots"]["verdict"] == "same"


def test_gates_that_no_cell_has_are_refused(native: Native) -> None:
    said = native(*PAIR, ('"reset_after": False', '"reset_after": True'))
    assert said.code == 2
    assert "pass reset_after=False to its GRU" in said.error


@pytest.mark.parametrize(
    ("replaced", "rung"),
    [
        # The original adds 1 to what its forget gate gets.
        (("LSTM(UNITS, ", "LSTM(UNITS, unit_forget_bias=False, "), "same loss at every step"),
        (("epsilon=1e-8", "epsilon=1e-4"), "same variables and slots"),
        (("ones(2 * units", "zeros(2 * units"), "same initial values, batch"),
        # Of Keras: the input's kernel is another one than the state's, which is orthogonal.
        ((", **recurrent(3)", ""), "same initial values, batch"),
    ],
    ids=["forget gate", "epsilon", "open gates", "initial values"],
)
def test_what_differs_is_found(native: Native, replaced: tuple[str, str], rung: str) -> None:
    said = native(*PAIR, replaced)
    assert (said.code, said.failed) == (1, [rung])
