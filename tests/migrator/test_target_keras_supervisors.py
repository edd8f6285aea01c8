"""--target keras and tf.train.Supervisor, and synchrony behind a flag."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from support import found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]
FLAGGED = Path(__file__).parents[2] / "fixtures/replica_device_setter/sync_flag_supervisor"
PROGRAM = """import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.zeros([3, 1]), name='w')
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
global_step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
sv = tf.train.Supervisor(logdir='/tmp/line', summary_op=None, save_model_secs=60)

with sv.managed_session() as sess:
  for step in range(10):
    if sv.should_stop():
      break
    _, value = sess.run([train_op, loss], {x: np.ones([2, 3])})
    print('%.4f' % value)
"""


def changed(text: str, *edits: tuple[str, str]) -> str:
    for old, new in edits:
        assert text.count(old) >= 1, old
        text = text.replace(old, new)
    return text


def converted(text: str, *edits: tuple[str, str]) -> str:
    after = migrated(changed(text, *edits), target=TARGET, unsafe=True)
    ast.parse(after)
    assert "session" not in after
    return after


def refused(text: str, *edits: tuple[str, str]) -> str:
    reasons = found(changed(text, *edits), "TFM802", target=TARGET)
    return "; ".join(finding.message for finding in reasons)


def test_a_supervisor_becomes_a_manager_of_checkpoints_in_its_place() -> None:
    after = converted(PROGRAM)
    assert (
        """
checkpoints = Checkpoints('/tmp/line', optimizer, trainable_variables, save_secs=60)

checkpoints.restore_or_initialize()
for step in range(10):
  value = train_step(np.ones([2, 3]))
  checkpoints.step_done()
  print('%.4f' % value)
"""
        in after
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("logdir='/tmp/line', ", "", "for step in range(10):\n  value = train_step("),
        ("summary_op=None,", "summary_op=None, saver=None,", "\nfor step in range(10):\n  value"),
        (
            "  for step in range(10):\n    if sv.should_stop():\n      break\n",
            "  step = 0\n  while not sv.should_stop() and step < 10:\n    step += 1\n",
            "while step < 10:\n  step += 1\n",
        ),
        (
            "  for step in range(10):\n    if sv.should_stop():\n      break\n",
            "  while not sv.should_stop():\n",
            "while True:\n  value = ",
        ),
        ("    print('%.4f' % value)\n", "  sv.stop()\n", "  checkpoints.step_done()\n"),
    ],
)
def test_forms_of_supervisors(old: str, new: str, expected: str) -> None:
    after = converted(PROGRAM, (old, new))
    assert expected in after
    assert "sv." not in after


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("summary_op=None", "init_fn=print", "`init_fn` of a Supervisor"),
        ("logdir='/tmp/line'", "checkpoint_basename='m'", "`checkpoint_basename` of"),
        ("logdir='/tmp/line'", "saver=tf.train.Saver([w])", "has arguments"),
        ("      break", "      sv.request_stop()", None),
        ("    print(", "    sv.request_stop()\n    print(", "`sv.request_stop` of"),
        ("    print(", "    sv.loop(60, print)\n    print(", "`sv.loop` of"),
        ("sv.managed_session()", "tf.Session()", "as well as that of a Supervisor"),
        (
            "    _, value = sess.run([train_op, loss], {x: np.ones([2, 3])})\n",
            "    value = 1 + (sess.run(train_op, {x: np.ones([2, 3])}) or 0)\n",
            "",
        ),
    ],
)
def test_what_a_supervisor_cannot_do_is_refused(old: str, new: str, reason: str | None) -> None:
    if reason is None:
        assert "request_stop" not in converted(PROGRAM, (old, new))
    else:
        assert reason in refused(PROGRAM, (old, new))


def flagged(*edits: tuple[str, str]) -> str:
    return changed((FLAGGED / "original.py").read_text("utf-8"), *edits)


def test_workers_that_do_not_step_together_end_with_an_error() -> None:
    after = converted(flagged())
    assert (
        """
  if not FLAGS.sync_replicas and strategy.num_replicas_in_sync > 1:
    raise ValueError("the workers step together: FLAGS.sync_replicas is needed")
