"""The optimizers of tf.contrib.keras, whose numbers and slots TensorFlow 1.x makes trainable."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM = "keras_1_optimizers.py"
# How tfmigrate changes it.
MIGRATED = (
    (
        "import numpy as np",
        'import os; os.environ["TF_USE_LEGACY_KERAS"] = "1"\nimport numpy as np',
    ),
    ("import tensorflow as tf", "import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()"),
    ("tf.contrib.keras", "tf.keras"),
)
START, SLOTS = "same initial values, batch", "same variables and slots"


def test_their_variables_are_those_of_tf_keras(native: Native) -> None:
    """Of Adam these are 5 numbers and 12 slots; TensorFlow 1.15 calls the slots Variable_3."""
    said = native(PROGRAM, PROGRAM, *MIGRATED)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "4 steps, 4 further models"


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        3,
        [
            (("0.02, amsgrad", "0.02, beta_2=0.99, amsgrad"), START),
            (("RMSprop(lr=0.01)", "RMSprop(lr=0.01, rho=0.8)"), START),
            (("Adadelta(lr=1.0", "Adadelta(lr=1.0, rho=0.9"), SLOTS),
        ],
    ),
    ids=lambda value: value[0][:7] if isinstance(value, tuple) else "",
)
def test_other_numbers_are_found(native: Native, replaced: tuple[str, str], rung: str) -> None:
    said = native(PROGRAM, PROGRAM, *MIGRATED, replaced)
    assert (said.code, said.failed) == (1, [rung])
