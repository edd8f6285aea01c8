"""TFM711: examples that are shuffled from a seed and repeated."""

from __future__ import annotations

import pytest
from support import found, migrated

PROGRAM = "import tensorflow as tf\nx = tf.estimator.Estimator(f)\nd = tf.data.Dataset.range(9)\n"


@pytest.mark.parametrize(
    "text",
    [
        "d = d.shuffle(9, seed=1).repeat(2)",
        "d = d.shuffle(9, FLAGS.seed).repeat()",
        "d = d.shuffle(9, seed=s, reshuffle_each_iteration=True).repeat().batch(3)",
        "d = d.shuffle(9, 7)\nd = d.repeat()",
        "d = d.shuffle(9, 7)\nprint(d)\ne = d.repeat()",
        "d = d.apply(tf.data.experimental.shuffle_and_repeat(9, 2, 3))",
        "d = d.apply(tf.contrib.data.shuffle_and_repeat(9, seed=3))",
    ],
)
def test_seeds_are_told_and_hold_nothing_back(text: str) -> None:
    told = found(f"{PROGRAM}{text}\n", "TFM711")
    assert [(f.line, f.severity.value) for f in told] == [(4, "manual")]
    assert "estimator.Estimator" in migrated(f"{PROGRAM}{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "d = d.shuffle(9).repeat(2)  # seed",
        "d = d.shuffle(9, seed=None).repeat(2)",
        "d = d.shuffle(9, seed=1, reshuffle_each_iteration=False).repeat(2)",
        "d = d.shuffle(9, seed=1).batch(3).repeat(2)",
        "d = d.shuffle(1, seed=1).repeat(2)",
        "d = d.repeat(2).shuffle(9, seed=1)",
        "d = d.shuffle(9, seed=1)\nd = d.map(g)\nd = d.repeat()",
        "d = d.shuffle(9, seed=1)\nfor d in ds:\n  pass\nd.repeat()",
        "d = d.shuffle(9, seed=1)\nif a:\n  e = d.repeat()",
        "d = d.apply(tf.data.experimental.shuffle_and_repeat(9, 2))",
        "d = numpy.repeat(random.shuffle(d, seed), 3)",
    ],
)
def test_orders_that_are_the_same(text: str) -> None:
    assert found(f"{PROGRAM}{text}\n", "TFM711") == []


def test_files_of_no_program() -> None:
    text = "import tensorflow as tf\nd = tf.data.Dataset.range(9).shuffle(9, seed=1).repeat()\n"
    assert found(text, "TFM711") == []
