"""Summaries of sessions are written by training steps as TensorFlow 1.15.5 wrote them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.targets import TARGETS
from tfmigrate_runtime.verify.surroundings import environment

MEASURED = Path(__file__).with_name("session_summaries.json")  # by TensorFlow 1.15.5
PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf


def variable_summaries(var):
  with tf.name_scope('summaries'):
    mean = tf.reduce_mean(var)
    tf.summary.scalar('mean', mean)
    with tf.name_scope('stddev'):
      stddev = tf.sqrt(tf.reduce_mean(tf.square(var - mean)))
    tf.summary.scalar('stddev', stddev)
    tf.summary.scalar('max', tf.reduce_max(var))
    tf.summary.histogram('histogram', var)


x = tf.placeholder(tf.float32, [None, 4], name='x')
y = tf.placeholder(tf.float32, [None, 2], name='y')
with tf.name_scope('layer'):
  with tf.name_scope('weights'):
    w = tf.Variable(tf.zeros([4, 2]))
    variable_summaries(w)
  with tf.name_scope('biases'):
    b = tf.Variable(tf.zeros([2]), name='b')
    variable_summaries(b)
  logits = tf.matmul(x, w) + b
  tf.summary.histogram('logits', logits, family='outputs')
with tf.name_scope('loss'):
  loss = tf.reduce_mean(tf.square(logits - y))
tf.summary.scalar('loss', loss)
half_summary = tf.summary.scalar('Half of it', loss / 2)
tf.summary.image('input', tf.reshape(x, [-1, 2, 2, 1]), 1)
error = tf.reduce_sum(tf.abs(logits - y), name='error')
error_summary = tf.summary.scalar('error', error)
trained = tf.summary.merge([half_summary, error_summary])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as sess:
  merged = tf.summary.merge_all()
  writer = tf.summary.FileWriter(sys.argv[1] + '/train', sess.graph)
  test_writer = tf.summary.FileWriter(sys.argv[1] + '/test', flush_secs=10)
  sess.run(tf.global_variables_initializer())
  features = np.arange(12, dtype=np.float32).reshape([3, 4]) / 12
  labels = np.ones([3, 2])
  for i in range(4):
    # TensorFlow 1.x reads variables before or after the update: none of them here.
    summary, _, value = sess.run([trained, train, loss], feed_dict={x: features, y: labels})
    writer.add_summary(summary, i)
    own = tf.Summary(value=[tf.Summary.Value(tag='own', simple_value=value)])
    own_list = tf.Summary()
    own_list.value.add(tag='twice', simple_value=2 * value)
    own_list.value.add(tag='i', simple_value=i)
    writer.add_summary(own, i)
    writer.add_summary(own_list, i)
    if i % 2 == 0:
      summary, value = sess.run([merged, loss], feed_dict={x: features, y: labels})
      test_writer.add_summary(summary, i)
      print('%d %.3f' % (i, value))
  test_writer.add_summary(sess.run(error_summary, {x: features, y: labels}), global_step=9)
  writer.add_graph(sess.graph)
  writer.flush()
  test_writer.close()
"""
HISTOGRAM = ("min", "max", "num", "sum", "sum_squares", "bucket_limit", "bucket")
Events = list[list[Any]]


def events_in(folder: Path) -> Events:
    """Returns what event files hold: folders, steps, tags, and values or lists of them."""
    import tensorflow as tf
    from tensorflow.core.util.event_pb2 import Event

    found: Events = []
    for path in sorted(folder.rglob("*tfevents*")):
        place = path.parent.relative_to(folder).as_posix()
        for record in tf.data.TFRecordDataset(str(path)):
            event = Event.FromString(record.numpy())
            found += [[place, event.step, v.tag, values_of(v)] for v in event.summary.value]
    return sorted(found, key=lambda row: row[:3])


def values_of(value: Any) -> Any:
    import tensorflow as tf

    if value.HasField("histo"):
        held = [getattr(value.histo, name) for name in HISTOGRAM]
        return [list(part) if hasattr(part, "__len__") else [part] for part in held]
    if value.HasField("image"):
        return tf.io.decode_png(value.image.encoded_image_string).numpy().ravel().tolist()
    return value.simple_value


def check(found: Events) -> None:
    measured = json.loads(MEASURED.read_text("utf-8"))
    assert [row[:3] for row in found] == [row[:3] for row in measured]
    for (*place, new), (*_, old) in zip(found, measured, strict=True):
        if isinstance(old, list) and isinstance(old[0], list):
            for new_part, old_part in zip(new, old, strict=True):
                assert new_part == pytest.approx(old_part, rel=1e-5, abs=1e-6), place
        else:
            assert new == pytest.approx(old, rel=1e-5, abs=1e-6), place


def test_events_are_those_of_tensorflow_1_15(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    source = decode_source(read_bytes(program), program, program.name)
    result = migrate([source], Options(target=TARGETS["keras"]))
    assert "compat" not in result.texts[program]
    program.write_text(result.texts[program])
    command = [sys.executable, str(program), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    check(events_in(tmp_path / "out"))


def test_the_events_are_those_of_the_original(tmp_path: Path, reference_python: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [reference_python, str(program), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment())
    assert done.returncode == 0, done.stderr
    check(events_in(tmp_path / "out"))
