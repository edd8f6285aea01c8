"""TFM303: synchronous programs as a whole."""

from __future__ import annotations

import textwrap

import pytest
from support import check_kept, check_unchanged, findings, migrate_tree, migrated
from sync_support import GRAPH, HEAD, SESSION, SETTER, TRAIN, WRAPPED, program


def test_program_that_never_synchronizes_has_no_finding() -> None:
    after = migrated(program(""))
    assert "between_graph.parameter_server_strategy(" in after
    assert after.count("between_graph") == 3  # its import, the server and the strategy
    assert "sync_replicas" not in after
    assert "tf.train.MonitoredTrainingSession(" in after


def test_program_without_a_setter_is_left() -> None:
    check_unchanged("import tensorflow.compat.v1 as tf\nserver = tf.train.Server(cluster)\n")


def test_always() -> None:
    after = migrated(program(WRAPPED))
    assert "strategy = between_graph.multi_worker_mirrored_strategy(cluster=cluster)\n" in after
    assert "opt = between_graph.SyncReplicasOptimizer(opt, 2, total_num_replicas=2)\n" in after
    assert "sync_replicas=True)" in after
    assert "strategy=strategy) as sess:" in after
    assert "tf.train.S" not in after
    assert findings(program(WRAPPED)) == []


@pytest.mark.parametrize(
    ("wrapping", "condition"),
    [
        (f"if FLAGS.sync_replicas:\n  {WRAPPED}", "FLAGS.sync_replicas"),
        (f"if not FLAGS.asynchronous:\n  {WRAPPED}", "not FLAGS.asynchronous"),
        (
            "opt = tf.train.SyncReplicasOptimizer(opt, 2) if FLAGS.sync else opt\n",
            "FLAGS.sync",
        ),
        (f"is_sync = FLAGS.issync == 1\nif is_sync:\n  {WRAPPED}", "FLAGS.issync == 1"),
    ],
)
def test_server_and_strategy_have_the_same_condition(wrapping: str, condition: str) -> None:
    after = migrated(program(wrapping))
    assert after.count(f"sync_replicas={condition})") == 2
    assert "between_graph.strategy(" in after
    assert findings(program(wrapping)) == []


def test_tokens_without_run_ahead_are_kept() -> None:
    session = """\
hook = opt.make_session_run_hook(is_chief, num_tokens=0)
with tf.train.MonitoredTrainingSession(
    server.target, is_chief, hooks=[hook]) as sess:
  sess.run(train_op, {x: [[1, 2, 3, 4]]})
"""
    after = migrated(program(WRAPPED, session))
    assert "hook = opt.make_session_run_hook(is_chief, num_tokens=0)" in after
    assert "x, opt, train_op = strategy.run(replica_fn)" in after


SUPERVISOR = """\
if FLAGS.sync:
  local_init_op = opt.local_step_init_op
  if is_chief:
    local_init_op = opt.chief_init_op
  ready_op = opt.ready_for_local_init_op
  chief_queue_runner = opt.get_chief_queue_runner()
  init_tokens_op = opt.get_init_tokens_op(num_tokens=0)
init_op = tf.global_variables_initializer()
"""
LOOP = """\
if FLAGS.sync:
  sv = tf.train.Supervisor(
      is_chief=is_chief,
      init_op=init_op,
      local_init_op=local_init_op,
      ready_for_local_init_op=ready_op)
else:
  sv = tf.train.Supervisor(is_chief=is_chief, init_op=init_op)
with sv.managed_session(server.target) as sess:
  if is_chief and FLAGS.sync:
    sess.run(init_tokens_op)
    sv.start_queue_runners(sess, [chief_queue_runner])
  while not sv.should_stop():
    sess.run(train_op, {x: [[1, 2, 3, 4]]})
"""


@pytest.mark.parametrize("inside", [False, True])
def test_supervisor_with_queue_runner_and_tokens(inside: bool) -> None:
    part = textwrap.indent(SUPERVISOR, "  " * inside)
    session = part + textwrap.indent(LOOP, "  " * inside)
    if not inside:
        session = textwrap.indent(SUPERVISOR, "  ") + LOOP
    after = migrated(program(f"if FLAGS.sync:\n  {WRAPPED}", session))
    assert after.count("sync_replicas=FLAGS.sync)") == 2
    assert after.count("= between_graph.Supervisor(") == 2
    assert after.count("strategy=strategy)") == 2
    # What only the synchronous program makes is None in the other one, which never asks for it.
    for name in ("local_init_op", "ready_op", "chief_queue_runner", "init_tokens_op"):
        assert f"{name} = None\n" in after
    assert ("with strategy.scope():" in after) is inside


def test_names_imported_and_renamed() -> None:
    text = program(WRAPPED).replace("tf.train.SyncReplicasOptimizer", "Synchronous")
    text = text.replace("FLAGS =", "Synchronous = tf.train.SyncReplicasOptimizer\nFLAGS =", 1)
    after = migrated(text)
    assert "Synchronous = between_graph.SyncReplicasOptimizer\n" in after
    assert "opt = Synchronous(opt, 2, total_num_replicas=2)" in after


def test_question_for_the_class_is_renamed() -> None:
    ask = "assert isinstance(opt, tf.train.SyncReplicasOptimizer)\n"
    after = migrated(program(WRAPPED + ask))
    assert "isinstance(opt, between_graph.SyncReplicasOptimizer)" in after


def test_old_name_of_the_optimizer() -> None:
    wrapping = WRAPPED.replace("Optimizer(", "OptimizerV2(")
    assert "opt = between_graph.SyncReplicasOptimizer(opt, 2" in migrated(program(wrapping))


