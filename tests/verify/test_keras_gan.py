"""Models of tf.keras 1.x that are trained in turn, as a GAN's.

The second one gets its slots after the first one's steps.
"""

from __future__ import annotations

import pytest
from native_program import Native

PROGRAM, NATIVE = "keras_gan.py", "keras_gan_native.py"

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_slots_that_are_added_later_are_compared(native: Native) -> None:
    """Before the first step, the generator predicts with the original's values."""
    said = native(PROGRAM, NATIVE)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["same initial values, batch"]["figure"].startswith("25 equal, 4 transferred")


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


def test_models_that_share_an_optimizer(native: Native) -> None:
    said = native("keras_shared.py", "keras_shared_native.py")
    assert (said.code, said.failed) == (0, [])


def test_an_optimizer_for_each_of_them_counts_less(native: Native) -> None:
    """Adam corrects its averages by the number of steps, which both models' steps count."""
    second = 'second.compile(loss="mse", optimizer='
    change = f"{second}shared)\nshared.build(", f"{second}optimizers.Adam(0.01))\nlist("
    assert native("keras_shared.py", "keras_shared_native.py", change).code == 1
