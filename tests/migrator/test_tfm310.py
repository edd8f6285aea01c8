"""TFM310: what keeps a program from having a coordinator."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated, run

CODE = "TFM310"
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


def test_a_program_that_gets_one() -> None:
    assert found(PROGRAM, CODE, coordinator=True) == []
    assert run(PROGRAM, coordinator=True).texts


@pytest.mark.parametrize(
    ("old", "new"),
    [("make_train_op(x)", "tf.train.batch([x], 4)"), ("x = tf", "x = tf.py_func(f, [], 'float')")],
)
def test_nothing_is_said_without_the_option(old: str, new: str) -> None:
    assert found(program(old, new), CODE) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("x = tf.placeholder(tf.float32, [None, 784])", "x = tf.train.batch([read()], 32)", 8),
        ("make_train_op(x)", "tf.py_func(f, [x], tf.float32)", 9),
        (
            "x = tf.placeholder(tf.float32, [None, 784])",
            "x = tf.data.Dataset.range(4).make_one_shot_iterator().get_next()",
            8,
        ),
        ("make_train_op(x)", "tf.train.SyncReplicasOptimizer(opt, 2).minimize(x)", 9),
        (
            "server = tf.train.Server(",
            "server = tf.train.Server(cluster)\nserver = tf.train.Server(",
            5,
        ),
    ],
)
def test_what_is_in_the_way_keeps_the_program(old: str, new: str, line: int) -> None:
    text = program(old, new)
    reported = found(text, CODE, coordinator=True)
    assert line in [f.line for f in reported]
    assert {f.severity.value for f in reported} == {"manual"}
    check_unchanged(text, coordinator=True)


ESTIMATOR = """\
import tensorflow as tf

config = tf.estimator.RunConfig(model_dir='out')
tf.estimator.train_and_evaluate(tf.estimator.Estimator(model_fn, config=config), train, test)
"""


def test_an_estimator_keeps_its_loops_and_is_migrated() -> None:
    (finding,) = found(ESTIMATOR, CODE, coordinator=True)
    assert finding.line == 4
    assert "--coordinator has no effect on an Estimator" in finding.message
    after = migrated(ESTIMATOR, coordinator=True)
    assert "estimator.train_and_evaluate(estimator.Estimator(" in after
    assert found(ESTIMATOR, CODE) == []
