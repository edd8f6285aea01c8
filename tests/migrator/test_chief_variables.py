"""Variables that only some workers make keep a synchronous program as it is, and no other."""

from __future__ import annotations

import textwrap

import pytest
from support import check_kept, found, migrate_tree, migrated
from sync_support import HEAD, SESSION, WRAPPED, program

AVERAGE = "averages = tf.train.ExponentialMovingAverage(0.9)\n"
CHIEF_AVERAGE = f"{AVERAGE}if is_chief:\n  loss_op = averages.apply([loss])\n"
MODEL = """\
def model(x, reuse=False):
  with tf.variable_scope('model', reuse=reuse):
    return tf.layers.dense(x, 1)

"""
EVALUATION = """\
def evaluate():
  with tf.Graph().as_default():
    model(tf.zeros([1, 4]))
    tf.train.Saver()

"""


def with_helper(helper: str, wrapping: str) -> str:
    """Returns a synchronous program with functions of its own."""
    return program(wrapping + WRAPPED, head=HEAD.replace("def main", f"{helper}def main"))


def check_reported(text: str, part: str, condition: str) -> None:
    """Checks that a program is kept, also with --unsafe, for a variable under a condition."""
    for unsafe in (False, True):
        check_kept(text, unsafe=unsafe)
    (finding,) = found(text, "TFM307")
    assert part in text.splitlines()[finding.line - 1]
    assert f"depends on {condition}" in finding.message
    assert "out of the condition" in finding.action


@pytest.mark.parametrize(
    "wrapping",
    [
        "if is_chief:\n  tf.summary.scalar('loss', loss)\n",
        "hooks = []\nif is_chief:\n  hooks.append(tf.train.CheckpointSaverHook('logs', 10))\n",
        "if is_chief:\n  saver = tf.train.Saver()\n  print('chief')\n",
        "if FLAGS.task_index == 0:\n  evaluate()\n",
        "if is_chief:\n  with tf.Graph().as_default():\n    tf.Variable(0)\n",
        "model(x)\nif is_chief:\n  tf.summary.histogram('y', model(x, reuse=True))\n",
        "if is_chief:\n  tf.get_variable_scope().reuse_variables()\n  model(x)\n",
        "if is_chief:\n  y = model(x)\nelse:\n  y = model(x)\n",
        "y = model(x) if is_chief else model(x)\n",
        "if FLAGS.task_index is None or FLAGS.task_index < 0:\n  raise ValueError\nmodel(x)\n",
        "if FLAGS.deep:\n  model(x)\n",
        "count = tf.Variable(0)\nif is_chief:\n  read_op = tf.identity(count)\n",
    ],
)
def test_conditions_that_make_no_variables_of_their_own(wrapping: str) -> None:
    text = with_helper(MODEL + EVALUATION, wrapping)
    assert found(text, "TFM307") == []
    assert "between_graph.multi_worker_mirrored_strategy(" in migrated(text, unsafe=True)


def test_method_of_another_object_of_the_same_name() -> None:
    helper = "class Net(object):\n  def run(self):\n    tf.Variable(0)\n\n"
    session = f"{SESSION}  if is_chief:\n    sess.run(step)\n"
    text = program(WRAPPED, session, HEAD.replace("def main", f"{helper}def main"))
    assert found(text, "TFM307") == []


