"""Programs of queues train the same number of steps, on the same rows, as on TensorFlow 1.15.5."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.targets import TARGETS
from tfmigrate_runtime.verify.surroundings import environment

TRAINED = """\
logits = tf.matmul(x, w) + b
loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
losses = []
with tf.Session() as sess:
  sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(sess=sess, coord=coord)
  try:
    while not coord.should_stop():
      _, value = sess.run([train, loss])
      losses.append(float(value))
  except tf.errors.OutOfRangeError:
    print(json.dumps(losses))
  finally:
    coord.request_stop()
  coord.join(threads)
"""
HEAD = """\
import json
import sys
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
rows = rng.rand(19, 3).astype(np.float32)
kinds = rows.argmax(1).astype(np.int64)
w = tf.Variable(tf.zeros([3, 3]))
b = tf.Variable(tf.zeros([3]))
"""
RECORDS = f"""{HEAD}

def write(path):
  with tf.python_io.TFRecordWriter(path) as writer:
    for row, kind in zip(rows, kinds):
      feature = {{
          'row': tf.train.Feature(bytes_list=tf.train.BytesList(value=[row.tobytes()])),
          'kind': tf.train.Feature(int64_list=tf.train.Int64List(value=[kind]))}}
      features = tf.train.Features(feature=feature)
      writer.write(tf.train.Example(features=features).SerializeToString())


def read_and_decode(queue):
  reader = tf.TFRecordReader()
  _, serialized = reader.read(queue)
  features = tf.parse_single_example(serialized, features={{
      'row': tf.FixedLenFeature([], tf.string), 'kind': tf.FixedLenFeature([], tf.int64)}})
  row = tf.decode_raw(features['row'], tf.float32)
  row.set_shape([3])
  return row * 2. - 1., tf.cast(features['kind'], tf.int32)


def inputs(path, size, epochs):
  with tf.name_scope('input'):
    queue = tf.train.string_input_producer([path], num_epochs=epochs)
    row, kind = read_and_decode(queue)
    row_batch, kind_batch = tf.train.batch([row, kind], size)
    return row_batch, tf.reshape(kind_batch, [size])


write(sys.argv[1] + '/data')
x, y = inputs(sys.argv[1] + '/data', 8, 3)
{TRAINED}"""
LINES = f"""{HEAD}
files = [sys.argv[1] + '/' + name for name in ('a.csv', 'b.csv')]
for name, start in zip(files, (0, 9)):
  with open(name, 'w') as out:
    out.write('one,two,three,kind\\n')
    for row, kind in zip(rows[start:start + 9], kinds[start:start + 9]):
      out.write('%.6f,%.6f,%.6f,%d\\n' % (row[0], row[1], row[2], kind))
queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, line = reader.read(queue)
defaults = [[0.0], [0.0], [0.0], [0]]
one, two, three, kind = tf.decode_csv(line, record_defaults=defaults)
x, y = tf.train.batch([tf.stack([one, two, three]), kind], 5, allow_smaller_final_batch=True)
{TRAINED}"""
SLICES = f"""{HEAD}
queue = tf.train.slice_input_producer([rows, kinds], num_epochs=2, shuffle=False)
row = queue[0] * 2.
x, y = tf.train.batch([row, queue[1]], batch_size=8)
{TRAINED}"""
PROGRAMS = {"records": RECORDS, "lines": LINES, "slices": SLICES}
MEASURED = {  # by TensorFlow 1.15.5
    "records": [1.098612, 1.014134, 0.987707, 0.789363, 0.812669, 0.753665, 0.621848],
    "lines": [1.098612, 1.098226, 1.071027, 1.073399, 1.163706, 0.927059, 0.842040, 1.317719],
    "slices": [1.098612, 1.128758, 1.137522, 0.817187],
}
TOLERANCE = 1e-5  # the losses are written with six digits; another row changes the third one


def run(python: str, program: Path, **options: dict[str, str]) -> list[float]:
    command = [python, str(program), str(program.parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stderr
    return [float(value) for value in json.loads(done.stdout.splitlines()[-1])]


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_are_those_of_tensorflow_1_15(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAMS[name])
    source = decode_source(read_bytes(program), program, program.name)
    result = migrate([source], Options(target=TARGETS["keras"]))
    assert "compat" not in result.texts[program]
    program.write_text(result.texts[program])
    assert run(sys.executable, program) == pytest.approx(MEASURED[name], abs=TOLERANCE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_steps_are_those_of_the_original(
    name: str, tmp_path: Path, reference_python: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAMS[name])
    found = run(reference_python, program, env=environment())
    assert found == pytest.approx(MEASURED[name], abs=TOLERANCE)
