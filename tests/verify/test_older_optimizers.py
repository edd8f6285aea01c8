"""Optimizers of tf.train, and Keras' legacy ones, that GradientTapes and ``fit`` train with."""

from __future__ import annotations

import pytest
from long_tail import one_in
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
KERAS = ("import keras\n", "import tf_keras as keras\n")
LEGACY = ("keras.optimizers.SGD", "keras.optimizers.legacy.SGD")
MOMENTUM = (
    "keras.optimizers.SGD(RATE, momentum=0.9)\ndataset",
    "tf.compat.v1.train.MomentumOptimizer(RATE, 0.9)\ndataset",
)
ADAM = (
    "keras.optimizers.Adam(0.01, epsilon=1e-8)",
    "tf.compat.v1.train.AdamOptimizer(0.01)",
)
SMALL = ("two_layers.py", "two_layers_native.py")
TOWERS = ("rmsprop_towers.py", "rmsprop_towers_native.py")
BY_HAND = """    for weight, square, gradient in zip(weights, squares, gradients, strict=True):
        square.assign(0.9 * square + 0.1 * tf.square(gradient))
        weight.assign_sub(0.01 * gradient / tf.sqrt(square + 1e-6))
"""
SQUARES = "[tf.Variable(tf.ones_like(w), trainable=False, aggregation=MEAN) for w in weights]"
MADE = (
    f"squares = {SQUARES}",
    "optimizer = tf.compat.v1.train.RMSPropOptimizer(0.01, epsilon=1e-6)",
)


@pytest.mark.parametrize("way", one_in(2, ["fit", "eager, not built", "run eagerly", "function"]))
def test_momentum_of_the_legacy_keras(native: Native, way: str) -> None:
    build = ("    optimizer.build(model.trainable_variables)\n", "")
    said = native(*SMALL, KERAS, LEGACY, build, arguments=[way])
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize("way", one_in(2, ["eager, not built", "function"]))
def test_momentum_of_tf_train(native: Native, way: str) -> None:
    said = native(*SMALL, KERAS, MOMENTUM, arguments=[way])
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["same variables and slots"]["verdict"] == "same"


def test_a_rate_that_decays(native: Native) -> None:
    legacy = ("keras.optimizers.Adam", "keras.optimizers.legacy.Adam")
    said = native("dropped.py", "dropped_native.py", KERAS, legacy)
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize("way", one_in(2, ["turns", "tape"]))
def test_two_optimizers(native: Native, way: str) -> None:
    recorded = ["turns"] if way == "turns" else []
    momentum = (
        "keras.optimizers.SGD(0.1, momentum=0.9)",
        "tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)",
    )
    said = native(
        "phases.py", "phases_native.py", KERAS, momentum, ADAM, arguments=[way], recorded=recorded
    )
    assert (said.code, said.failed) == (0, [])


@pytest.mark.parametrize(("scale", "code"), [("2", 0), ("1", 1)])
def test_replicas_with_an_all_reduce(native: Native, scale: str, code: int) -> None:
    """apply_gradients of tf.train adds up what replicas pass to it."""
    pairs = f"[(g / {scale}, w) for g, w in zip(gradients, weights, strict=True)]"
    step = f"    optimizer.apply_gradients({pairs})\n"
    said = native(*TOWERS, MADE, (BY_HAND, step))
    assert said.code == code


@pytest.mark.parametrize(
    ("way", "replaced"),
    one_in(
        2,
        [
            ("function", ("0.9)\ndataset", "0.91)\ndataset")),
            ("eager, not built", ("tf.square(model", "2 * tf.square(model")),
        ],
    ),
)
def test_wrong_programs(native: Native, way: str, replaced: tuple[str, str]) -> None:
    assert native(*SMALL, KERAS, MOMENTUM, replaced, arguments=[way]).code == 1
