"""TFM306: tokens that let workers run ahead."""

from __future__ import annotations

import pytest
from support import check_kept, findings, found, migrated
from sync_support import WRAPPED, program

SESSION = """\
hook = {}
with tf.train.MonitoredTrainingSession(server.target, is_chief, hooks=[hook]) as sess:
  sess.run(train_op, {{x: [[1, 2, 3, 4]]}})
"""


def with_tokens(call: str) -> str:
    return program(WRAPPED, SESSION.format(call))


@pytest.mark.parametrize(
    "call",
    [
        "opt.make_session_run_hook(is_chief, num_tokens=0)",
        "opt.make_session_run_hook(is_chief, 0)",
        "opt.get_init_tokens_op(num_tokens=0)",
        "opt.get_init_tokens_op(0)",
        "opt.get_chief_queue_runner()",
    ],
)
def test_lock_step_is_no_finding(call: str) -> None:
    assert findings(with_tokens(call)) == []
    assert "between_graph.SyncReplicasOptimizer(" in migrated(with_tokens(call))


@pytest.mark.parametrize(
    "call",
    [
        "opt.make_session_run_hook(is_chief)",
        "opt.make_session_run_hook(is_chief, num_tokens=-1)",
        "opt.make_session_run_hook(is_chief, num_tokens=FLAGS.tokens)",
        "opt.get_init_tokens_op()",
        "opt.get_init_tokens_op(2)",
    ],
)
def test_running_ahead_needs_unsafe(call: str) -> None:
    text = with_tokens(call)
    check_kept(text)
    (finding,) = found(text, "TFM306")
    assert (finding.severity.value, finding.applied, finding.line) == ("kept", False, 18)
    assert finding.unsafe_converts
    assert "between_graph.SyncReplicasOptimizer(" in migrated(text, unsafe=True)
    # What a first run kept can be converted by another one.
    again = migrated(migrated(text), unsafe=True)
    assert "between_graph.SyncReplicasOptimizer(" in again
    assert "replica_fn" in again
    assert "sync_replicas=True)" in again
    (finding,) = found(text, "TFM306", unsafe=True)
    assert finding.applied


def test_tokens_of_an_asynchronous_program_are_nobodys() -> None:
    text = program("", SESSION.format("tokens.get_init_tokens_op()"))
    assert found(text, "TFM306") == []


def test_backup_workers_that_only_flags_know() -> None:
    session = SESSION.format("opt.make_session_run_hook(is_chief)")
    text = program(
        WRAPPED.replace("opt, 2, total_num_replicas=2", "opt, FLAGS.n, FLAGS.all"), session
    )
    (finding,) = found(text, "TFM306")
    assert finding.action.endswith(
        "; `FLAGS.all` and `FLAGS.n` have to be the number of workers: there are no backup replicas"
    )
    (finding,) = found(with_tokens("opt.make_session_run_hook(is_chief)"), "TFM306")
    assert finding.action.endswith("lockstep in TensorFlow 1.x too")
