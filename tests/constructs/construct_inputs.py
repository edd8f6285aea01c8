"""Inputs of queues: features and labels are tensors that queue runners fill."""

from __future__ import annotations

import os

import tensorflow.compat.v1 as tf
from construct_library import IDS, ROWS, WIDTH, X, Y, finish


def model(library, features, labels, mode):
    with tf.variable_scope("model"):
        output = tf.layers.dense(features["x"], 1, name="output")
    return finish(library, mode, labels, output)


def slice_input_producer(library):
    """Rows of arrays, batched by a queue; the epochs' counter is a local variable."""
    del library
    x, ids, y = tf.train.slice_input_producer([X, IDS, Y], num_epochs=40, shuffle=False)
    x, ids, y = tf.train.batch([x, ids, y], batch_size=ROWS)
    return {"x": x, "ids": ids}, y


def string_input_producer(library):
    """Lines of files, read and decoded."""
    path = os.path.join(library.folder, "rows.csv")
    with open(path, "w") as stream:
        for row in range(len(X)):
            numbers = [*X[row].tolist(), *Y[row].tolist()]
            stream.write(",".join(repr(number) for number in numbers) + "\n")
    names = tf.train.string_input_producer([path], shuffle=False)
    _, line = tf.TextLineReader().read(names)
    numbers = tf.decode_csv(line, [[0.0]] * (WIDTH + 1))
    x, y = tf.train.batch([tf.stack(numbers[:-1]), tf.stack(numbers[-1:])], ROWS)
    return {"x": x}, y


def tensors_of_an_iterator(library):
    """A one-shot iterator's tensors."""
    del library
    rows = tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).repeat().batch(ROWS)
    return tf.data.make_one_shot_iterator(rows).get_next()


INPUTS = {
    "slice_input_producer": slice_input_producer,
    "string_input_producer": string_input_producer,
    "tensors_of_an_iterator": tensors_of_an_iterator,
}
CONSTRUCTS = {"input_" + name: model for name in INPUTS}
