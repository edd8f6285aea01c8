"""--target keras converts the session programs of tutorials: what they evaluate, and MNIST."""

from __future__ import annotations

import types
from importlib import resources
from typing import Any

import numpy as np
import pytest
from support import changed, found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]
PROGRAM = """import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([3, 2]))
b = tf.Variable(tf.zeros([2]))
# the network
logits = tf.matmul(x, w) + b
loss = tf.reduce_mean(tf.square(logits - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
features, labels = np.ones([4, 3]), np.ones([4, 2])
for i in range(10):
  _, value = sess.run([train, loss], feed_dict={x: features, y: labels})
  total = value / 10
# below
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
print(sess.run(accuracy, feed_dict={x: features, y: labels}))
"""
LAST = "print(sess.run(accuracy, feed_dict={x: features, y: labels}))\n"
RUN = "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"


def converted(*edits: tuple[str, str], unsafe: bool = False) -> str:
    after = migrated(changed(PROGRAM, *edits), target=TARGET, unsafe=unsafe)
    assert "sess" not in after
    assert "compat" not in after
    return after


def reason(*edits: tuple[str, str]) -> str:
    text = changed(PROGRAM, *edits)
    (finding,) = found(text, "TFM802", target=TARGET)
    assert not found(text, "TFM803", target=TARGET)
    return finding.message


def test_what_is_made_below_the_session_is_a_function_there() -> None:
    after = converted()
    assert (
        """
@tf.function(input_signature=[x, y])
def evaluate(x, y):
  logits, _ = model(x, y)
  # below
  correct = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
  accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
  return accuracy


print(evaluate(features, labels).numpy())
"""
        in after
    )
    assert "  value = train_step(features, labels).numpy()\n" in after


def test_a_session_may_be_made_before_its_graph() -> None:
    first = "import tensorflow as tf\n"
    after = converted(
        (RUN, "sess.run(tf.global_variables_initializer())\n"),
        (first, f"{first}sess = tf.Session()\n"),
    )
    assert after == converted()


def test_a_default_graph_need_not_be_reset() -> None:
    first = "import tensorflow as tf\n"
    new = f"{first}from tensorflow.python.framework import ops\nops.reset_default_graph()\n"
    assert converted((first, new)) == converted()


def test_one_of_two_initializers_is_chosen_and_gone() -> None:
    choice = (
        "if int(tf.__version__.split('.')[1]) < 12:\n  init = tf.initialize_all_variables()\n"
        "else:\n  init = tf.global_variables_initializer()\nsess = tf.Session()\nsess.run(init)\n"
    )
    assert converted((RUN, choice)) == converted()
    entered = "with tf.Session() as sess:\n  tf.initialize_all_variables().run()\n"
    entered += "  sess.run(train, {x: [[1, 2, 3]], y: [[1, 2]]})\n"
    after = converted((PROGRAM[PROGRAM.index("sess = ") :], entered))
    assert after.endswith("\ntrain_step([[1, 2, 3]], [[1, 2]])\n")


def test_a_run_may_feed_less_than_the_training_step() -> None:
    after = converted(
        (LAST, f"{LAST}print(sess.run(logits, {{x: [[1, 2, 3]]}}))\n"),
    )
    assert (
        """
@tf.function(input_signature=[x])
def predict(x):
  # the network
  logits = tf.matmul(x, w) + b
  return logits


def model(x, y):
  logits = predict(x)
  loss = tf.reduce_mean(tf.square(logits - y))
"""
        in after
    )
    assert "def evaluate(x, y):\n  logits = predict(x)\n" in after
    assert "print(predict([[1, 2, 3]]).numpy())\n" in after


def test_statements_below_the_training_operation_may_need_less() -> None:
    after = converted(
        ("minimize(loss)\n", "minimize(loss)\nbest = tf.argmax(logits, 1)\nwhich = best + 1\n"),
        (LAST, f"{LAST}print(sess.run(which, {{x: features}}))\n"),
    )
    assert (
        """
@tf.function(input_signature=[x])
def compute_which(x):
  logits = predict(x)
  best = tf.argmax(logits, 1)
  which = best + 1
  return which
"""
        in after
    )
    assert after.index("def train_step") < after.index("def compute_which")
    assert "print(compute_which(features).numpy())" in after


def test_groups_are_parted_where_runs_feed_less() -> None:
    after = converted(
        (
            "correct = tf.equal(tf.argmax(logits, 1), ",
            "best = tf.argmax(logits, 1)\ncorrect = tf.equal(best, ",
        ),
        (LAST, f"{LAST}print(sess.run(best, {{x: features}}))\n"),
    )
    assert "def compute_best(x):\n  logits = predict(x)\n" in after
    assert "def compute_accuracy(x, y):\n  best = compute_best(x)\n  correct = " in after


@pytest.mark.parametrize(
    ("fetched", "fed", "becomes"),
    [
        ("tf.argmax(logits, 1)", "{x: features}", "tf.argmax(predict(features), 1).numpy()"),
        ("tf.argmax(logits, axis=1)", "{x: [[1]]}", "tf.argmax(predict([[1]]), axis=1).numpy()"),
        ("2 * (logits + 1)", "{x: features}", "(2 * (predict(features) + 1)).numpy()"),
        ("tf.argmax(labels[2:], 1)", "", "tf.argmax(labels[2:], 1).numpy()"),
        ("tf.log(w)", "", "tf.math.log(w).numpy()"),
    ],
)
def test_an_expression_is_computed_where_it_is_fetched(
    fetched: str, fed: str, becomes: str
) -> None:
    arguments = f"{fetched}, feed_dict={fed}" if fed else fetched
    assert f"print({becomes})" in converted((LAST, f"{LAST}print(sess.run({arguments}))\n"))


