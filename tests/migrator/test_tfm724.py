"""TFM724: optimizers of standalone Keras and tf.contrib.keras keep the defaults that they had."""

from __future__ import annotations

import pytest
from support import found, migrated

V1 = "import tensorflow as tf\nfrom keras import optimizers\ntf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    "call",
    [
        "optimizers.SGD()",
        "optimizers.Adam(lr=0.1)",
        "optimizers.Adadelta(0.5)",
        "optimizers.Nadam(lr=0.1)",
        "optimizers.Adamax(**given)",
        "other.Adadelta()",
        "model.compile(optimizer='adam')",
        "model.compile(optimizer=optimizer)",
        "compile('adagrad')",
    ],
)
def test_what_is_the_same_stays(call: str) -> None:
    assert found(f"{V1}{call}\n", "TFM724") == []


def test_optimizers_of_tensorflow_stay() -> None:
    text = "import tensorflow as tf\ntf.placeholder(1)\ntf.keras.optimizers.Adadelta()\n"
    assert found(text, "TFM724") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Adadelta()", "Adadelta(learning_rate=1.0)"),
        ("Adadelta(rho=0.9)", "Adadelta(rho=0.9, learning_rate=1.0)"),
        ("Adamax()", "Adamax(learning_rate=0.002)"),
        ("Nadam()", "Nadam(learning_rate=0.002)"),
        ("Adagrad(lr=1.)", "Adagrad(lr=1., initial_accumulator_value=0.0)"),
        ("SGD(0.1, clipnorm=1.)", "SGD(0.1, global_clipnorm=1.)"),
        ("Adam(clipvalue=1.)", "Adam(clipvalue=1.)"),
        # tf.keras has nesterov, momentum, an accumulator and amsgrad at these positions.
        ("SGD(0.1, 0.9)", "SGD(0.1, 0.9)"),
        ("SGD(0.1, 0.9, 1e-6, True)", "SGD(0.1, 0.9, decay=1e-6, nesterov=True)"),
        ("RMSprop(0.1, 0.9, 1e-8)", "RMSprop(0.1, 0.9, epsilon=1e-8)"),
        ("Adagrad(1., 1e-8)", "Adagrad(1., epsilon=1e-8, initial_accumulator_value=0.0)"),
        ("Adam(1., .9, .99, 1e-8, 0.1)", "Adam(1., .9, .99, 1e-8, decay=0.1)"),
        ("Adadelta(1., .9, 1e-8)", "Adadelta(1., .9, 1e-8)"),
    ],
)
def test_defaults_and_clipping(before: str, after: str) -> None:
    new = migrated(f"{V1}optimizers.{before}\n")
    assert after in " ".join(new.replace("(\n", "(").split()).replace("( ", "(")


@pytest.mark.parametrize(
    "imported",
    [
        "import tensorflow.contrib.keras as keras\nfrom tensorflow.contrib.keras import optimizers",
        "from tensorflow.contrib.keras.api.keras import optimizers",
        "from tensorflow.contrib.keras.python.keras import optimizers",
        "optimizers = tf.contrib.keras.optimizers",
    ],
)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Adadelta()", "Adadelta(learning_rate=1.0)"),
        ("Adagrad(lr=1.)", "Adagrad(lr=1., initial_accumulator_value=0.0)"),
        ("Adagrad(clipnorm=1.)", "Adagrad(clipnorm=1., learning_rate=0.01, initial_accumulator_v"),
        ("SGD(0.1, clipnorm=1.)", "SGD(0.1, clipnorm=1.)"),  # of each gradient, as tf.keras
        ("RMSprop()", "RMSprop()"),
    ],
)
def test_optimizers_of_contrib_keras(imported: str, before: str, after: str) -> None:
    new = migrated(f"import tensorflow as tf\n{imported}\nx = optimizers.{before}\n")
    assert f"optimizers.{after}" in " ".join(new.replace("(\n", "(").split()).replace("( ", "(")
    assert "contrib" not in new


@pytest.mark.parametrize("call", ["compile(optimizer='adadelta')", "compile('adagrad', 'mse')"])
def test_optimizers_by_name_are_reported(call: str) -> None:
    (finding,) = found(f"{V1}model.{call}\n", "TFM724")
    assert finding.severity.value == "manual"
    assert "learning_rate=" in finding.action


def test_a_guard_that_the_import_has_not_keeps_nothing() -> None:
    text = f"{V1}try:\n    rate = optimizers.Adadelta()\nexcept AttributeError:\n    rate = None\n"
    assert "Adadelta(learning_rate=1.0)" in migrated(text)