def test_every_server_is_reported() -> None:
    head = HEAD.replace(
        "  server = tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)\n"
        "  if FLAGS.job_name == 'ps':\n    server.join()\n",
        "  if FLAGS.job_name == 'ps':\n"
        "    tf.train.Server(cluster, 'ps', FLAGS.task_index).join()\n"
        "  server = tf.train.Server(cluster, 'worker', FLAGS.task_index)\n",
    )
    after = migrated(program(f"if FLAGS.sync:\n  {WRAPPED}", head=head))
    assert after.count("sync_replicas=FLAGS.sync)") == 3


def test_setter_kept_in_a_variable_names_the_strategy() -> None:
    text = program(WRAPPED).replace(
        "  with tf.device(tf.train.replica_device_setter(cluster=cluster)):",
        "  device_fn = tf.train.replica_device_setter(cluster=cluster)\n"
        "  with tf.device(device_fn):",
    )
    after = migrated(text)
    assert "device_fn = between_graph.multi_worker_mirrored_strategy(cluster=cluster)\n" in after
    assert "strategy=device_fn) as sess" in after


def test_straight_script() -> None:
    body = SETTER + GRAPH + textwrap.indent(f"if FLAGS.sync:\n  {WRAPPED}", "  ") + TRAIN + SESSION
    head = textwrap.dedent(HEAD.partition("def main(_):\n")[2])
    after = migrated(HEAD.partition("def main")[0] + head + body)
    assert after.count("sync_replicas=FLAGS.sync)") == 2
    assert "strategy=strategy) as sess" in after


OPTIMIZERS_PY = """\
import tensorflow as tf

def wrap(opt, workers):
  return tf.train.SyncReplicasOptimizer(opt, workers)
"""


def test_optimizer_in_another_file() -> None:
    text = program("opt = optimizers.wrap(opt, 2)\n").replace("\n", "\nimport optimizers\n", 1)
    changed, reported = migrate_tree({"train.py": text, "optimizers.py": OPTIMIZERS_PY})
    assert sorted(changed) == ["optimizers.py", "train.py"]
    assert "return between_graph.SyncReplicasOptimizer(opt, workers)" in changed["optimizers.py"]
    assert "between_graph.multi_worker_mirrored_strategy(" in changed["train.py"]
    assert {f.severity.value for f in reported} == {"fixed"}


def test_optimizer_in_another_file_under_a_condition_there() -> None:
    text = program("opt = optimizers.wrap(opt, 2)\n").replace("\n", "\nimport optimizers\n", 1)
    optimizers = OPTIMIZERS_PY.replace("  return", "  if workers > 1:\n    return")
    changed, reported = migrate_tree({"train.py": text, "optimizers.py": optimizers})
    assert all("between_graph.Sync" not in after for after in changed.values())
    assert ("optimizers.py", "TFM307", 5) in [(f.path, f.code, f.line) for f in reported]


def test_optimizer_in_another_file_called_under_a_condition() -> None:
    text = program("if FLAGS.sync:\n  opt = optimizers.wrap(opt, 2)\n")
    text = text.replace("\n", "\nimport optimizers\n", 1)
    changed, _ = migrate_tree({"train.py": text, "optimizers.py": OPTIMIZERS_PY})
    assert changed["train.py"].count("sync_replicas=FLAGS.sync)") == 2
    assert "between_graph.SyncReplicasOptimizer(" in changed["optimizers.py"]


def test_optimizer_in_another_file_by_another_name() -> None:
    text = program("if FLAGS.sync:\n  opt = wrapped(opt, 2)\n")
    text = text.replace("\n", "\nfrom optimizers import wrap as wrapped\n", 1)
    changed, _ = migrate_tree({"train.py": text, "optimizers.py": OPTIMIZERS_PY})
    assert changed["train.py"].count("sync_replicas=FLAGS.sync)") == 2


def test_optimizer_in_another_file_that_nobody_calls() -> None:
    text = program("opt = build(optimizers.wrap, opt)\n").replace("\n", "\nimport optimizers\n", 1)
    text += "\ndef other(session):\n  session.wrap(1)\n"
    changed, reported = migrate_tree({"train.py": text, "optimizers.py": OPTIMIZERS_PY})
    assert all("between_graph.Sync" not in after for after in changed.values())
    (finding,) = [f for f in reported if f.code == "TFM307"]
    assert (finding.path, finding.line) == ("optimizers.py", 4)
    assert "cannot determine where `wrap` is called" in finding.message


def test_helper_that_is_handed_on() -> None:
    helper = "def wrap(opt):\n  return tf.train.SyncReplicasOptimizer(opt, 2)\n\n"
    text = program("opt = build(opt, wrap)\n").replace("def main", f"{helper}def main", 1)
    check_kept(text)
    assert "TFM307" in {code for code, _ in findings(text)}


def test_arguments_below_tabs_are_indented_by_them() -> None:
    text = program(WRAPPED).replace(
        "tf.train.Server(cluster, FLAGS.job_name, FLAGS.task_index)",
        "tf.train.Server(cluster,\n\t\t\t\tFLAGS.job_name,\n\t\t\t\tFLAGS.task_index)",
    )
    after = migrated(text)
    assert "\t\t\t\tFLAGS.task_index,\n\t\t\t\tsync_replicas=True)\n" in after


def test_function_with_the_name_of_a_package_of_tensorflow() -> None:
    # `tf.train.AdamOptimizer` in the block does not run it, so that the graph does not end there.
    function = "def train():\n  return tf.train.MonitoredTrainingSession('')\n\n"
    text = program("").replace("def main", f"{function}def main", 1)
    assert "x, train_op = strategy.run(replica_fn)" in migrated(text)
