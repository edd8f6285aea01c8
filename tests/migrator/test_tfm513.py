"""TFM513: the argument lr of a Keras optimizer is called learning_rate."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

CODE = "TFM513"
HEAD = "import tensorflow as tf\n\n"


@pytest.mark.parametrize(
    "line",
    [
        "o = tf.keras.optimizers.Adam(learning_rate=0.1)",
        "o = tf.keras.optimizers.Adam(0.1)",
        "o = tf.keras.optimizers.Adam(**settings)",
        "o = tf.keras.optimizers.Adam(lr=0.1, **settings)",
        "o = tf.keras.optimizers.schedules.PolynomialDecay(lr=0.1)",
        "o = tf.keras.optimizers.Adam(epsilon=1e-8)",
        "o = tf.keras.optimizers.Adam(epsilon=None, **settings)",
        "tf.keras.backend.set_epsilon(1e-5)\no = tf.keras.optimizers.Adam(epsilon=None)",
        "l = tf.keras.layers.BatchNormalization(epsilon=None)",
        "o = make(lr=0.1)",
        "lr = tf.keras.optimizers.Adam",
    ],
)
def test_nothing_to_rename(line: str) -> None:
    assert found(f"{HEAD}{line}\n", CODE) == []
    check_unchanged(f"{HEAD}{line}\n")


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("Adam(lr=0.1)", "Adam(learning_rate=0.1)"),
        ("SGD(lr=lr, momentum=0.9)", "SGD(learning_rate=lr, momentum=0.9)"),
        ("SGD(momentum=0.9, lr=1e-3 * n)", "SGD(momentum=0.9, learning_rate=1e-3 * n)"),
        ("RMSprop(lr=tf.constant(0.1))", "RMSprop(learning_rate=tf.constant(0.1))"),
        ("Adam(lr=0.1, epsilon=None)", "Adam(learning_rate=0.1)"),
        ("Nadam(0.1, epsilon=None, beta_1=0.8)", "Nadam(0.1, beta_1=0.8)"),
    ],
)
def test_the_arguments_of_keras_3(line: str, after: str) -> None:
    text = f"{HEAD}o = tf.keras.optimizers.{line}\n"
    assert migrated(text) == f"{HEAD}o = tf.keras.optimizers.{after}\n"


def test_an_imported_optimizer_is_one_too() -> None:
    text = "from tensorflow.keras.optimizers import Adam\n\no = Adam(lr=0.1)\n"
    assert migrated(text) == text.replace("lr=", "learning_rate=")


def test_the_second_name_beside_the_new_one_is_left_to_python() -> None:
    text = 'import os\n\nos.environ["TF_USE_LEGACY_KERAS"] = "1"\n' + HEAD
    assert found(text + "o = tf.keras.optimizers.Adam(lr=0.1)\n", CODE) == []
