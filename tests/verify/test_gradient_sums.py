"""Programs that add up the gradients of several runs before a step, and steps with own losses."""

from __future__ import annotations

import pytest
from changed_program import Changed
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, NATIVE = "gradient_sums.py", "gradient_sums_native.py"
START, LOSS, VARIABLES = (
    "same initial values, batch",
    "same loss at every step",
    "same variables and slots",
)
WRONG = [
    ("range(N)", "range(N - 1)", START, "The first batch has 24 rows instead of 32"),
    ("        sess.run(zero)\n", "", VARIABLES, "Variables first differ at step 2"),
    ("{rate: 0.1}", "{rate: 0.1 if big < 4 else 0.2}", VARIABLES, "2 times: the learning rate"),
    ("0.01 * tf.nn", "0.02 * tf.nn", LOSS, "at step 1"),
]
WRONG_NATIVE = [
    ("range(N)", "range(N - 1)", START, "The first batch has 24 rows instead of 32"),
    ("training=True", "training=False", LOSS, "at step 1"),
    ("momentum=0.8", "momentum=0.9", VARIABLES, "moving_mean"),
    ("0.8)", "0.9)", VARIABLES, "Variables first differ at step 1"),
]
# Keras adds them up itself, and counts batches.
OF_THE_OPTIMIZER = (
    ("0.1, momentum=0.9", "0.1, momentum=0.9, global_clipnorm=0.8, gradient_accumulation_steps=N"),
    (
        "        total = [t + g for t, g in zip(total, grads, strict=True)]",
        "        opt.apply_gradients(zip(grads, model.trainable_variables, strict=True))",
    ),
    ("    clipped, _ = tf.clip_by_global_norm([t / N for t in total], 0.8)\n", ""),
    ("    opt.apply_gradients(zip(clipped, model.trainable_variables, strict=True))\n", ""),
)


@pytest.mark.parametrize(("old", "new", "rung", "cause"), one_in(4, WRONG))
def test_a_wrong_sum_is_found(changed: Changed, old: str, new: str, rung: str, cause: str) -> None:
    said = changed(PROGRAM, (old, new))
    assert (said.code, said.failed) == (1, [rung])
    assert cause in said.details(rung)


def test_a_keras_program_needs_no_variables_for_the_sums(native: Native) -> None:
    said = native(PROGRAM, NATIVE)
    assert (said.code, said.failed) == (0, [])
    assert "variables Variable, Variable_1, Variable_2" in said.missing
    assert "(a sum of gradients between steps)" in said.missing


@pytest.mark.parametrize(("old", "new", "rung", "cause"), one_in(4, WRONG_NATIVE))
def test_a_wrong_keras_program_is_found(
    native: Native, old: str, new: str, rung: str, cause: str
) -> None:
    said = native(PROGRAM, NATIVE, (old, new))
    assert (said.code, said.failed) == (1, [rung])
    assert cause in said.details(rung)


def test_sums_that_the_optimizer_keeps(native: Native) -> None:
    """Nothing was recorded, and Keras reported that the data had ended."""
    said = native(PROGRAM, NATIVE, *OF_THE_OPTIMIZER)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "5 steps"


def test_sums_that_a_function_applies(native: Native) -> None:
    """It is built after the first batches, which have moved the averages: these were its start."""
    apply = "opt.apply_gradients(zip({}, model.trainable_variables, strict=True))\n"
    function = f"@tf.function\ndef apply(sums):\n    {apply.format('sums')}\n\n"
    said = native(
        PROGRAM,
        NATIVE,
        (f"    {apply.format('clipped')}", "    apply(clipped)\n"),
        ("for big in", f"{function}for big in"),
    )
    assert (said.code, said.failed, said.error) == (0, [], "")


def test_sums_of_fewer_batches_are_more_steps(native: Native) -> None:
    said = native(
        PROGRAM, NATIVE, *OF_THE_OPTIMIZER, ("accumulation_steps=N", "accumulation_steps=2")
    )
    assert (said.code, said.failed) == (1, ["both train the same steps"])
    assert said.rungs["both train the same steps"]["figure"] == "5 and 10 steps"