@pytest.mark.parametrize(
    ("wrapping", "part", "condition"),
    [
        ("if is_chief:\n  count = tf.Variable(0)\n", "tf.Variable", "`is_chief`"),
        ("if is_chief and FLAGS.log:\n  tf.get_variable('c', [])\n", "tf.get", "`is_chief and"),
        ("if FLAGS.task_index == 0:\n  y = model(x)\n", "tf.layers", "`FLAGS.task_index == 0`"),
        ("if FLAGS.task_index > 0:\n  pass\nelse:\n  model(x)\n", "tf.layers", "`FLAGS.task"),
        ("chief = not FLAGS.task_index\nif chief:\n  model(x)\n", "tf.layers", "`chief`"),
        ("tf.Variable(0) if is_chief else None\n", "tf.Variable(0)", "`is_chief`"),
        ("if is_chief:\n  with tf.variable_scope('m', reuse=True):\n    tf.Variable(0)\n",
         "tf.Variable", "`is_chief`"),
        ("net = Net(is_chief)\nnet.build()\n", "tf.Variable(1)", "`self.is_chief`"),
        ("average(loss, is_chief)\n", "apply", "`not on_chief`"),
        ("average(loss, on_chief=FLAGS.task_index == 0)\n", "apply", "`not on_chief`"),
        ("if first():\n  model(x)\n", "tf.layers", "`first()`"),
    ],
)  # fmt: skip
def test_variables_of_some_workers(wrapping: str, part: str, condition: str) -> None:
    helper = MODEL + textwrap.dedent(
        """\
        class Net(object):
          def __init__(self, is_chief):
            self.is_chief = is_chief
          def build(self):
            if self.is_chief:
              return tf.Variable(1)

        def average(loss, on_chief):
          if not on_chief:
            return loss
          return tf.train.ExponentialMovingAverage(0.9).apply([loss])

        def first():
          return FLAGS.task_index == 0

        """
    )
    check_reported(with_helper(helper, wrapping), part, condition)


def test_line_of_the_condition() -> None:
    check_reported(program(CHIEF_AVERAGE + WRAPPED), "averages.apply", "`is_chief` (program.py:17)")


def test_optimizer_of_the_chief() -> None:
    wrapping = f"if is_chief:\n  other_op = opt.minimize(loss)\n{WRAPPED}"
    check_reported(program(wrapping), "other_op = opt.minimize(loss)", "`is_chief`")


def test_below_the_block() -> None:
    text = program(WRAPPED, f"if is_chief:\n  count = tf.Variable(0)\n{SESSION}")
    check_reported(text, "tf.Variable", "`is_chief`")


def test_flags_and_functions_of_other_files() -> None:
    losses = (
        "import tensorflow as tf\nFLAGS = tf.app.flags.FLAGS\n\n"
        "def log(loss):\n  if FLAGS.task_index == 0:\n"
        "    return tf.train.ExponentialMovingAverage(0.9).apply([loss])\n\n"
        "def count(is_chief):\n  return tf.Variable(0) if is_chief else None\n"
    )
    for call, lines in (("log(loss)", [6]), ("count(is_chief)", [6, 9])):
        text = program(f"losses.{call}\n{WRAPPED}").replace("\n", "\nimport losses\n", 1)
        changed, reported = migrate_tree({"train.py": text, "losses.py": losses})
        assert "replica_fn" not in changed["train.py"]
        places = [(f.path, f.line) for f in reported if f.code == "TFM307"]
        assert sorted(places) == [("losses.py", line) for line in lines]


def test_condition_on_the_job_of_the_chief() -> None:
    wrapping = "if FLAGS.job_name == 'chief':\n  count = tf.Variable(0)\n"
    check_reported(program(wrapping + WRAPPED), "tf.Variable", "`FLAGS.job_name == 'chief'`")


def test_asynchronous_workers_may_make_different_variables() -> None:
    text = program(CHIEF_AVERAGE)
    assert found(text, "TFM307") == []
    assert "between_graph.parameter_server_strategy(" in migrated(text)


def test_average_of_tensors_that_the_chief_runs() -> None:
    """Its workers would wait for each other, as this average is that of all of them."""
    wrapping = f"{AVERAGE}loss_op = averages.apply({{}})\n{WRAPPED}"
    both = f"{SESSION}  if is_chief:\n    sess.run(loss_op)\n  else:\n    sess.run(loss_op)\n"
    for averaged in ("", "tf.trainable_variables()", "[tf.get_variable('w', [])]"):
        alone = program(wrapping.format(averaged), f"{SESSION}  if is_chief:\n    print(loss_op)\n")
        assert found(alone, "TFM307") == []
    assert found(program(wrapping.format("[loss]"), both), "TFM307") == []
    alone = program(wrapping.format("[loss]"), f"{SESSION}  if is_chief:\n    sess.run(loss_op)\n")
    (finding,) = found(alone, "TFM307")
    assert "which worker uses this average depends on `is_chief`" in finding.message
    in_step = f"{wrapping.format('[loss]')}fetches = [loss_op] if is_chief else []\n"
    assert len(found(program(in_step), "TFM307")) == 1
    check_kept(alone, unsafe=True)
