"""When a program trains synchronously, and how that is asked at other places."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from support import source

from tfmigrate.families.device_setter.synchrony import Plan, Synchrony, synchrony
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program

HEAD = "import tensorflow as tf\nFLAGS = tf.app.flags.FLAGS\n"
SYNC = "tf.train.SyncReplicasOptimizer(opt, 2)"
SETTER = "tf.train.replica_device_setter(cluster=cluster)"


def planned(text: str) -> Plan:
    module = Module(source(Path("/nowhere/program.py"), text))
    return synchrony(Program([module]), module)


def main(wrapping: str, before: str = "", head: str = "") -> str:
    """Returns a program with code that wraps an optimizer, within the setter's block."""
    lines = textwrap.indent(textwrap.dedent(wrapping), " " * 6)
    return (
        HEAD
        + textwrap.dedent(head)
        + "def main(_):\n"
        + textwrap.indent(textwrap.dedent(before), "  ")
        + "  server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)\n"
        + '  if FLAGS.job_name == "worker":\n'
        + f"    with tf.device({SETTER}):\n"
        + "      opt = tf.train.AdamOptimizer()\n"
        + lines
    )


def test_no_wrapper_is_never() -> None:
    plan = planned(main("train_op = opt.minimize(loss)\n"))
    assert plan == Plan(Synchrony.NEVER)


def test_wrapper_in_a_comment_is_never() -> None:
    assert planned(main("# opt = tf.train.SyncReplicasOptimizer(opt)\n")).obstacles == ()


def test_no_condition_is_always() -> None:
    plan = planned(main(f"opt = {SYNC}\n"))
    assert plan.synchrony is Synchrony.ALWAYS
    assert [site.condition for site in plan.servers] == ["True"]
    assert plan.obstacles == ()


@pytest.mark.parametrize(
    ("wrapping", "condition"),
    [
        (f"if FLAGS.sync_replicas:\n  opt = {SYNC}\n", "FLAGS.sync_replicas"),
        (f"opt = {SYNC} if FLAGS.sync else opt\n", "FLAGS.sync"),
        (f"opt = opt if FLAGS.asynchronous else {SYNC}\n", "not FLAGS.asynchronous"),
        (f"if not FLAGS.asynchronous:\n  opt = {SYNC}\n", "not FLAGS.asynchronous"),
        (f"if FLAGS.issync == 1:\n  opt = {SYNC}\n", "FLAGS.issync == 1"),
        (f"if not FLAGS.sync:\n  pass\nelse:\n  opt = {SYNC}\n", "FLAGS.sync"),
        (
            f"if FLAGS.a:\n  if FLAGS.b:\n    opt = {SYNC}\n",
            "FLAGS.a and FLAGS.b",
        ),
        (
            f"if FLAGS.sync:\n  if FLAGS.n is None:\n    opt = {SYNC}\n  else:\n    opt = {SYNC}\n",
            "FLAGS.sync",
        ),
        (
            f"if FLAGS.a:\n  opt = {SYNC}\nelif FLAGS.b:\n  opt = {SYNC}\n",
            "FLAGS.a or (not FLAGS.a and FLAGS.b)",
        ),
        (f'if FLAGS.mode == "sync":\n  opt = {SYNC}\n', 'FLAGS.mode == "sync"'),
        (f"if (FLAGS.sync and\n    FLAGS.n):\n  opt = {SYNC}\n", "FLAGS.sync and FLAGS.n"),
        (
            f"if len(FLAGS.hosts.split(',')) > 1:\n  opt = {SYNC}\n",
            "len(FLAGS.hosts.split(',')) > 1",
        ),
    ],
)
def test_condition(wrapping: str, condition: str) -> None:
    plan = planned(main(wrapping))
    assert (plan.synchrony, plan.condition) == (Synchrony.FLAG, condition)
    assert [site.condition for site in plan.servers] == [condition]
    assert plan.obstacles == ()


def test_both_branches_are_always() -> None:
    plan = planned(main(f"if FLAGS.adam:\n  opt = {SYNC}\nelse:\n  opt = {SYNC}\n"))
    assert plan.synchrony is Synchrony.ALWAYS


def test_role_of_the_job_is_no_condition() -> None:
    # The `if` around the setter is around the optimizer as well.
    text = main(f"opt = {SYNC}\n").replace(
        '  if FLAGS.job_name == "worker"',
        '  if FLAGS.job_name == "ps":\n    server.join()\n    return\n  if FLAGS.x',
    )
    assert planned(text).synchrony is Synchrony.ALWAYS


@pytest.mark.parametrize(
    "before", ["is_sync = FLAGS.sync and FLAGS.n > 1\n", "is_sync = FLAGS.sync\nn = 2\n"]
)
def test_local_name_bound_before_the_server(before: str) -> None:
    plan = planned(main(f"if is_sync:\n  opt = {SYNC}\n", before))
    assert (plan.condition, plan.servers[0].condition) == ("is_sync", "is_sync")


