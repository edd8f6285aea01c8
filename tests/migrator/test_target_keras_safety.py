"""--target keras refuses what would train differently without a word."""

from __future__ import annotations

import pytest
from test_target_keras import converted, refused

SPEC = "    return tf.estimator.EstimatorSpec(mode, predictions={'class': tf.argmax(logits, 1)})\n"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (SPEC, SPEC + "  labels = tf.cast(labels, tf.int32) + 1\n", "the loss compares `labels`"),
        ("  net = tf.layers.dense(", "  features.pop('x')\n  net = tf.layers.dense(", "in place"),
        (
            "  train_op = opt",
            "  with tf.control_dependencies([loss]):\n    train_op = opt",
            "a control dependency on something other",
        ),
        (".repeat().batch(8)", ".batch(8).make_initializable_iterator()", "which is not a tf.data"),
        (
            "def main(x, y):\n",
            "def main(x, y):\n  rows = tf.reduce_sum(x, keep_dims=True)\n",
            "no argument `keep_dims`",
        ),
        (
            "def main(x, y):\n",
            "def main(x, y):\n  tf.data.get_output_types(x)\n",
            "no `tf.data",
        ),
    ],
)
def test_what_would_differ_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused((old, new))


def test_features_that_are_set_anew_are_not_the_inputs() -> None:
    after = converted(
        (
            "  net = tf.layers.dense(",
            "  features = tf.reshape(features, [-1, 4])\n  net = tf.layers.dense(",
        )
    )
    assert "  inputs = features\n  features = keras.ops.reshape(features, [-1, 4])\n" in after
    assert "model = keras.Model(inputs, logits)" in after


def test_an_input_function_that_draws_is_called_as_often_as_before() -> None:
    draws = ("  return tf.data", "  x = x + np.random.normal()\n  return tf.data")
    imported = ("import tensorflow as tf\n", "import numpy as np\nimport tensorflow as tf\n")
    loop = ("  est.train(", "  for _ in range(3):\n    est.train(")
    assert "train_dataset = input_fn(x, y)" in converted(draws, imported)
    assert "global random generator" in refused(draws, imported, loop)


def test_a_folder_that_is_made_is_made_once() -> None:
    imported = ("import tensorflow as tf\n", "import tempfile\nimport tensorflow as tf\n")
    after = converted(imported, ("(model_fn, 'out',", "(model_fn, tempfile.mkdtemp(),"))
    assert "  model_dir = tempfile.mkdtemp()\n" in after
    assert "train_model(est, train_dataset, model_dir, steps=100)" in after
    assert "evaluate_model(est, input_fn(x, y), model_dir, steps=2)" in after
