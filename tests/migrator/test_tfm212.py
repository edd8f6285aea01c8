"""TFM212: with --target estimator, the program splits its batches over the replicas itself."""

from __future__ import annotations

import pytest
from support import found, migrated

from tfmigrate.model.targets import ESTIMATOR, TARGETS

CODE = "TFM212"

TARGET = TARGETS[ESTIMATOR]
PROGRAM = """\
import tensorflow as tf
from model import model_fn, input_fn

optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
classifier = tf.estimator.Estimator(model_fn=replicated_fn)
classifier.train(input_fn, steps=100)
"""


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM.replace("classifier.train(input_fn, steps=100)", "classifier.predict(input_fn)"),
        "import tensorflow as tf\n\nc = tf.estimator.Estimator(model_fn)\nc.train(input_fn)\n",
    ],
)
def test_nothing_to_split(text: str) -> None:
    assert found(text, CODE, target=TARGET) == []


def test_newer_targets_leave_it_to_the_runtime() -> None:
    assert found(PROGRAM, CODE) == []
    assert "split_batches" not in migrated(PROGRAM)


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("train(input_fn, steps=100)", "train(split_batches(input_fn), steps=100)"),
        ("train(input_fn=lambda: data())", "train(input_fn=split_batches(lambda: data()))"),
        ("evaluate(input_fn)", "evaluate(split_batches(input_fn))"),
    ],
)
def test_what_gives_batches_is_split(call: str, after: str) -> None:
    text = PROGRAM.replace("train(input_fn, steps=100)", call)
    new = migrated(text, target=TARGET)
    assert f"classifier.{after}\n" in new
    assert new.count("def split_batches(input_fn):") == 1
    assert "import inspect\n" in new
    assert [f.applied for f in found(text, CODE, target=TARGET)] == [True]


def test_several_places_share_one_function_and_one_finding() -> None:
    text = f"{PROGRAM}classifier.evaluate(input_fn)\nclassifier.predict(input_fn)\n"
    new = migrated(text, target=TARGET)
    assert new.count("def split_batches") == 1
    assert new.count("split_batches(input_fn)") == 3  # its definition among them
    assert "classifier.predict(input_fn)\n" in new
    (finding,) = found(text, CODE, target=TARGET)
    assert finding.message.endswith("(2 places)")
