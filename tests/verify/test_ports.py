"""Ports as people write them, of another structure than their originals, and faults in them."""

from __future__ import annotations

import pytest
from changed_program import Changed
from long_tail import one_in
from native_program import Native

from tfmigrate_runtime.verify.recorder.pairing.variable_map import pairs

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
AUTOENCODER, TRAIN_STEP, PLATEAU = "autoencoder.py", "autoencoder_native.py", "plateau.py"
RESIDUAL, FIT, TAPE, WASSERSTEIN = (
    "residual.py",
    "residual_fit.py",
    "residual_tape.py",
    "wasserstein.py",
)
STEPS, START, LOSS, VARIABLES, RESULTS = (
    "both train the same steps",
    "same initial values, batch",
    "same loss at every step",
    "same variables and slots",
    "same calls and results",
)
WRONG = [
    (FIT, "L2(0.01)", "L2(0.02)", LOSS),
    (FIT, "momentum=0.9", "momentum=0.99", VARIABLES),
    (FIT, "Dropout(0.3)", "Dropout(0.35)", LOSS),
    (FIT, "epochs=4", "epochs=5", STEPS),
    (FIT, "[x, skip]", "[skip, skip, x]", LOSS),
    (FIT, "validation_data=(XV, YV)", "validation_data=(X[:24], Y[:24])", RESULTS),
    (TAPE, "from_logits=True", "from_logits=False", LOSS),
    (TAPE, "total_loss(x, y, True)", "total_loss(x, y, False)", LOSS),
    (TAPE, ".batch(20)", ".batch(20, drop_remainder=True)", STEPS),
]
WRONG_CRITICS = [
    ("reduce_mean(on_fake) - ", "reduce_mean(tf.stop_gradient(on_fake)) - ", VARIABLES),
    ("N_CRITIC, BATCH = 3", "N_CRITIC, BATCH = 2", STEPS),
    (", 1) + 1e-8)", ") + 1e-8)", LOSS),
    ("training: False}", "training: True}", RESULTS),
]


@pytest.mark.parametrize("port", [FIT, TAPE])
def test_masks_of_a_condition_and_layers_in_another_order_are_paired(
    native: Native, port: str
) -> None:
    said = native(RESIDUAL, port)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(("port", "old", "new", "rung"), one_in(9, WRONG))
def test_a_fault_in_a_port_is_found(
    native: Native, port: str, old: str, new: str, rung: str
) -> None:
    said = native(RESIDUAL, port, (old, new))
    assert (said.code, said.failed) == (1, [rung])


def test_a_loss_that_no_gradient_needs_is_read_before_the_update(changed: Changed) -> None:
    said = changed(
        WASSERSTEIN, ("g_loss = -tf.reduce_mean(on_fake)", "g_loss = -tf.reduce_mean(1 * on_fake)")
    )
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(("old", "new", "rung"), one_in(4, WRONG_CRITICS))
def test_a_wrong_critic_is_found(changed: Changed, old: str, new: str, rung: str) -> None:
    said = changed(WASSERSTEIN, (old, new))
    assert (said.code, said.failed) == (1, [rung])


def test_a_rate_that_is_assigned_needs_no_variable_of_keras(native: Native) -> None:
    said = native(AUTOENCODER, TRAIN_STEP)
    assert (said.code, said.failed) == (0, [])
    assert "variable rate (a number that only the program assigns" in said.missing


def test_a_rate_that_is_not_assigned_is_found_by_its_effect(native: Native) -> None:
    said = native(AUTOENCODER, TRAIN_STEP, ("(1 + epoch)", "(1 + epoch // 2)"))
    assert (said.code, said.failed) == (1, [VARIABLES])


@pytest.mark.parametrize(
    ("old", "new", "code"), [("< 0.1:", "< 0.1:", 0), ('"every": 3', '"every": 4', 1)]
)
def test_what_hooks_assign_after_a_checkpoint_is_not_in_it(
    changed: Changed, old: str, new: str, code: int
) -> None:
    said = changed(
        PLATEAU,
        ("mean > self.best - 0.1:", "self.best - mean < 0.1:"),
        (old, new),
        arguments=("{out}",),
    )
    assert said.code == code


def test_a_kernel_without_a_bias_is_paired_with_another_without() -> None:
    original = [("a/kernel", (5, 4)), ("a/bias", (4,)), ("b/kernel", (5, 4))]
    native = [("x/kernel", (5, 4)), ("y/kernel", (5, 4)), ("y/bias", (4,))]
    found = {name: other for name, (other, _) in pairs(original, native).items()}
    assert found == {"a/kernel": "y/kernel", "a/bias": "y/bias", "b/kernel": "x/kernel"}


def test_variables_of_one_layer_are_paired_by_what_they_are() -> None:
    original = [("n/beta", (4,)), ("n/gamma", (4,)), ("f/kernel", (4, 2)), ("f/bias", (2,))]
    native = [("d/kernel", (4, 2)), ("d/bias", (2,)), ("m/gamma", (4,)), ("m/beta", (4,))]
    found = {name: other for name, (other, _) in pairs(original, native).items()}
    assert (found["n/beta"], found["n/gamma"]) == ("m/beta", "m/gamma")
