"""--target keras makes lists of a program's own collections, and leaves out its summaries."""

from __future__ import annotations

import ast

import pytest
from support import changed, found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]
PROGRAM = """import numpy as np
import tensorflow as tf

NUM_GPUS = 2


def variable(name, shape, initializer, decay):
  var = tf.get_variable(name, shape, initializer=initializer)
  tf.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(var), decay))
  return var


def network(inputs, stddev):
  with tf.variable_scope('net') as scope:
    w = variable('w', [3, 1], tf.truncated_normal_initializer(stddev=stddev), 0.1)
    return tf.add(tf.matmul(inputs, w), 0.5, name=scope.name)


def tower_loss(scope, inputs, labels):
  error = network(inputs, 0.1) - labels
  tf.add_to_collection('losses', tf.reduce_mean(tf.square(error)))
  losses = tf.get_collection('losses', scope)
  total = tf.add_n(losses)
  for l in losses + [total]:
    tf.summary.scalar(l.op.name, l)
  return total


def main():
  x = tf.placeholder(tf.float32, [None, 3])
  y = tf.placeholder(tf.float32, [None, 1])
  optimizer = tf.train.GradientDescentOptimizer(0.1)
  tower_grads = []
  with tf.variable_scope(tf.get_variable_scope()):
    for i in range(NUM_GPUS):
      with tf.device('/gpu:%d' % i):
        with tf.name_scope('tower_%d' % i) as scope:
          loss = tower_loss(scope, x[i * 8:(i + 1) * 8], y[i * 8:(i + 1) * 8])
          tf.get_variable_scope().reuse_variables()
          summaries = tf.get_collection(tf.GraphKeys.SUMMARIES, scope)
          tower_grads.append(optimizer.compute_gradients(loss))
  averaged = []
  for pairs in zip(*tower_grads):
    averaged.append((tf.add_n([g for g, _ in pairs]) / NUM_GPUS, pairs[0][1]))
  for grad, var in averaged:
    if grad is not None:
      summaries.append(tf.summary.histogram(var.op.name + '/gradients', grad))
  train_op = optimizer.apply_gradients(averaged)
  summary_op = tf.summary.merge(summaries)

  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter('/tmp/logs', sess.graph)
    for step in range(10):
      a, b = np.ones([16, 3]), np.ones([16, 1])
      _, value = sess.run([train_op, loss], feed_dict={x: a, y: b})
      if step % 5 == 0:
        print('%.4f' % value)
        writer.add_summary(sess.run(summary_op, feed_dict={x: a, y: b}), step)


main()
"""
ONE = """import numpy as np
import tensorflow as tf


def network(inputs):
  w = tf.get_variable('w', [3, 1])
  tf.add_to_collection('penalties', 0.1 * tf.nn.l2_loss(w))
  return tf.matmul(inputs, w)


def main():
  x = tf.placeholder(tf.float32, [None, 3])
  y = tf.placeholder(tf.float32, [None, 1])
  loss = tf.reduce_mean(tf.square(network(x) - y)) + tf.add_n(tf.get_collection('penalties'))
  train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
      _, value = sess.run([train_op, loss], {x: np.ones([8, 3]), y: np.ones([8, 1])})
      print('%.4f' % value)


main()
"""


def converted(text: str, *edits: tuple[str, str]) -> str:
    after = migrated(changed(text, *edits), target=TARGET, unsafe=True)
    ast.parse(after)
    for word in ("Session", "compat", "tfmigrate", "collection", "summar"):
        assert word not in after, word
    return after


def refused(text: str, *edits: tuple[str, str]) -> str:
    """Returns the reason why a changed program keeps its default form."""
    text = changed(text, *edits)
    (finding,) = found(text, "TFM802", target=TARGET, unsafe=True)
    assert not found(text, "TFM803", target=TARGET, unsafe=True)
    return finding.message


def test_a_collection_is_a_list_that_each_tower_empties() -> None:
    after = converted(PROGRAM)
    assert "\n\nmodel_losses = []\n\n\ndef variable(" in after
    assert "  model_losses.append(tf.multiply(tf.nn.l2_loss(var), decay))\n" in after
    assert (
        """
def tower_loss(inputs, labels):
  error = network(inputs, 0.1) - labels
  model_losses.append(tf.reduce_mean(tf.square(error)))
  losses = list(model_losses)
  total = tf.add_n(losses)
  return total
"""
        in after
    )
    assert (
        """
  def tower(i, x, y):
    model_losses.clear()
    loss = tower_loss(x[i * 8:(i + 1) * 8], y[i * 8:(i + 1) * 8])
    return loss
"""
        in after
    )


def test_a_collection_of_one_model_is_emptied_where_it_begins() -> None:
    after = converted(ONE)
    assert (
        """
  def model(x, y):
    model_penalties.clear()
    loss = tf.reduce_mean(tf.square(network(x) - y)) + tf.add_n(model_penalties)
    return loss
"""
        in after
    )


