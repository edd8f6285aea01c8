"""A GAN of tf.keras 1.x, whose second optimizer gets its slots after the first one's steps."""

from __future__ import annotations

import pytest
from native_program import Native

PROGRAM, NATIVE = "keras_gan.py", "keras_gan_native.py"

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_slots_that_are_added_later_are_compared(native: Native) -> None:
    said = native(PROGRAM, NATIVE)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["same initial values, batch"]["figure"].startswith("29 equal")


@pytest.mark.parametrize(
    "change",
    [
        ("discriminator.trainable = True", "discriminator.trainable = False"),
        ("discriminator.trainable = False", "pass"),
        ("Adam(0.004, 0.5)", "Adam(0.004, 0.6)"),
    ],
    ids=["frozen", "trained twice", "slots"],
)
def test_wrong_ports(native: Native, change: tuple[str, str]) -> None:
    assert native(PROGRAM, NATIVE, change).code == 1
