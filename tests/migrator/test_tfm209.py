"""TFM209: tf.Variable."""

from __future__ import annotations

import pytest
from hazards import check_safe, check_unsafe
from support import migrate_tree

CODE = "TFM209"


@pytest.mark.parametrize(
    "body",
    [
        "w = tf.get_variable('w', [1])\n",
        "is_variable = isinstance(w, tf.Variable)\n",
        "saved = tf.Variable.SaveSliceInfo\n",
        "w = mine.Variable(1.0)\n",
        "w = self.Variable(1.0)\n",
        "x = 'tf.Variable(1.0)'  # tf.Variable(1.0)\n",
    ],
)
def test_no_copies(body: str) -> None:
    check_safe(body, CODE)


def test_variable_of_the_module_is_made_once() -> None:
    check_safe("loss = w\n", CODE, "w = tf.Variable(1.0)\n")


@pytest.mark.parametrize("session", ["tf.Session", "tf.InteractiveSession"])
def test_variable_of_a_function_that_runs_it(session: str) -> None:
    show = (
        f"def show(x):\n  w = tf.Variable(x)\n  with {session}() as s:\n    s.run(w.initializer)\n"
    )
    check_safe("loss = x\n", CODE, show)


def test_session_of_another_function() -> None:
    run = "def run():\n  with tf.Session() as s:\n    s.run(1)\n"
    check_unsafe("w = tf.Variable(1.0)\n", CODE, [7], run)


@pytest.mark.parametrize(
    "body",
    [
        "w = tf.Variable(1.0)\n",
        "w = tf.Variable(initial_value=1.0, trainable=False)\n",
        "f = lambda: tf.Variable(1.0)\n",
        "ws = [tf.Variable(i) for i in x]\n",
        "w = tf.compat.v1.Variable(1.0)\n",
    ],
)
def test_copies(body: str) -> None:
    check_unsafe(body, CODE, [4])


def test_each_of_two() -> None:
    check_unsafe("a = tf.Variable(1.0)\nb = tf.Variable(2.0)\n", CODE, [4, 5])


def test_imported_by_name() -> None:
    check_unsafe("w = Variable(1.0)\n", CODE, [5], "from tensorflow import Variable\n")


def test_in_a_file_that_the_model_imports_and_in_one_that_it_does_not() -> None:
    files = {
        "train.py": """\
            import tensorflow as tf
            import net
            opt = tf.contrib.estimator.TowerOptimizer(net.optimizer)
            est = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(net.model_fn))
            """,
        "net.py": "import tensorflow as tf\ndef model_fn():\n  return tf.Variable(1.0)\n",
        "other.py": "import tensorflow as tf\ndef f():\n  return tf.Variable(1.0)\n",
    }
    changed, reported = migrate_tree(files)
    assert changed == {}
    assert [(f.path, f.line) for f in reported if f.code == CODE] == [("net.py", 3)]
