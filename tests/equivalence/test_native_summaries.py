"""Event files of Keras programs have the tags of TensorFlow 1.15."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.targets import TARGETS
from tfmigrate_runtime.verify.running.surroundings import environment

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
  logits = tf.layers.dense(features['x'], 3)
  loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
  accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
  rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 10, 0.9)
  with tf.name_scope('adam'):
    tf.summary.scalar('learning_rate', rate)
  tf.summary.scalar('train_accuracy', accuracy[1])
  tf.summary.scalar('cross_entropy', loss)
  train_op = tf.train.AdamOptimizer(rate).minimize(
      loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(
      mode, loss=loss, train_op=train_op, eval_metric_ops={'accuracy': accuracy})


def input_fn():
  random = np.random.RandomState(0)
  x = random.normal(size=[64, 4]).astype(np.float32)
  y = random.randint(0, 3, [64]).astype(np.int32)
  return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).repeat().batch(32)


estimator = tf.estimator.Estimator(model_fn, sys.argv[1])
estimator.train(input_fn, steps=240)
estimator.evaluate(input_fn, steps=2)
estimator.evaluate(input_fn, steps=2, name='test')
"""
# What TensorFlow 1.15.5 writes for this program, but for the file of a checkpoint, a text.
TAGS = {
    "": {"adam/learning_rate", "train_accuracy", "cross_entropy", "loss", "global_step/sec"},
    "eval": {"accuracy", "loss"},
    "eval_test": {"accuracy", "loss"},
}
Scalars = dict[str, dict[str, dict[int, float]]]


def scalars_in(folder: Path) -> Scalars:
    """Returns the numbers in event files, by folder, tag and step."""
    import tensorflow as tf
    from tensorflow.core.util.event_pb2 import Event

    found: Scalars = defaultdict(lambda: defaultdict(dict))
    for path in folder.rglob("*tfevents*"):
        place = path.parent.relative_to(folder).as_posix()
        for record in tf.data.TFRecordDataset(str(path)):
            event = Event.FromString(record.numpy())
            for value in event.summary.value:
                new = value.HasField("tensor") and value.metadata.plugin_data.plugin_name
                if new == "scalars" or value.HasField("simple_value"):
                    number = tf.make_ndarray(value.tensor) if new else value.simple_value
                    found["" if place == "." else place][value.tag][event.step] = float(number)
    return found


def tags_of(found: Scalars) -> dict[str, set[str]]:
    return {folder: set(tags) for folder, tags in found.items()}


def test_scalars_have_the_tags_of_tensorflow_1_15(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    source = decode_source(read_bytes(program), program, program.name)
    result = migrate([source], Options(target=TARGETS["keras"]))
    program.write_text(result.texts[program])
    command = [sys.executable, str(program), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = scalars_in(tmp_path / "out")
    assert tags_of(found) == TAGS
    training = found[""]
    assert list(training["loss"]) == [20, 120, 220]
    assert list(training["global_step/sec"]) == [120, 220]
    assert training["loss"] == training["cross_entropy"]
    assert training["loss"][220] < training["loss"][20]
    for step, rate in training["adam/learning_rate"].items():
        assert rate == pytest.approx(0.1 * 0.9 ** (step / 10), rel=1e-5)  # of float32
    assert list(found["eval"]["loss"]) == [240]
    # The loss still falls, and its last mean is of earlier steps.
    assert found["eval"]["loss"][240] == pytest.approx(training["loss"][220], abs=0.05)
    assert np.isfinite(training["train_accuracy"][120])


def test_the_tags_are_those_of_the_original(tmp_path: Path, reference_python: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [reference_python, str(program), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment())
    assert done.returncode == 0, done.stderr
    assert tags_of(scalars_in(tmp_path / "out")) == TAGS
