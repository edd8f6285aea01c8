"""Migrated programs of several files run as TensorFlow 1.15 ran them, each in its process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tfmigrate.cli import main

NET = """\
import tensorflow as tf

def build(x):
  columns = x.get_shape()[1].value
  w = tf.get_variable('w', [columns, 3], initializer=tf.constant_initializer(0.5))
  hidden = tf.layers.dense(tf.matmul(x, w), 2, kernel_initializer=tf.ones_initializer())
  cell = tf.nn.rnn_cell.BasicLSTMCell(4, name='cell')
  tf.nn.dynamic_rnn(cell, tf.expand_dims(hidden, 1), dtype=tf.float32)
  return tf.keras.layers.Dense(1, kernel_initializer='ones')(hidden), x.shape[1] * 2
"""
SESSION = """\
import json
import sys
import tensorflow as tf
import net

def run():
  x = tf.placeholder(tf.float32, [None, 5])
  output, doubled = net.build(x)
  with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    values = session.run(output, {x: [[1.0] * 5]})
  names = [v.op.name for v in tf.global_variables()]
  print(json.dumps([values.tolist(), names, type(doubled).__name__]), file=sys.stderr)
"""
START = "import session_part\n\nif __name__ == '__main__':\n  session_part.run()\n"
# A Keras model is defined while the file is being imported, before anything of the runtime is.
KERAS = """\
import tensorflow as tf

class Head(tf.keras.Model):
  def __init__(self):
    super().__init__()
    self.out = tf.keras.layers.Dense(1, kernel_initializer='ones')

  def call(self, x):
    return self.out(x)
"""
ESTIMATOR = """\
import json
import sys
import numpy as np
import head
import tensorflow as tf

def model_fn(features, labels, mode):
  x = features['x']
  w = tf.get_variable('w', [x.get_shape()[1].value, 2], initializer=tf.ones_initializer())
  scores = head.Head()(tf.matmul(x, w))
  loss = tf.reduce_sum(scores)
  step = tf.train.get_global_step()
  train_op = tf.train.GradientDescentOptimizer(0.0).minimize(loss, step)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, predictions={
      'scores': scores, 'kind': tf.fill(tf.shape(scores), type(x.shape[1]).__name__)})

def input_fn():
  return tf.data.Dataset.from_tensors({'x': np.ones([1, 5], np.float32)})

def main(_):
  estimator = tf.estimator.Estimator(model_fn, sys.argv[1])
  estimator.train(input_fn, steps=1)
  for found in estimator.predict(input_fn):
    print(json.dumps([found['scores'].tolist(), found['kind'][0].decode()]), file=sys.stderr)

if __name__ == '__main__':
  tf.app.run(main)
"""


def start(folder: Path, files: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    """Writes a program, migrates it, and starts what it starts with."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    assert main([str(folder)]) == 0
    environment = {k: v for k, v in os.environ.items() if k != "TF_USE_LEGACY_KERAS"}
    environment |= {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, next(iter(files)), *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def last_line(process: subprocess.Popen[str]) -> list[object]:
    """Returns what a program printed last, as JSON."""
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    found: list[object] = json.loads(errors.splitlines()[-1])
    return found


def test_programs_of_several_files(tmp_path: Path) -> None:
    session = start(
        tmp_path / "session", {"run.py": START, "session_part.py": SESSION, "net.py": NET}
    )
    estimator = start(
        tmp_path / "estimator", {"train.py": ESTIMATOR, "head.py": KERAS}, str(tmp_path / "model")
    )
    keras = ["dense_1/kernel", "dense_1/bias"]
    # Printed by the same files on TensorFlow 1.15.5; sums of small whole numbers are exact.
    assert last_line(session) == [
        [[15.0]],
        ["w", "dense/kernel", "dense/bias", "rnn/cell/kernel", "rnn/cell/bias", *keras],
        "Dimension",
    ]
    assert last_line(estimator) == [[10.0], "Dimension"]