def test_a_tensor_is_not_printed_without_a_value() -> None:
    shown = (RUN, f"print('logits', logits)\n{RUN}")
    assert converted(shown, unsafe=True) == converted()
    assert "a tensor of the graph is not shown" in reason(shown)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        # A name that the function would read with another value.
        (LAST, f"{LAST}w = sess.run(w)\n", "`w` of the graph is set anew"),
        ("tf.argmax(y, 1))", "tf.argmax(y, k))\nk = 2", "`k` of the graph is set anew"),
        (LAST, LAST.replace("print(", "accuracy = (") + LAST, "is set anew"),
        # Names that a run reads which are no tensors of the graph.
        (LAST, "print(sess.run(tf.reduce_sum(logits - y), {x: features, y: labels}))\n", "fetched"),
        (LAST, "print(sess.run(labels + 1))\n", "fetched, which is no tensor"),
        (LAST, "print(sess.run([tf.argmax(logits, 1)], {x: features}))\n", "fetched"),
        # What is fed is not all that is needed.
        (LAST, "print(sess.run(loss, {x: features}))\n", "feeds other placeholders"),
        (LAST, "print(sess.run(accuracy, {y: labels}))\n", "feeds other placeholders"),
        # Tensors that are used as values.
        (LAST, f"{LAST}print(accuracy)\n", "is a tensor, and is used outside of `run`"),
        (
            "print(sess",
            "for k in range(2):\n  extra = tf.reduce_sum(logits)\n  sess.run(extra)\nprint(sess",
            "`extra` is fetched",
        ),
    ],
)
def test_what_is_not_known_is_refused(old: str, new: str, why: str) -> None:
    assert why in reason((old, new))


def test_a_session_between_the_statements_of_the_graph_is_refused() -> None:
    first = "import tensorflow as tf\n"
    text = changed(
        PROGRAM,
        (RUN, ""),
        (first, f"{first}sess = tf.Session()\n"),
        ("loss = tf", "sess.run(tf.global_variables_initializer())\nprint(sess.run(w))\nloss = tf"),
    )
    (finding,) = found(text, "TFM802", target=TARGET)
    assert "the session is used between the statements of the graph" in finding.message


MNIST = PROGRAM.replace(
    "x = tf.placeholder",
    "from tensorflow.examples.tutorials.mnist import input_data\n"
    "mnist = input_data.read_data_sets('data', one_hot=True)\nx = tf.placeholder",
).replace("for i in range(10):\n", "for i in range(10):\n  a, c = mnist.train.next_batch(4)\n")


def test_mnist_gives_batches() -> None:
    after = migrated(MNIST, target=TARGET)
    assert "mnist = mnist_batches('data', one_hot=True)\n" in after
    assert "tensorflow.examples" not in after
    seeded = MNIST.replace("mnist = input", "tf.set_random_seed(7)\nmnist = input")
    assert "mnist_batches('data', one_hot=True, seed=7)" in migrated(seeded, target=TARGET)
    own = MNIST.replace("one_hot=True)", "seed=3)")
    assert "mnist_batches('data', seed=3)" in migrated(own, target=TARGET)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("next_batch(4)", "next_batch(4, True)", "the arguments of `next_batch`"),
        ("one_hot=True", "reshape=False", "`reshape` of `read_data_sets`"),
        (
            "  a, c = mnist.train",
            "  mnist.train.images[0] = 0\n  train = mnist\n  a, c = mnist.train",
            "more of",
        ),
        ("sess = tf.S", "tf.set_random_seed(3)\nsess = tf.S", "which seed"),
    ],
)
def test_more_of_mnist_is_refused(old: str, new: str, why: str) -> None:
    assert MNIST.count(old) == 1
    (finding,) = found(MNIST.replace(old, new), "TFM802", target=TARGET)
    assert why in finding.message


def _batches() -> Any:
    text = (resources.files("tfmigrate") / "data/written_out/Batches.py.txt").read_text()
    space: dict[str, Any] = {"np": np, "types": types}
    exec(text, space)
    return space["Batches"]


def test_batches_have_the_order_of_the_tutorial() -> None:
    """As DataSet.next_batch of TensorFlow 1.15 (contrib/learn/.../datasets/mnist.py)."""
    rows = np.arange(10)
    made = _batches()(rows, rows * 10, seed=5)
    np.random.seed(5)
    order = np.arange(10)
    np.random.shuffle(order)
    second = np.arange(10)
    np.random.shuffle(second)
    np.random.seed(5)
    images, labels = made.next_batch(6)
    np.testing.assert_array_equal(images, rows[order][:6])
    np.testing.assert_array_equal(labels, images * 10)
    images, labels = made.next_batch(6)
    np.testing.assert_array_equal(images, [*rows[order][6:], *rows[order][second][:2]])
    np.testing.assert_array_equal(labels, images * 10)
    assert made.epochs_completed == 1
    whole = _batches()(rows, rows, seed=5)
    np.testing.assert_array_equal(whole.next_batch(10, shuffle=False)[0], rows)
