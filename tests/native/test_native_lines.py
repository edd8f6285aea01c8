"""Layers, operations and initializers of Keras compute what TensorFlow 1.15 computed.

What it did is in recorded.npz, by scripts/record/record_native.py.
"""

from __future__ import annotations

from typing import Any

import keras
import native_cases as cases
import numpy as np
import pytest
import tensorflow as tf
from native_arrays import sketch
from native_harness import forward, initializer, largest_difference, recorded

# Single precision, with the kernels of another version and sums in another order.
TOLERANCE = 2e-5


def weights(tensor: Any) -> Any:
    """Returns what an output is multiplied by before its gradient is taken."""
    return tf.reshape(tf.cos(tf.cast(tf.range(tf.size(tensor)), tf.float32)), tf.shape(tensor))


def set_weights(model: keras.Model) -> None:
    for index, variable in enumerate(model.weights):
        name = variable.path.rpartition("/")[2]
        variable.assign(cases.starting_value(index, name, tuple(variable.shape)))


def computed(model: keras.Model, names: list[str], training: bool) -> dict[str, Any]:
    """Returns what the record has of one line and mode."""
    values = [tf.constant(cases.INPUTS[name]) for name in names]
    floats = [value for value in values if value.dtype == tf.float32]
    with tf.GradientTape() as tape:
        tape.watch(floats)
        outputs = tf.nest.flatten(model(values, training=training))
        total = [tf.reduce_sum(o * weights(o)) for o in outputs if o.dtype == tf.float32]
        total = tf.add_n(total) if total else tf.zeros([])
    gradients = [g for g in tape.gradient(total, floats) if g is not None]
    found = {"output": outputs, "gradient": gradients, "variable": model.weights}
    found["regularization"] = [tf.add_n(model.losses)] if model.losses else []
    return {
        f"{training}/{kind}/{index}": keras.ops.convert_to_numpy(tf.convert_to_tensor(array))
        for kind, arrays in found.items()
        for index, array in enumerate(arrays)
    }


@pytest.mark.parametrize("code", cases.forward())
def test_line(code: str) -> None:
    expected = recorded("forward", code)
    names = cases.names_of(code)
    inputs = [
        keras.Input(v.shape[1:], dtype="string" if v.dtype.kind == "U" else v.dtype.name)
        for v in (cases.INPUTS[n] for n in names)
    ]
    model = keras.Model(inputs, forward(code, names)(*inputs, training=None))
    if "initializer" not in code:
        set_weights(model)
    found: dict[str, Any] = {}
    for training in (True, False) if cases.follows_mode(code) else (False,):
        found.update(computed(model, names, training))
    assert set(found) == set(expected)
    for key, value in expected.items():
        assert (found[key].dtype.kind == "f") == (value.dtype.kind == "f"), key
        assert largest_difference(found[key], value) < TOLERANCE, key


# Quantiles of 60,000 numbers of different generators, in standard deviations.
TOLERANCE_OF_LAWS = 0.06


@pytest.mark.parametrize("code", cases.LAWS)
def test_initializer(code: str) -> None:
    keras.utils.set_random_seed(3)
    made = initializer(code)
    for name, expected in recorded("law", code).items():
        found = sketch(keras.ops.convert_to_numpy(made(cases.SHAPES[name], dtype="float32")))
        assert found[-1] == pytest.approx(expected[-1], abs=1e-3)  # orthogonal, or not
        difference = np.abs(found - expected)[:-1] / max(float(expected[1]), 1e-6)
        if difference.size and np.ptp(expected[2:-1]) > 6 * expected[1]:
            difference = np.delete(difference, (2, -1))  # the ends of a normal law are chance
        assert difference.max() < TOLERANCE_OF_LAWS


@pytest.mark.parametrize("code", cases.DROPOUT)
def test_dropout(code: str) -> None:
    expected = recorded("dropout", code)
    inputs = keras.Input([200])
    model = keras.Model(inputs, forward(code, ["x"])(inputs, training=None))
    for training in (True, False):
        found = keras.ops.convert_to_numpy(model(np.ones([300, 200]), training=training))
        assert np.unique(found) == pytest.approx(expected[f"{training}/values"])
        assert found.mean() == pytest.approx(expected[f"{training}/mean"], abs=0.02)
