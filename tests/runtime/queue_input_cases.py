"""Input functions made of queues, and what an Estimator computes of them.

On TensorFlow 1.15 and on 2.x, Python 3.7 for 1.15. Run by TensorFlow 1.15 as ``python
queue_input_cases.py FILE.json``, it records what comes of them.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

_SPEC = ("x", "y")


def write_files(tf, directory):
    """Writes twelve rows (n, 2 n), six a file, in each of the formats."""
    for number in range(2):
        rows = [(float(n), 2.0 * n) for n in range(6 * number, 6 * number + 6)]
        with tf.python_io.TFRecordWriter(str(Path(directory, f"{number}.records"))) as writer:
            for x, y in rows:
                values = {
                    name: tf.train.Feature(float_list=tf.train.FloatList(value=[value]))
                    for name, value in (("x", x), ("y", y))
                }
                features = tf.train.Features(feature=values)
                writer.write(tf.train.Example(features=features).SerializeToString())
        lines = "".join(f"{x},{y}\n" for x, y in rows)
        Path(directory, f"{number}.csv").write_text(lines)
        Path(directory, f"{number}.bin").write_bytes(np.array(rows, np.float32).tobytes())


def input_functions(tf, directory):
    """Returns the input functions by name: two epochs of the files, in batches of four."""

    def files(suffix, shuffle=False):
        paths = [str(Path(directory, f"{number}.{suffix}")) for number in range(2)]
        return tf.train.string_input_producer(paths, num_epochs=2, shuffle=shuffle)

    def spec():
        return {name: tf.FixedLenFeature([1], tf.float32) for name in _SPEC}

    def example(serialized):
        parsed = tf.parse_single_example(serialized, spec())
        return [parsed[name] for name in _SPEC]

    def numbers(record, size):
        return tf.split(tf.reshape(tf.decode_raw(record, tf.float32), [size, 2]), 2, axis=1)

    def records():
        _, serialized = tf.TFRecordReader().read(files("records"))
        x, y = tf.train.batch(example(serialized), batch_size=4)
        return {"x": x}, y

    def several_records():
        _, serialized = tf.TFRecordReader().read_up_to(files("records"), 4)
        batch = tf.train.batch([serialized], batch_size=4, enqueue_many=True)
        parsed = tf.parse_example(batch, spec())
        return {"x": parsed["x"]}, parsed["y"]

    def lines():
        _, line = tf.TextLineReader().read(files("csv"))
        row = [tf.reshape(value, [1]) for value in tf.decode_csv(line, [[0.0], [0.0]])]
        x, y = tf.train.batch(row, batch_size=5, allow_smaller_final_batch=True)
        return {"x": x}, y

    def blocks():
        _, record = tf.FixedLengthRecordReader(record_bytes=8).read(files("bin"))
        row = [tf.reshape(value, [1]) for value in numbers(record, 1)]
        x, y = tf.train.batch(row, batch_size=4)
        return {"x": x}, y

    def whole_files():
        _, content = tf.WholeFileReader().read(files("bin"))
        x, y = tf.train.batch(numbers(content, 6), batch_size=4, enqueue_many=True)
        return {"x": x}, y

    def shuffled():
        _, serialized = tf.TFRecordReader().read(files("records", shuffle=True))
        x, y = tf.train.shuffle_batch(example(serialized), 4, capacity=20, min_after_dequeue=8)
        return {"x": x}, y

    def joined():
        queue = files("records")
        readers = [example(tf.TFRecordReader().read(queue)[1]) for _ in range(2)]
        x, y = tf.train.shuffle_batch_join(readers, 4, capacity=20, min_after_dequeue=8)
        return {"x": x}, y

    given = (records, several_records, lines, blocks, whole_files, shuffled, joined)
    return {function.__name__: function for function in given}


def computed(tf, estimator, name, directory, config=None):
    """Returns what an Estimator computes of an input function."""

    def model_fn(features, labels, mode):
        weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
        if mode == "infer":
            return estimator.EstimatorSpec(mode, predictions={"x": features["x"]})
        loss = tf.reduce_mean(tf.square(features["x"] * weight - labels))
        optimizer = tf.train.GradientDescentOptimizer(0.001)
        return estimator.EstimatorSpec(
            mode,
            loss=loss,
            train_op=optimizer.minimize(loss, tf.train.get_global_step()),
            eval_metric_ops={"mean": tf.metrics.mean(features["x"])},
        )

    input_fn = input_functions(tf, directory)[name]
    model = estimator.Estimator(model_fn, tempfile.mkdtemp(dir=str(directory)), config)
    model.train(input_fn)
    rows = sorted(float(row["x"][0]) for row in model.predict(input_fn))
    found = {"steps": int(model.get_variable_value("global_step")), "rows": rows}
    found["mean"] = float(model.evaluate(input_fn)["mean"])
    if name not in ("shuffled", "joined"):  # the order, and the weight with it, is never the same
        found["weight"] = float(model.get_variable_value("weight"))
    return found


NAMES = ("records", "several_records", "lines", "blocks", "whole_files", "shuffled", "joined")


def _record(path):
    import tensorflow as tf

    directory = tempfile.mkdtemp()
    write_files(tf, directory)
    found = {name: computed(tf, tf.estimator, name, directory) for name in NAMES}
    lines = (f"{json.dumps(name)}: {json.dumps(found[name])}" for name in NAMES)
    Path(path).write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    _record(sys.argv[1])
