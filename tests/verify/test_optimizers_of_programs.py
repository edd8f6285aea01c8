"""Optimizers that the migrated program writes itself, against those of TensorFlow 1.x."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
SMALL = ("two_layers.py", "two_layers_native.py")
ADAM = ("towers/split_global_batch", "tape_adam.py")
START, SLOTS = "same initial values, batch", "same variables and slots"

MOMENTUM_CLASS = """

class Momentum(keras.optimizers.Optimizer):
    def build(self, variables):
        if not self.built:
            super().build(variables)
            self.sums = [self.add_variable_from_reference(each, "sum") for each in variables]

    def update_step(self, gradient, variable, learning_rate):
        held = self.sums[self._get_variable_index(variable)]
        held.assign(0.9 * held + gradient)
        variable.assign_sub(learning_rate * held)


def dense("""
OWN_MOMENTUM = (
    ("\n\ndef dense(", MOMENTUM_CLASS),
    ("\noptimizer = keras.optimizers.SGD(RATE, momentum=0.9)", "\noptimizer = Momentum(RATE)"),
)
ADAM_CLASS = """

class OwnAdam(keras.optimizers.Optimizer):
    def build(self, variables):
        if not self.built:
            super().build(variables)
            self.moments = self.add_optimizer_variables(variables, ["m", "v"])

    def update_step(self, gradient, variable, learning_rate):
        number = self._get_variable_index(variable)
        m, v = self.moments[0][number], self.moments[1][number]
        count = keras.ops.cast(self.iterations + 1, "float32")
        rate = learning_rate * (1 - 0.999**count) ** 0.5 / (1 - 0.9**count)
        self.assign(m, 0.9 * m + 0.1 * gradient)
        self.assign(v, 0.999 * v + (1 - 0.999) * gradient**2)
        self.assign_sub(variable, rate * m / (v**0.5 + 1e-8))


def normal("""
OWN_ADAM = (
    ("\n\ndef normal(", ADAM_CLASS),
    ("keras.optimizers.Adam(0.02, epsilon=1e-8)", "OwnAdam(0.02)"),
)


@pytest.mark.parametrize("way", ["fit", "eager"])
def test_slots_of_the_programs_own_class(native: Native, way: str) -> None:
    said = native(*SMALL, *OWN_MOMENTUM, arguments=[way])
    assert (said.code, said.failed) == (0, [])
    assert said.rungs[START]["figure"].startswith("10 equal, 3 transferred")


def test_slots_on_two_replicas_and_powers_that_no_variable_has(native: Native) -> None:
    said = native(*ADAM, *OWN_ADAM)
    assert (said.code, said.failed) == (0, [])
    left_out = "variables beta1_power, beta2_power (the optimizer keeps no beta_1 and beta_2)"
    assert left_out in said.missing


@pytest.mark.parametrize(
    ("pair", "replaced"),
    one_in(
        2,
        [
            (SMALL, (*OWN_MOMENTUM, ("0.9 * held + g", "0.8 * held + g"))),
            (SMALL, (*OWN_MOMENTUM, ('each, "sum")', 'each, "sum", "ones")'))),
            (ADAM, (*OWN_ADAM, ("+ 1e-8)", "+ 1e-6)"))),
            (ADAM, (*OWN_ADAM, ("0.999 * v +", "0.99 * v +"))),
        ],
    ),
    ids=lambda value: value[-1][1] if isinstance(value[-1], tuple) else value[1],
)
def test_another_rule_is_found(
    native: Native, pair: tuple[str, str], replaced: tuple[tuple[str, str], ...]
) -> None:
    said = native(*pair, *replaced)
    assert said.code == 1
    assert said.failed[0] in (START, SLOTS)
