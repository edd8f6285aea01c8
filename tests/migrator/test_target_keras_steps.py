"""--target keras turns programs of sessions into training steps, or says which line it cannot."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import changed, found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

PROGRAM = """import numpy as np
import tensorflow as tf

RATE = 0.1


def network(inputs, units=(4, 2)):
  net = inputs
  for number, size in enumerate(units):
    with tf.variable_scope('layer_%d' % number):
      w = tf.get_variable('w', [int(net.shape[1]), size])
      net = tf.nn.relu(tf.matmul(net, w))
  return tf.layers.dense(net, 1, name='out')


def batches():
  while True:
    yield np.ones([8, 3]), np.ones([8, 1])


def main():
  x = tf.placeholder(tf.float32, [None, 3])
  y = tf.placeholder(tf.float32, [None, 1])
  scale = tf.Variable(1.0, name='scale')
  # what the network says
  predicted = network(x) * scale
  loss = tf.reduce_mean(tf.square(predicted - y))
  error = tf.reduce_mean(tf.abs(predicted - y))
  global_step = tf.train.get_or_create_global_step()
  optimizer = tf.train.AdamOptimizer(RATE)
  train_op = optimizer.minimize(loss, global_step=global_step)

  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for a, b in batches():
      _, value, step = sess.run([train_op, loss, global_step], feed_dict={x: a, y: b})
      print('step %d: %.4f' % (step, value))
      if step == 10:
        break
    print('error', sess.run(error, {x: a, y: b}), sess.run(scale))


main()
"""
TARGET = TARGETS[KERAS]


def converted(*edits: tuple[str, str], unsafe: bool = False) -> str:
    after = migrated(changed(PROGRAM, *edits), target=TARGET, unsafe=unsafe)
    ast.parse(after)
    assert "Session" not in after
    return after


def refused(*edits: tuple[str, str]) -> str:
    """Returns the reason why a changed program keeps its default form."""
    text = changed(PROGRAM, *edits)
    (finding,) = found(text, "TFM802", target=TARGET)
    assert not found(text, "TFM803", target=TARGET)
    return finding.message


def test_the_graph_becomes_a_function_and_the_runs_become_calls() -> None:
    after = converted()
    assert "  x = tf.TensorSpec([None, 3], tf.float32)\n" in after
    assert (
        """
  def model(x, y):
    # what the network says
    predicted = network(x) * scale
    loss = tf.reduce_mean(tf.square(predicted - y))
    error = tf.reduce_mean(tf.abs(predicted - y))
    return loss, error
"""
        in after
    )
    assert "    value, step = train_step(a, b)\n" in after
    assert "print('error', evaluate(a, b).numpy(), scale.numpy())" in after
    assert "trainable_variables = [scale, *model_variables.trainable_variables]" in after
    assert "    with model_variables.scope('layer_%d' % number):\n" in after


def test_names_have_their_values_where_they_are_read() -> None:
    after = converted(
        ("RATE)", "rate)"),
        ("  global_step = ", "  rate = RATE\n  saver = tf.train.Saver()\n  global_step = "),
        ("    print('error'", "    saver.save(sess, 'out' + '/model')\n    print('error'"),
    )
    made = "  optimizer = keras.optimizers.Adam(rate, "
    order = ["  rate = RATE\n", made, "  def model(x, y):", "get_concrete_function(x, y)"]
    order += ["trainable_variables = [scale", "optimizer.build(", "def train_step", "saver = tf"]
    places = [after.index(text) for text in order]
    assert places == sorted(places)


def test_nothing_of_tensorflow_1_is_left() -> None:
    after = converted()
    for word in ("compat", "tfmigrate", "placeholder", "get_variable(", "tf.train.Adam"):
        assert word not in after


def test_results_that_are_used_as_arrays_become_arrays() -> None:
    after = converted(("print('step %d: %.4f' % (step, value))", "print(step, value.ravel())"))
    assert "value, step = [value.numpy() for value in train_step(a, b)]" in after


def test_a_dictionary_that_is_fed_becomes_a_tuple() -> None:
    after = converted(
        (
            "      _, value, step = sess.run("
            "[train_op, loss, global_step], feed_dict={x: a, y: b})",
            "      feed = {x: a, y: b}\n"
            "      _, value, step = sess.run([train_op, loss, global_step], feed_dict=feed)",
        )
    )
    assert "    feed = (a, b)\n    value, step = train_step(*feed)\n" in after


def test_a_function_may_fill_a_list_of_its_own() -> None:
    after = converted(
        ("  net = inputs\n", "  net, seen = inputs, []\n"),
        ("      net = tf.nn.relu(", "      seen.append(net)\n      net = tf.nn.relu("),
    )
    assert "      seen.append(net)\n" in after


def test_a_graph_without_placeholders_has_functions_without_arguments() -> None:
    text = """import tensorflow as tf

