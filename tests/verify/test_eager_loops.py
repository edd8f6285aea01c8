"""Programs of TensorFlow 1.x that train eagerly, compared with a trace of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM = "eager_loop.py"
# How tfmigrate changes a file of TensorFlow 1.x.
LEGACY = (
    (
        "import numpy as np",
        'import os; os.environ["TF_USE_LEGACY_KERAS"] = "1"\nimport numpy as np',
    ),
    ("import tensorflow as tf", "import tensorflow.compat.v1 as tf"),
)
FUNCTIONS, FIT = "eager_functions.py", "eager_fit.py"
LOSS, SLOTS = "same loss at every step", "same variables and slots"


def test_the_same_loop_on_tensorflow_2_is_the_same(native: Native) -> None:
    """With equal masks: both draw by the same operations. Rounding alone is 1e-5 of an update."""
    said = native(PROGRAM, PROGRAM, *LEGACY)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "24 steps"
    assert said.rungs["same trainable variables"]["figure"] == "7 (87 parameters)"


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        5,
        [
            (("AdamOptimizer(0.01)", "AdamOptimizer(0.0101)"), SLOTS),
            (("(0.1, 0.9)", "(0.1, 0.8)"), SLOTS),
            (("net(x, training=True)", "net(x)"), LOSS),
            (("Dropout(0.3)", "Dropout(0.2)"), LOSS),
            (("BatchNormalization()", "BatchNormalization(momentum=0.9)"), SLOTS),
            (("repeat(3)", "repeat(2)"), "both train the same steps"),
        ],
    ),
)
def test_a_wrong_loop_is_found(native: Native, replaced: tuple[str, str], rung: str) -> None:
    said = native(PROGRAM, PROGRAM, *LEGACY, replaced)
    assert (said.code, said.failed) == (1, [rung])


def test_steps_in_functions_are_the_same(native: Native) -> None:
    """Two optimizers, layers that a function builds, an unseeded shuffle in three epochs."""
    said = native(FUNCTIONS, FUNCTIONS, *LEGACY)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "24 steps"


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        3,
        [
            (("Adam(0.01)", "Adam(0.0101)"), "same initial values, batch"),  # a variable of Keras
            (("MomentumOptimizer(0.1, 0.9)", "MomentumOptimizer(0.1, 0.8)"), SLOTS),
            (("Dropout(0.3)", "Dropout(0.2)"), LOSS),
            # It is traced twice, and the second trace is what runs; its Python runs at each step.
            (("    @tf.function\n", ""), LOSS),
            (("shuffle(64)", "shuffle(32)"), LOSS),
        ],
    ),
)
def test_a_wrong_step_in_a_function_is_found(
    native: Native, replaced: tuple[str, str], rung: str
) -> None:
    said = native(FUNCTIONS, FUNCTIONS, *LEGACY, replaced)
    assert (said.code, said.failed) == (1, [rung])


def test_fit_is_the_same(native: Native) -> None:
    """With validation and evaluation; which variables their metrics have depends on the version."""
    said = native(FIT, FIT, *LEGACY)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["same calls and results"]["figure"].startswith("7 calls")


@pytest.mark.parametrize(
    ("replaced", "rung"),
    [
        (("AdamOptimizer(0.01)", "AdamOptimizer(0.011)"), SLOTS),
        (("(rows[:20], sums[:20])", "(rows[:30], sums[:30])"), "same calls and results"),
    ],
)
def test_a_wrong_fit_is_found(native: Native, replaced: tuple[str, str], rung: str) -> None:
    said = native(FIT, FIT, *LEGACY, replaced)
    assert (said.code, said.failed) == (1, [rung])


PORT = (
    # Other tests may have asked for the legacy Keras in this process.
    (
        "import numpy as np",
        'import os; os.environ["TF_USE_LEGACY_KERAS"] = "0"\nimport numpy as np',
    ),
    ("tf.enable_eager_execution()\n", ""),
    ("tf.train.AdamOptimizer(0.01)", "tf.keras.optimizers.Adam(0.01, epsilon=1e-8)"),
)


def test_a_port_to_keras_3_is_the_same(native: Native) -> None:
    """It is given the masks of dropout that the eager original drew."""
    said = native(FIT, FIT, *PORT)
    assert (said.code, said.failed) == (0, [])


def test_a_wrong_port_to_keras_3_is_found(native: Native) -> None:
    said = native(FIT, FIT, *PORT, ("Dropout(0.3)", "Dropout(0.25)"))
    assert (said.code, said.failed) == (1, [LOSS])
