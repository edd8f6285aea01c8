"""--target keras: data sets that TensorFlow 1.x or Keras reads, and labels made of them."""

from __future__ import annotations

import pytest
from test_target_keras import converted, refused

MAIN = "def main(x, y):\n"
LOSS = "sparse_softmax_cross_entropy(labels, logits)"
ONE_HOT = "softmax_cross_entropy(tf.one_hot(labels, %s), logits)"


def reading(code: str, use: str = "data.train.images") -> tuple[str, str]:
    """Returns the change of a program that reads MNIST."""
    return MAIN, f"def main(x, y):\n  data = {code}\n  x, y = {use}, data.test.labels\n"


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("tf.contrib.learn.datasets.load_dataset('mnist')", "read_mnist('MNIST-data')"),
        (
            "tf.contrib.learn.datasets.mnist.read_data_sets('data', one_hot=True, seed=3)",
            "read_mnist('data', one_hot=True)",
        ),
        (
            "tf.contrib.learn.datasets.mnist.read_data_sets(train_dir=f(x), validation_size=9)",
            "read_mnist(folder=f(x), validation_size=9)",
        ),
    ],
)
def test_mnist_is_read_from_its_files(code: str, made: str) -> None:
    after = converted(reading(code))
    assert f"  data = {made}\n" in after
    assert "def read_mnist(folder, one_hot=False, validation_size=5000):\n" in after
    for module in ("gzip", "os", "types", "keras", "numpy as np"):
        assert f"import {module}\n" in after


def test_mnist_of_the_tutorials_needs_no_import_any_more() -> None:
    package = "from tensorflow.examples.tutorials.mnist import input_data\n"
    after = converted(
        reading("input_data.read_data_sets('data')"),
        ("import tensorflow as tf\n", f"import tensorflow as tf\n# The data.\n{package}"),
    )
    assert "  data = read_mnist('data')\n" in after
    assert "input_data" not in after
    assert "# The data.\n" in after


@pytest.mark.parametrize(
    ("code", "use", "reason"),
    [
        ("load_dataset('iris')", "data.train.images", "a data set other than MNIST"),
        ("mnist.read_data_sets('d', fake_data=True)", "data.train.images", "`fake_data`"),
        ("load_dataset('mnist')", "data.train.next_batch(3)", "more of `data` than its images"),
        ("load_dataset('mnist')", "data.train", "more of `data` than its images"),
    ],
)
def test_more_of_mnist_is_refused(code: str, use: str, reason: str) -> None:
    assert reason in refused(reading(f"tf.contrib.learn.datasets.{code}", use))


def test_functions_of_keras_keep_their_names() -> None:
    after = converted((MAIN, f"{MAIN}  (x, y), _ = tf.keras.datasets.mnist.load_data()\n"))
    assert "  (x, y), _ = keras.datasets.mnist.load_data()\n" in after


@pytest.mark.parametrize(
    "arguments", ["3", "3, 1, 0", "3, on_value=1.0, off_value=0.0", "3, axis=-1"]
)
def test_labels_that_the_model_makes_one_hot(arguments: str) -> None:
    after = converted((LOSS, ONE_HOT % arguments))
    assert "  loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n" in after


@pytest.mark.parametrize("arguments", ["3, 2, 0", "3, 1, 0.1"])
def test_other_one_hot_labels_are_refused(arguments: str) -> None:
    assert "no equivalent of `on_value=" in refused((LOSS, ONE_HOT % arguments))


def test_one_hot_labels_of_another_axis_are_those_of_a_batch() -> None:
    after = converted((LOSS, ONE_HOT % "3, axis=0"))
    assert "keras.ops.one_hot(labels, 3, axis=0)" in after
    assert "loss=BatchLoss(loss)," in after


def test_a_new_axis_stays() -> None:
    changes = (
        ("{'class': tf.argmax(logits, 1)}", "{'class': tf.argmax(logits, 1)[:, tf.newaxis]}"),
        (
            "  print(est.evaluate(",
            "  print(list(est.predict(lambda: input_fn(x, y))))\n  print(est.evaluate(",
        ),
    )
    assert "[:, tf.newaxis]" in converted(*changes)


def test_an_assertion_of_the_mode_is_removed() -> None:
    test = "  assert mode == tf.estimator.ModeKeys.TRAIN\n"
    assert converted(("  optimizer =", f"{test}  optimizer =")) == converted()
    assert "depends on the mode" in refused(("  loss = ", f"{test}  loss = "))


def test_data_that_are_read_between_imports_are_refused() -> None:
    package = "from tensorflow.examples.tutorials.mnist import input_data\n"
    early = f"{package}data = input_data.read_data_sets('data')\nimport tensorflow as tf\n"
    assert "above its definition" in refused(("import tensorflow as tf\n", early))


def test_arguments_that_are_no_flags_are_left_to_the_program() -> None:
    run = "\n\nif __name__ == '__main__':\n  tf.app.run(%s)\n"
    last = "  print(est.evaluate(lambda: input_fn(x, y), steps=2))\n"
    parser = ("import tensorflow as tf\n", "import argparse\nimport tensorflow as tf\n")
    tolerant = "flags_parser=lambda argv: flags.FLAGS(argv, known_only=True))\n"
    for given in ("", "main"):
        program = (last, last + run % given)
        assert "  app.run(main)\n" in converted(program)
        after = converted(program, parser)
        assert f"  app.run(main, {tolerant}" in after
        assert "from absl import app, flags\n" in after