"""
        in after
    )
    assert '  if FLAGS.job_name == "ps":\n    sys.exit()\n' in after
    assert after.count("FLAGS.sync_replicas") == 2
    messages = [f.message for f in found(flagged(), "TFM803", target=TARGET, unsafe=True)]
    assert any("unless there is one only" in message for message in messages)
    assert found(flagged(), "TFM802", target=TARGET)  # without --unsafe


OTHER_WAY = "  else:\n    sv = tf.train.Supervisor(\n        is_chief=is_chief, logdir="
WRAPPED = (
    ("    train_step = opt.minimize(cross_entropy, global_step=global_step)\n", ""),
    (
        "      opt = tf.train.SyncReplicasOptimizer(\n          opt,",
        "      rep = tf.train.SyncReplicasOptimizer(\n          opt,",
    ),
    (
        '          name="digits_sync_replicas")\n',
        '          name="digits_sync_replicas")\n'
        "      train_step = rep.minimize(cross_entropy, global_step=global_step)\n"
        "    else:\n"
        "      train_step = opt.minimize(cross_entropy, global_step=global_step)\n",
    ),
    *((f"opt.{start}", f"rep.{start}") for start in ("local_step", "chief_", "ready", "get_")),
)


def test_both_ways_may_make_their_training_operation() -> None:
    assert converted(flagged(*WRAPPED)) == converted(flagged())


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        (
            (
                *WRAPPED,
                (
                    "    else:\n      train_step = opt.minimize(c",
                    "    else:\n      train_step = opt.minimize(2 * c",
                ),
            ),
            "do something else here",
        ),
        (
            (
                (
                    "    if FLAGS.sync_replicas:\n      if",
                    "    if FLAGS.sync_replicas:\n      print('together')\n      if",
                ),
            ),
            "that step together only",
        ),
        (
            (
                (
                    "    if FLAGS.sync_replicas:\n      if",
                    "    if FLAGS.sync_replicas:\n"
                    "      cross_entropy = cross_entropy * 2\n      if",
                ),
            ),
            "that step together only",
        ),
        (
            (
                (
                    f"{OTHER_WAY}FLAGS.logdir",
                    f"{OTHER_WAY}'other'",
                ),
            ),
            "do something else here",
        ),
        ((("  is_chief = (", "  FLAGS.sync_replicas = False\n  is_chief = ("),), "is assigned at"),
    ],
)
def test_ways_that_differ_are_refused(edits: tuple[tuple[str, str], ...], reason: str) -> None:
    assert reason in refused(flagged(*edits))


def test_what_is_done_below_the_session_stays() -> None:
    edit = (
        "  if FLAGS.sync_replicas and is_chief:\n",
        "  if FLAGS.sync_replicas and is_chief:\n    print('starts')\n",
    )
    after = converted(flagged(edit))
    assert "  if FLAGS.sync_replicas and is_chief:\n    print('starts')\n" in after


def test_other_conditions_are_negated() -> None:
    after = converted(flagged(("if FLAGS.sync_replicas:", "if FLAGS.sync_replicas == True:")))
    assert "if FLAGS.sync_replicas != True and strategy" in after


def test_backup_workers_are_named() -> None:
    text = flagged(("total_num_replicas=num_workers", "total_num_replicas=num_workers + 1"))
    notes = found(text, "TFM802", target=TARGET) + found(text, "TFM803", target=TARGET, unsafe=True)
    assert any("whatever `replicas_to_aggregate` is" in note.message for note in notes)


@pytest.mark.parametrize(
    ("rows", "sizes", "counts"),  # measured: docs/explanation/semantics.md, 3
    [
        ([0, 3, 3, 4], [2, 2], [1, 2, 2, 1]),
        ([3, 0, 4, 3], [2, 2], [1, 1, 1, 1]),
        ([3, 3, 3, 3], [2, 2], [2, 2, 2, 2]),
        ([1, 2, 2, 3, 2], [2, 2, 1], [1, 3, 3, 1, 3]),
        ([5], [1, 0], [1]),
    ],
)
def test_rows_are_divided_by_the_workers_that_have_them(
    rows: list[int], sizes: list[int], counts: list[float]
) -> None:
    text = files("tfmigrate").joinpath("data/written_out/worker_average.py.txt").read_text("utf-8")
    (function,) = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name == "counts_of"
    ]
    names: dict[str, Any] = {"np": Arrays()}
    exec(compile(ast.Module([function], []), "counts_of", "exec"), names)
    assert names["counts_of"](rows, sizes).values == counts


class Arrays:
    """The little of NumPy that the function uses, which these tests have no need of."""

    float32 = float

    def __init__(self, values: list[float] | None = None) -> None:
        self.values = values or []

    def ones(self, count: int, dtype: type) -> Arrays:
        return Arrays([dtype(1)] * count)

    def __setitem__(self, places: list[int], value: float) -> None:
        for place in places:
            self.values[place] = value