w = tf.Variable(1.0)
loss = tf.square(w - 3.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
sess.run(init)
for _ in range(10):
  sess.run(train)
print(sess.run(loss))
"""
    after = migrated(text, target=TARGET)
    assert "for _ in range(10):\n  train_step()\nprint(evaluate().numpy())\n" in after
    assert "@tf.function\ndef train_step():\n" in after
    assert "init" not in after


def test_variables_in_a_dictionary_are_trained_in_its_order() -> None:
    after = converted(
        ("tf.Variable(1.0, name='scale')", "{'a': tf.Variable(1.0), 'b': tf.Variable([2.0])}"),
        ("network(x) * scale", "network(x) * scale['a'] + scale['b']"),
        (", sess.run(scale)", ""),
    )
    assert "trainable_variables = [*scale.values(), *model_variables.trainable_variables]" in after


def test_a_saver_becomes_a_checkpoint_manager() -> None:
    after = converted(
        ("  with tf.Session", "  saver = tf.train.Saver()\n  with tf.Session"),
        (
            "    print('error'",
            "    saver.save(sess, 'out' + '/model.ckpt', global_step)\n    print('error'",
        ),
    )
    assert "saver = tf.train.CheckpointManager(" in after
    assert "saver.save(checkpoint_number=optimizer.iterations)" in after


def test_statements_about_gradients_are_those_of_the_step() -> None:
    after = converted(
        (
            "  train_op = optimizer.minimize(loss, global_step=global_step)",
            "  pairs = optimizer.compute_gradients(loss)\n"
            "  grads, names = zip(*pairs)\n"
            "  grads, norm = tf.clip_by_global_norm(grads, 5.0)\n"
            "  train_op = optimizer.apply_gradients(zip(grads, names), global_step)",
        ),
        ("[train_op, loss, global_step]", "[train_op, norm, global_step]"),
    )
    assert (
        """
      loss, _ = model(x, y)
    pairs = list(zip(tape.gradient(loss, trainable_variables), trainable_variables))
    grads, names = zip(*pairs)
    grads, norm = tf.clip_by_global_norm(grads, 5.0)
    optimizer.apply_gradients(zip(grads, names))
    return norm, optimizer.iterations
"""
        in after
    )


def test_summaries_that_are_not_computed_are_gone() -> None:
    edit = ("  global_step = ", "  tf.summary.scalar('loss', loss)\n  global_step = ")
    assert converted(edit) == converted()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("  error = ", "  print('building')\n  error = ", None),
        (
            "  predicted = network(x) * scale",
            "  predicted = network(x) * np.random.rand()",
            "calls",
        ),
        ("  return tf.layers.dense", "  print('once')\n  return tf.layers.dense", "calls `print`"),
        (
            "  return tf.layers.dense(net, 1, name='out')",
            "  return tf.layers.dense(net, 1)",
            "without a `name`",
        ),
        (
            "  return tf.layers.dense(net, 1, name='out')",
            "  return tf.layers.batch_normalization(net, training=True)",
            "depends on the mode",
        ),
        ("  with tf.Session", "  scale = 3\n  with tf.Session", "scale"),
        ("  with tf.Session", "  x = 3\n  with tf.Session", "x"),
        ("  with tf.Session", "  print(loss)\n  with tf.Session", "is not shown"),
        ("      if step == 10", "      print(loss)\n      if step == 10", "outside of `run`"),
        ("      if step == 10", "      evaluate(sess)\n      if step == 10", "of the session"),
        ("sess.run(error, {x: a, y: b})", "sess.run(error, {x: a})", "feeds other placeholders"),
        ("sess.run(error, {x: a, y: b})", "sess.run(error, {loss: a})", "not a placeholder"),
        ("sess.run(error, {x: a, y: b})", "sess.run(batches)", "no tensor of the graph"),
        ("_, value, step = ", "done, value, step = ", None),
        ("      if step == 10", "      print(_)\n      if step == 10", None),
        ("optimizer.minimize(loss,", "optimizer.minimize(loss * 2,", "not a tensor"),
        ("AdamOptimizer(RATE)", "ProximalAdagradOptimizer(RATE)", "optimizer"),
        ("tf.train.get_or_create_global_step()", "tf.Variable(5, trainable=False)", "begin at 0"),
        (
            "tf.reduce_mean(tf.square(predicted - y))",
            "tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits("
            "labels=tf.nn.softmax(predicted), logits=predicted))",
            "labels that are computed",
        ),
        ("tf.abs(predicted - y)", "tf.where(y > 0, y, predicted)", "`tf.where`"),
        ("tf.abs(predicted - y)", "tf.py_func(abs, [y], tf.float32)", "`tf.py_func`"),
        (
            "  global_step = ",
            "  with tf.control_dependencies([loss]):\n    error = tf.identity(error)\n"
            "  global_step = ",
            "control_dependencies",
        ),
        (
            "  with tf.Session",
            "  with tf.Session() as first:\n    pass\n  with tf.Session",
            "several",
        ),
        ("  with tf.Session()", "  with tf.Session('grpc://host:1')", "a target or a graph"),
        (
            "  loss = tf.reduce_mean(tf.square(predicted - y))",
            "  losses = []\n  losses.append(tf.square(predicted - y))\n"
            "  loss = tf.reduce_mean(losses[0])",
            "`losses` is changed",
        ),
        (
            "  return tf.layers.dense(net, 1, name='out')",
            "  SEEN.append(net)\n  return tf.layers.dense(net, 1, name='out')",
            "`SEEN` is changed",
        ),
        (
            "  error = ",
            "  parts = {}\n  parts['loss'] = tf.identity(loss)\n  error = ",
            "`parts` is changed",
        ),
        ("\nmain()\n", "\nmain()\nmain()\n", "may be made again"),
        ("\nmain()\n", "\nfor _ in range(3):\n  main()\n", "may be made again"),
        ("  with tf.Session", "  loss = loss * 2\n  with tf.Session", "after it is minimized"),
        ("AdamOptimizer(RATE)", "AdamOptimizer(x)", "the optimizer depends on the tensor `x`"),
        (
            "AdamOptimizer(RATE)",
            "AdamOptimizer(scale)",
            "the optimizer depends on the tensor `scale`",
        ),
        (
            "optimizer.minimize(loss, global_step=global_step)",
            "optimizer.apply_gradients([(g * error, v) for g, v in "
            "optimizer.compute_gradients(loss)])",
            "not one call computes",
        ),
        (
            "  train_op = optimizer.minimize(loss, global_step=global_step)",
            "  pairs = optimizer.compute_gradients(loss)\n"
            "  pairs = [(g * error, v) for g, v in pairs]\n"
            "  train_op = optimizer.apply_gradients(pairs)",
            "depend on the tensor `error`",
        ),
        (
            "  train_op = optimizer.minimize(loss, global_step=global_step)",
            "  pairs = optimizer.compute_gradients(loss, [scale])\n"
            "  train_op = optimizer.apply_gradients(pairs)",
            "not one call computes",
        ),
        ("  global_step = ", "  other = optimizer = None\n  global_step = ", None),
    ],
)
def test_what_would_differ_is_refused(old: str, new: str, reason: str | None) -> None:
    if reason is None:
        text = changed(PROGRAM, (old, new))
        assert found(text, "TFM802", target=TARGET) or "session" not in migrated(
            text, target=TARGET
        )
        return
    assert reason in refused((old, new))


CLUSTER = Path(__file__).parents[2] / "fixtures/replica_device_setter/sync_monitored_hook"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "logits = inference(series)",
            "logits = inference(tf.gather(tf.gather(series, labels), labels))",
            "average the rows of several lookups",
        ),
        (
            "    with tf.variable_scope('out'):",
            "    for _ in range(2):\n        hidden = tf.gather(hidden, [0])\n"
            "    with tf.variable_scope('out'):",
            "average the rows of several lookups",
        ),
        ("num_tokens=0", "num_tokens=2", "ran ahead of each other"),
        (
            "optimizer = tf.train.SyncReplicasOptimizer(",
            "other = tf.train.SyncReplicasOptimizer(",
            "not the one that synchronizes",
        ),
        ("            loss = tf", "            print(server)\n            loss = tf", "to join it"),
        ("hooks=hooks", "hooks=hooks, save_summaries_steps=5", None),
        ("save_checkpoint_secs=600", "save_checkpoint_secs=None", "saves no checkpoints"),
        (
            "        is_chief = ",
            "        w = tf.Variable(1.0)\n        is_chief = ",
            "outside of the",
        ),
    ],
)
def test_workers_of_a_cluster(old: str, new: str, reason: str | None) -> None:
    text = (CLUSTER / "original.py").read_text("utf-8")
    text = text.replace("            tf.summary.scalar('loss', loss)\n", "")
    text = text.replace("            tf.summary.scalar('accuracy', accuracy)\n", "")
    assert text.count(old) == 1
    text = text.replace(old, new)
    if reason is None:
        assert "MultiWorkerMirroredStrategy" in migrated(text, target=TARGET)
    else:
        assert reason in found(text, "TFM802", target=TARGET)[0].message


def test_names_of_classes_and_imports_are_taken() -> None:
    text = PROGRAM.replace("RATE = 0.1\n", "from mine import *\n\n\nclass train_step:\n  pass\n")
    text = text.replace("from mine import *", "import training_step").replace("(RATE)", "(0.1)")
    after = migrated(text, target=TARGET, unsafe=True)
    assert "def step_function(" in after
    assert "class train_step:" in after
