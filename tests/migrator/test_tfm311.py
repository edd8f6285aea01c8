"""TFM311: with a coordinator, only the loop and data of task 0 remain."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

CODE = "TFM311"
PROGRAM = """\
import tensorflow as tf

cluster = tf.train.ClusterSpec({'ps': ps_hosts, 'worker': worker_hosts})
server = tf.train.Server(cluster, job_name=job_name, task_index=task_index)
if job_name == 'ps':
  server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
  x = tf.placeholder(tf.float32, [None, 784])
  train_op = make_train_op(x)
with tf.train.MonitoredTrainingSession(master=server.target) as sess:
  sess.run(train_op, feed_dict={x: images()})
"""


def program(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


SHARE = ("images()", "images()[task_index::2]")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("images()", "images()"),
        ("server.target)", "server.target, is_chief=(task_index == 0))"),
        ("  train_op = make", "  print('worker', task_index)\n  train_op = make"),
    ],
)
def test_placement_messages_and_the_chief_are_no_matter(old: str, new: str) -> None:
    assert found(program(old, new), CODE, coordinator=True) == []


def test_nothing_is_said_without_the_option() -> None:
    assert found(program(*SHARE), CODE) == []


def test_a_share_of_the_data_needs_unsafe() -> None:
    text = program(*SHARE)
    (finding,) = found(text, CODE, coordinator=True)
    assert (finding.line, finding.severity.value, finding.applied) == (11, "unsafe", False)
    check_unchanged(text, coordinator=True)


def test_with_unsafe_the_program_gets_its_coordinator() -> None:
    after = migrated(program(*SHARE), coordinator=True, unsafe=True)
    assert "strategy = coordinator.parameter_server_strategy(cluster=cluster)" in after
    assert "images()[task_index::2]" in after
