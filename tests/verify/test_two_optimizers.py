"""Programs without sessions whose optimizers take turns: a generator and its critic."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PAIR = ("adversarial.py", "adversarial_native.py")
TRAIN = "    train_critic(real, z)\n    train_generator(z)\n"
SWAPPED = "    train_generator(z)\n    train_critic(real, z)\n"


@pytest.mark.parametrize("way", one_in(2, ["functions", "built functions", "one", "built eager"]))
def test_their_steps_are_those_of_one_model(native: Native, way: str) -> None:
    said = native(*PAIR, arguments=way.split())
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("before", "after"),
    one_in(
        5,
        [
            (TRAIN, SWAPPED),
            ("Adam(2e-3, 0.5", "Adam(2e-3, 0.6"),
            ("rho=0.9", "rho=0.91"),
            ("SMOOTH = 12, 0.9", "SMOOTH = 12, 1.0"),
            ("Dropout(0.2)", "Dropout(0.25)"),
            ("training=True), 1.0)", "training=True), SMOOTH)"),
            (TRAIN, TRAIN + "    train_generator(z)\n"),
            ("cross_entropy(of_fake, 0.0)", "cross_entropy(of_fake, 0.1)"),
            ("epsilon=1e-7)\nof_generator", "epsilon=1e-6)\nof_generator"),
        ],
    ),
)
def test_another_step_of_either_is_found(native: Native, before: str, after: str) -> None:
    assert native(*PAIR, (before, after), arguments=["one"]).code == 1


TOGETHER = ["together"]


def test_steps_that_one_run_makes_are_one(native: Native) -> None:
    said = native(*PAIR, arguments=TOGETHER, recorded=TOGETHER)
    assert (said.code, said.failed, said.error) == (0, [], "")


@pytest.mark.parametrize(
    ("way", "before", "after"),
    one_in(
        3,
        [
            ("together", "rho=0.9", "rho=0.91"),
            ("together", "g_loss = cross_entropy(of_fake, 1.0)", "g_loss = 0.9 * d_loss"),
            ("together", "SMOOTH = 12, 0.9", "SMOOTH = 12, 0.91"),
            # In turn: the generator sees the critic's new variables.
            ("one", "", ""),
        ],
    ),
)
def test_another_step_of_one_run_is_found(
    native: Native, way: str, before: str, after: str
) -> None:
    assert native(*PAIR, (before, after), arguments=[way], recorded=TOGETHER).code == 1


def test_momentum_of_keras_is_refused(native: Native) -> None:
    momentum = ("optimizers.Adam(2e-3, 0.5, epsilon=1e-7)", "optimizers.SGD(2e-3, 0.5)")
    said = native(*PAIR, momentum, arguments=["one"])
    assert said.code == 2
    assert "one of which is Keras' SGD with momentum" in said.error
