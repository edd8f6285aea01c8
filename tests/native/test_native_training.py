"""Schedules, optimizers, losses and metrics of Keras compute what TensorFlow 1.15 computed.

What it did is in recorded.npz, by scripts/record/record_native.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import native_training_cases as cases
import numpy as np
import pytest
import tensorflow as tf
from native_harness import (
    largest_difference,
    loss,
    metric,
    optimized_loss,
    optimizer,
    recorded,
    schedule,
)

import tfmigrate_keras
from tfmigrate.model.refusals import Refusal

DATA = Path(tfmigrate_keras.__file__).parent / "data" / "written_out"

# Single precision, with the kernels of another version and sums in another order.
TOLERANCE = 1e-6
# Adam's beta is raised to the power of the step here, and multiplied step by step there.
TOLERANCE_OF_UPDATES = 2e-6


@pytest.mark.parametrize("code", cases.SCHEDULES)
def test_schedule(code: str) -> None:
    made = schedule(code)
    rates = [float(made(step)) for step in range(cases.STEPS)]
    assert largest_difference(rates, recorded("schedule", code)["rates"]) < TOLERANCE


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("code", cases.OPTIMIZERS)
def test_optimizer(code: str, kind: str) -> None:
    try:
        made = optimizer(code, dense=kind == "sparse")
    except Refusal:
        assert (kind, code.partition("(")[0]) in cases.REFUSED
        return
    variable = keras.Variable(cases.gradient(99))
    made.build([variable])
    for step in range(cases.UPDATES):
        if kind == "dense":
            given = tf.constant(cases.gradient(step))
        else:
            values, rows = cases.sparse_gradient(step)
            given = tf.IndexedSlices(tf.constant(values), tf.constant(rows), tf.constant([5, 3]))
        made.apply([given], [variable])
        if step % 10 == 9:
            found = keras.ops.convert_to_numpy(variable)
            expected = recorded("optimizer", code)[f"{kind}/{step}"]
            assert largest_difference(found, expected) < TOLERANCE_OF_UPDATES, step


@pytest.mark.parametrize("code", cases.OPTIMIZED_LOSSES)
def test_optimized_loss(code: str) -> None:
    made = optimized_loss(code)
    variable = keras.Variable(cases.gradient(99))
    for step in range(cases.UPDATES):
        made.apply([tf.constant(cases.gradient(step))], [variable])
        if step % 10 == 9:
            found = keras.ops.convert_to_numpy(variable)
            expected = recorded("optimized_loss", code)[str(step)]
            assert largest_difference(found, expected) < TOLERANCE_OF_UPDATES, step


@pytest.mark.parametrize("code", cases.LOSSES)
def test_loss(code: str) -> None:
    expected = recorded("loss", code)
    made = loss(code)
    kind = cases.LOSSES[code]
    for number, size in enumerate(cases.BATCHES[1:]):
        output = tf.constant(cases.OUTPUTS[kind](size))
        with tf.GradientTape() as tape:
            tape.watch(output)
            value = made(tf.constant(cases.LABELS[kind](size)), output)
        gradient = tape.gradient(value, output)
        assert largest_difference(value, expected[f"loss/{number}"]) < TOLERANCE
        assert largest_difference(gradient, expected[f"gradient/{number}"]) < TOLERANCE


@pytest.mark.parametrize("code", cases.METRICS)
def test_metric(code: str) -> None:
    kind = cases.METRICS[code]
    made = metric(code, sparse=kind == "classes")
    for shift, size in enumerate(cases.BATCHES):
        output = np.roll(cases.OUTPUTS[kind](size), shift, 0)
        made.update_state(tf.constant(cases.LABELS[kind](size)), tf.constant(output))
    assert largest_difference(made.result(), recorded("metric", code)["value"]) < TOLERANCE


@pytest.mark.parametrize("code", ["tf.argmax(labels)", "tf.argmax(labels, 0)"])
def test_the_greatest_row_of_labels_is_no_class(code: str) -> None:
    made = metric(f"tf.metrics.accuracy({code}, tf.argmax(output, 1))", sparse=False)
    assert not isinstance(made, keras.metrics.CategoricalAccuracy)


def test_a_dataset_that_shuffles_alike_whenever_it_is_read() -> None:
    text = (DATA / "same_each_time.py.txt").read_text("utf-8")
    defined: dict[str, Any] = {"tf": tf}
    exec(text, defined)
    tf.random.set_seed(None)  # other tests set one

    def numbers() -> tf.data.Dataset:
        return tf.data.Dataset.range(30).shuffle(30, seed=5).repeat(2)

    with tf.Graph().as_default():
        iterator = tf.compat.v1.data.make_one_shot_iterator(numbers())
        number = iterator.get_next()
        with tf.compat.v1.Session() as session:
            expected = [session.run(number) for _ in range(60)]
    dataset = defined["same_each_time"](numbers)
    for _ in range(2):
        assert [*dataset.as_numpy_iterator()] == expected


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_gradients_are_clipped_alike(size: float) -> None:
    given = [tf.constant(cases.gradient(step)) * size for step in range(3)]
    expected = {
        "global_clipnorm": tf.clip_by_global_norm(given, 2.0)[0],
        "clipnorm": [tf.clip_by_norm(one, 2.0) for one in given],
        "clipvalue": [tf.clip_by_value(one, -2.0, 2.0) for one in given],
    }
    for parameter, clipped in expected.items():
        variables = [keras.Variable(keras.ops.zeros_like(one)) for one in given]
        keras.optimizers.SGD(1.0, **{parameter: 2.0}).apply(given, variables)
        for variable, value in zip(variables, clipped, strict=True):
            assert largest_difference(-variable, value) < TOLERANCE
