"""Keras' LossScaleOptimizer, which makes its step within a branch, by an optimizer within it."""

from __future__ import annotations

import pytest
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
SMALL = ("two_layers.py", "two_layers_native.py")
# The scale is doubled every three steps.
SCALED = (
    "optimizer = keras.optimizers.SGD(RATE, momentum=0.9)\ndataset",
    "optimizer = keras.optimizers.LossScaleOptimizer(\n"
    "    keras.optimizers.SGD(RATE, momentum=0.9), initial_scale=64.0, dynamic_growth_steps=3\n"
    ")\ndataset",
)
LOSS = "loss = tf.reduce_mean(tf.square(model(features) - labels))"
PASSED = (LOSS, LOSS + "\n        loss = optimizer.scale_loss(loss)")


@pytest.mark.parametrize(
    ("way", "replaced"),
    [("fit", (SCALED,)), ("function", (SCALED, PASSED)), ("eager", (SCALED, PASSED))],
)
def test_a_scaled_loss_is_the_same(
    native: Native, way: str, replaced: tuple[tuple[str, str], ...]
) -> None:
    said = native(*SMALL, *replaced, arguments=[way])
    assert (said.code, said.failed) == (0, [])
    assert "times the original's loss" not in said.details("same loss at every step")


@pytest.mark.parametrize(
    ("replaced", "rung", "detail"),
    [
        ((SCALED,), "same loss at every step", "ratio 0.015625"),
        (
            (
                SCALED,
                PASSED,
                ("SGD(RATE, momentum=0.9), initial", "SGD(0.11, momentum=0.9), initial"),
            ),
            "same variables and slots",
            "1.1 times",
        ),
    ],
    ids=["loss that is not scaled", "rate"],
)
def test_other_steps_are_found(
    native: Native, replaced: tuple[tuple[str, str], ...], rung: str, detail: str
) -> None:
    said = native(*SMALL, *replaced, arguments=["function"])
    assert (said.code, said.failed) == (1, [rung])
    assert detail in said.details(rung)