def test_a_collection_that_no_function_uses_is_local() -> None:
    after = converted(
        ONE,
        ("  tf.add_to_collection('penalties', 0.1 * tf.nn.l2_loss(w))\n", ""),
        (
            "  loss = tf.reduce_mean",
            "  tf.add_to_collection('penalties', tf.constant(0.1))\n  loss = tf.reduce_mean",
        ),
    )
    assert (
        "  def model(x, y):\n    model_penalties = []\n    model_penalties.append(tf.const" in after
    )


def test_summaries_need_unsafe() -> None:
    (finding,) = found(PROGRAM, "TFM802", target=TARGET)
    assert "summaries are not written" in finding.message
    assert not found(PROGRAM, "TFM803", target=TARGET)


def test_a_function_of_summaries_is_removed() -> None:
    helper = (
        "def activations(x):\n"
        "  name = re.sub('tower_[0-9]*/', '', x.op.name)\n"
        "  tf.summary.histogram(name, x)\n\n\n"
    )
    after = converted(
        PROGRAM,
        ("import numpy", "import re\n\nimport numpy"),
        ("def network(", helper + "def network("),
        ("    return tf.add(tf.matmul", "    activations(w)\n    return tf.add(tf.matmul"),
    )
    assert "activations" not in after


def test_an_initializer_may_be_an_argument() -> None:
    after = converted(PROGRAM)
    assert (
        "  with model_variables.scope('net'):\n"
        "    w = variable('w', [3, 1], keras.initializers.TruncatedNormal(stddev=stddev), 0.1)\n"
        "    return tf.add(tf.matmul(inputs, w), 0.5)\n"
    ) in after
    assert "def network(inputs, stddev):" in after
    assert "def variable(name, shape, initializer, decay):" in after


TWICE = (
    "  var = tf.get_variable(name, shape, initializer=initializer)\n",
    "  tf.get_variable('other', shape, initializer=initializer)\n"
    "  var = tf.get_variable(name, shape, initializer=initializer)\n",
)


def test_several_variables_of_one_initializer_need_a_seed() -> None:
    assert "without a seed" in refused(PROGRAM, TWICE)
    assert "seed=1" in converted(PROGRAM, TWICE, ("(stddev=stddev)", "(stddev=stddev, seed=1)"))
    assert "Zeros()" in converted(
        PROGRAM, TWICE, ("truncated_normal_initializer(stddev=stddev)", "zeros_initializer()")
    )


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ((("'losses', scope)", "'losses')"),), "what those before it added"),
        (
            (("loss = tower_loss(scope, ", "loss = tower_loss('tower', "),),
            "not known as the scope of the tower",
        ),
        (
            (("('losses', tf.reduce_mean(tf.square(error)))", "('losses', network(inputs, 0.2))"),),
            "may not be computed in the tower",
        ),
        (
            (("tf.multiply(tf.nn.l2_loss(var), decay))", "var)"),),
            "may not be computed in the tower",
        ),
        (
            (("  error = network", "  with tf.name_scope(None):\n    error = network"),),
            "may not be within that of the tower",
        ),
        (
            (
                (
                    "        with tf.name_scope('tower_%d' % i) as scope:\n",
                    "        tf.add_to_collection('losses', tf.constant(1.0))\n"
                    "        with tf.name_scope('tower_%d' % i) as scope:\n",
                ),
            ),
            "outside of the name scope of a tower",
        ),
        (
            (
                (
                    "  averaged = []\n",
                    "  total = tf.add_n(tf.get_collection('losses'))\n  averaged = []\n",
                ),
            ),
            "outside of the name scope of a tower",
        ),
        (
            (
                (
                    "  total = tf.add_n(losses)",
                    "  total = tf.add_n(losses) + tf.losses.get_total_loss()",
                ),
            ),
            "TensorFlow itself adds to the collection `losses`",
        ),
        (
            (
                ("'losses', scope)", "KEY, scope)"),
                ("NUM_GPUS = 2\n", "NUM_GPUS = 2\nKEY = 'losses'\n"),
            ),
            "`tf.get_collection`",
        ),
        ((("name=scope.name)", "name=scope.name + 'x')"),), "`scope` is used as a value"),
        ((("+ [total]:\n", "+ [total]:\n    print(l)\n"),), "print"),
    ],
)
def test_what_towers_collect_otherwise_is_refused(
    edits: tuple[tuple[str, str], ...], reason: str
) -> None:
    assert reason in refused(PROGRAM, *edits)


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        (
            (("tf.get_collection('penalties')", "tf.get_collection('penalties', 'net')"),),
            "a part of",
        ),
        (
            (("add_to_collection('penalties'", "add_to_collection('update_ops'"),),
            "TensorFlow itself",
        ),
        (
            (
                (
                    "    for _ in range(10):\n",
                    "    extra = tf.add_n(tf.get_collection('penalties')) + loss\n"
                    "    print(sess.run(extra, {x: np.ones([8, 3]), y: np.ones([8, 1])}))\n"
                    "    for _ in range(10):\n",
                ),
            ),
            "a collection is used",
        ),
    ],
)
def test_what_a_model_collects_otherwise_is_refused(
    edits: tuple[tuple[str, str], ...], reason: str
) -> None:
    assert reason in refused(ONE, *edits)
