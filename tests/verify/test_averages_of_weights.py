"""Moving averages of weights: TensorFlow 1.x's, and those that an optimizer of Keras keeps."""

from __future__ import annotations

import pytest
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PAIR = ("averaged_weights.py", "averaged_weights_native.py")
BY_KERAS = (
    ("epsilon=1e-8", "epsilon=1e-8, use_ema=True, ema_momentum=0.9"),
    ("    average.apply([weights])\n", ""),
)


def test_averages_of_tensorflow_are_compared(native: Native) -> None:
    said = native(*PAIR)
    assert (said.code, said.failed) == (0, [])
    wrong = native(*PAIR, ("Average(0.9)", "Average(0.91)"))
    assert (wrong.code, wrong.failed) == (1, ["same variables and slots"])


def test_averages_of_keras_start_from_zeros(native: Native) -> None:
    """Its first update takes the variable itself, whatever the average was."""
    said = native(*PAIR, *BY_KERAS)
    rung = "same initial values, batch"
    assert (said.code, said.failed) == (1, [rung])
    detail = said.details(rung)
    assert detail.startswith("weights/ExponentialMovingAverage starts from random numbers")
    assert detail.endswith("in the original, from the constant 0 in the migrated program.")
