"""Trains by a session, and writes two SavedModels."""

import pathlib
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x, y = tf.placeholder(tf.float32, [None, 3], "x"), tf.placeholder(tf.float32, [None, 2])
weights = tf.get_variable("weights", [3, 2])
logits = tf.matmul(x, weights)
probabilities = tf.nn.softmax(logits)
classes = tf.argmax(logits, axis=1)
loss = tf.losses.softmax_cross_entropy(y, logits)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
serialized = tf.placeholder(tf.string, [None])
parsed = tf.io.parse_example(serialized, {"a": tf.io.FixedLenFeature([3], tf.float32)})["a"]
from_examples = tf.matmul(parsed, weights)
build = tf.saved_model.predict_signature_def
words = pathlib.Path(sys.argv[1]) / "words.txt"
words.parent.mkdir(parents=True, exist_ok=True)
words.write_text("one\ntwo\n")
tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, tf.constant(str(words)))


def export(session, folder):
    builder = tf.saved_model.Builder(folder)
    signatures = {
        "serving_default": build({"x": x}, {"p": probabilities, "c": classes}),
        "examples": build({"examples": serialized}, {"sums": from_examples}),
    }
    assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
    builder.add_meta_graph_and_variables(session, ["serve"], signatures, assets)
    builder.save()


with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(3):
        rows = np.random.RandomState(step).normal(size=(8, 3))
        labels = np.eye(2)[np.arange(8) % 2]
        session.run(train_op, {x: rows, y: labels})
        if step != 1:
            export(session, sys.argv[1] + "/export/" + str(step))