def test_local_name_bound_after_the_server_is_written_out() -> None:
    plan = planned(main(f"sync = FLAGS.sync == 1\nif sync:\n  opt = {SYNC}\n"))
    assert (plan.condition, plan.servers[0].condition) == ("FLAGS.sync == 1",) * 2
    assert plan.obstacles == ()


def test_module_level_name() -> None:
    plan = planned(main(f"if SYNC:\n  opt = {SYNC}\n", head="SYNC = FLAGS.sync\n"))
    assert (plan.condition, plan.servers[0].condition) == ("SYNC", "SYNC")


def test_flags_parsed_at_the_end_of_the_file() -> None:
    text = main(f"if FLAGS.sync:\n  opt = {SYNC}\n").replace(
        "FLAGS = tf.app.flags.FLAGS", "FLAGS = None"
    )
    text += "if __name__ == '__main__':\n  FLAGS, _ = parser.parse_known_args()\n  tf.app.run()\n"
    plan = planned(text)
    assert (plan.condition, plan.obstacles) == ("FLAGS.sync", ())


def test_straight_script() -> None:
    text = f"""\
{HEAD}
server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)
with tf.device({SETTER}):
  if FLAGS.sync:
    opt = {SYNC}
"""
    plan = planned(text)
    assert (plan.servers[0].condition, plan.obstacles) == ("FLAGS.sync", ())


@pytest.mark.parametrize(
    ("wrapping", "before", "reason"),
    [
        (f"if FLAGS.sync:\n  opt = {SYNC}\n", "FLAGS.sync = True\n", "is assigned at program.py:4"),
        (f"if ask():\n  opt = {SYNC}\n", "", "may return a different value later"),
        (f"if hosts:\n  opt = {SYNC}\n", "hosts = []\nhosts.append(1)\n", "is modified at line 5"),
        (f"if [x for x in y]:\n  opt = {SYNC}\n", "", "cannot resolve"),
        (f"for n in a:\n  if n:\n    opt = {SYNC}\n", "", "`n` has more than one value"),
        (f"opt = FLAGS.sync and {SYNC} or opt\n", "", "it is an operand of `and` or `or`"),
        (f"if unknown:\n  opt = {SYNC}\n", "", "`unknown` is not bound in the file"),
    ],
)
def test_condition_that_may_change(wrapping: str, before: str, reason: str) -> None:
    plan = planned(main(wrapping, before))
    assert any(reason in o.reason for o in plan.obstacles)


HELPER = """\
def wrap(opt, sync):
  if sync:
    opt = tf.train.SyncReplicasOptimizer(opt, 2)
  return opt
"""


def test_parameter_of_a_helper_is_its_argument() -> None:
    plan = planned(main("opt = wrap(opt, FLAGS.sync)\n", head=HELPER))
    assert (plan.condition, plan.servers[0].condition) == ("FLAGS.sync", "FLAGS.sync")
    assert plan.obstacles == ()
    plan = planned(main("opt = wrap(opt, sync=FLAGS.sync)\n", head=HELPER))
    assert (plan.condition, plan.obstacles) == ("FLAGS.sync", ())


def test_parameter_of_a_helper_that_is_called_twice() -> None:
    plan = planned(main("a = wrap(opt, FLAGS.a)\nb = wrap(opt, FLAGS.b)\n", head=HELPER))
    assert plan.obstacles


def test_helper_called_under_a_condition() -> None:
    helper = "def wrap(opt):\n  return tf.train.SyncReplicasOptimizer(opt, 2)\n"
    plan = planned(main("if FLAGS.sync:\n  opt = wrap(opt)\n", head=helper))
    assert (plan.synchrony, plan.condition) == (Synchrony.FLAG, "FLAGS.sync")
    plan = planned(main("opt = wrap(opt)\n", head=helper))
    assert plan.synchrony is Synchrony.ALWAYS


def test_helper_that_returns_early() -> None:
    helper = f"def wrap(opt):\n  if not FLAGS.sync:\n    return opt\n  return {SYNC}\n"
    plan = planned(main("opt = wrap(opt)\n", head=helper))
    assert (plan.condition, plan.obstacles) == ("FLAGS.sync", ())


def test_object_that_holds_the_flag() -> None:
    text = f"""\
{HEAD}
class Trainer:
  def __init__(self, flags):
    self.sync = flags.sync

  def start(self):
    self.server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)

  def build(self):
    with tf.device({SETTER}):
      if self.sync:
        opt = {SYNC}
"""
    plan = planned(text)
    assert (plan.condition, plan.servers[0].condition) == ("self.sync", "self.sync")
    assert plan.obstacles == ()
    changed = text + "  def stop(self):\n    self.sync = False\n"
    assert planned(changed).obstacles


def test_flag_that_an_object_keeps_too() -> None:
    keeper = "class Trainer:\n  def __init__(self):\n    self.sync = FLAGS.sync\n\n"
    plan = planned(main(f"if FLAGS.sync:\n  opt = {SYNC}\n", head=keeper))
    assert (plan.condition, plan.obstacles) == ("FLAGS.sync", ())
    changing = keeper.replace("__init__", "turn_off")
    assert planned(main(f"if FLAGS.sync:\n  opt = {SYNC}\n", head=changing)).obstacles
