"""--target keras gives asynchronous workers a coordinator, or says which line it cannot."""

from __future__ import annotations

import ast
import re

import pytest
from support import found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

TARGET = TARGETS[KERAS]
PROGRAM = """import sys

import numpy as np
import tensorflow as tf

SIZE = 4
START = np.zeros(2)
ONES = [1.0]


def rows(seed):
    return np.random.RandomState(seed).rand(100, 3)


def main(job, task):
    cluster = tf.train.ClusterSpec({'ps': sys.argv[3].split(','), 'worker': sys.argv[4].split(',')})
    server = tf.train.Server(cluster, job_name=job, task_index=task)
    if job == 'ps':
        server.join()
    chief = task == 0
    data = rows(task)
    limit = 3
    with tf.device(tf.train.replica_device_setter(
            worker_device='/job:worker/task:%d' % task, cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.zeros([3, 1]))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        global_step = tf.train.get_or_create_global_step()
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step)
    hooks = [tf.train.StopAtStepHook(last_step=20)]
    with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=chief, hooks=hooks) as sess:
        i = 0
        while not sess.should_stop():
            _, value = sess.run([train_op, loss], feed_dict={x: data[i:i + SIZE]})
            i = (i + SIZE) % 100
            if chief and i % limit == 0:
                print('loss %.4f' % value)
    print('worker %d is done' % task)


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]))
"""
LOOP = """
    def work(task_index):
        chief = task_index == 0
        data = rows(task_index)
        i = 0
        while optimizer.iterations < 20:
            value = train_step(data[i:i + SIZE])
            i = (i + SIZE) % 100
            if chief and i % limit == 0:
                print('loss %.4f' % value)
        print('worker %d is done' % task_index)

    workers.run(work)
"""
STEP = """
        @workers.step
        @tf.function(input_signature=[x])
        def train_step(x):
            def replica_step(x):
                with tf.GradientTape() as tape:
                    loss = model(x)
                gradients = tape.gradient(loss, trainable_variables)
                optimizer.apply_gradients(zip(gradients, trainable_variables))
                return loss

            loss = workers.strategy.run(replica_step, args=(x,))
            return loss
"""


def changed(*edits: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    ast.parse(text)
    return text


def refused(*edits: tuple[str, str]) -> str:
    (finding,) = found(changed(*edits), "TFM802", target=TARGET, unsafe=True)
    return finding.message


def test_a_program_without_a_cluster_gets_no_workers() -> None:
    text = PROGRAM.replace("    server = tf.train.Server(", "    server = dict(")
    assert "Workers" not in migrated(text, target=TARGET, unsafe=True)


def test_the_loops_of_workers_become_a_function() -> None:
    text = migrated(PROGRAM, target=TARGET, unsafe=True)
    assert LOOP in text
    assert STEP in text
    assert "    server = tf.distribute.Server(cluster, job_name=job, task_index=task)\n" in text
    assert "    if job == 'ps':\n        server.join()\n" in text
    assert "    workers = Workers(server)\n    with workers.strategy.scope():\n" in text
    assert "class Workers:" in text
    assert "compat" not in text
    ast.parse(text)


def test_a_loop_in_one_process_is_unsafe() -> None:
    texts = [f.message for f in found(PROGRAM, "TFM803", target=TARGET, unsafe=True)]
    assert any("the first worker runs the loops of all" in text for text in texts)
    assert any("slot" in text for text in texts)


def test_checkpoints_are_those_of_the_first_worker() -> None:
    text = migrated(
        changed(("is_chief=chief,", "is_chief=chief, checkpoint_dir='out',")),
        target=TARGET,
        unsafe=True,
    )
    assert "class WorkerCheckpoints(Checkpoints):" in text
    assert re.search(r"with WorkerCheckpoints\(\s*'out', optimizer, .* saves=chief\)", text)
    assert "checkpoints.step_done()" in text


def test_each_worker_has_its_own_iterator() -> None:
    text = migrated(
        changed(
            (
                "def main(job, task):",
                "def batch(task):\n    data = tf.data.Dataset.from_tensor_slices(rows(task))\n"
                "    data = data.repeat().batch(4)\n"
                "    return data.make_one_shot_iterator().get_next()\n\n\ndef main(job, task):",
            ),
            ("        x = tf.placeholder(tf.float32, [None, 3])\n", "        x, y = batch(task)\n"),
            (", feed_dict={x: data[i:i + SIZE]}", ""),
        ),
        target=TARGET,
        unsafe=True,
    )
    assert re.search(r"iter\(batch\(task_index\)\) for task_index in range\(workers.count\)", text)
    assert "train_step(*next(batches[task_index]))" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("data = rows(task)", "data = rows(np.random.randint(9))", "random numbers"),
        ("            i = (i", "            np.random.shuffle(data)\n            i = (i", "random"),
        ("            i = (i", "            ONES.append(i)\n            i = (i", "share `ONES`"),
        ("            i = (i", "            START[0] = i\n            i = (i", "share `START`"),
        (
            "    return np.random.Rand",
            "    global SIZE\n    SIZE = 4\n    return np.random.Rand",
            "share `SIZE`",
        ),
        ("        loss = tf", "        scale = 1.0 * task\n        loss = tf", None),
        (
            "tf.zeros([3, 1])",
            "tf.zeros([3, 1]) + float(task)",
            "differ by the index of the task",
        ),
        ("    print('worker", "    return 1\n    print('worker", "returns something"),
        ("'worker': sys", "'chief': [], 'worker': sys", "the job `chief`"),
        ("task_index=task", "task_index=int(sys.argv[2])", "index of the task is not held"),
        ("        i = 0\n", "        i = 0\n        print(server)\n", None),
        (
            "hooks = [tf.train.StopAtStepHook(last_step=20)]",
            "hooks = [tf.train.StopAtStepHook(last_step=20)]\n    if chief:\n"
            "        hooks.append(tf.train.CheckpointSaverHook('out'))",
            "is added to a list",
        ),
    ],
)
def test_what_workers_would_share_is_refused(old: str, new: str, reason: str | None) -> None:
    if reason is None:
        text = changed((old, new))
        assert found(text, "TFM802", target=TARGET, unsafe=True) or "Workers" in migrated(
            text, target=TARGET, unsafe=True
        )
        return
    assert reason in refused((old, new))


def test_statements_below_the_loops_are_refused() -> None:
    text = PROGRAM.replace("    with tf.device", "    if task >= 0:\n     with tf.device")
    head, session = text.split("    hooks = [")
    block, rest = ("    hooks = [" + session).split("\n\n\n", 1)
    lines = [f" {line}" for line in block.split("\n")]
    inner = head.replace("\n        x = ", "\n      x = ")
    for name in ("w", "loss", "global_step", "train_op"):
        inner = inner.replace(f"\n        {name} = ", f"\n      {name} = ")
    program = "\n".join([inner + lines[0], *lines[1:], "    print('below')"]) + "\n\n\n" + rest
    ast.parse(program)
    (finding,) = found(program, "TFM802", target=TARGET, unsafe=True)
    assert "below those of the workers" in finding.message
