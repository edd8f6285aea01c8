"""Losses of several outputs in validations, whose rows TensorFlow 1.x shuffles."""

from __future__ import annotations

import pytest
from native_program import Native

PROGRAM, NATIVE = "two_outputs.py", "two_outputs_native.py"

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_validations_have_the_batches_of_the_original(native: Native) -> None:
    """The losses of each output are means over batches, of which the last has fewer rows."""
    said = native(PROGRAM, NATIVE)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["same calls and results"]["figure"].startswith("5 calls")


@pytest.mark.parametrize(
    "change",
    [("x[32:], [", "x[32:], [1.1 * "), ("[1.0, 0.5]", "[1.0, 0.6]")],
    ids=["labels", "weights"],
)
def test_wrong_ports(native: Native, change: tuple[str, str]) -> None:
    assert native(PROGRAM, NATIVE, change).code == 1
