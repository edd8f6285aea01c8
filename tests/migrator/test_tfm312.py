"""TFM312: updates of variables that are no gradients of the synchronous optimizer."""

from __future__ import annotations

import textwrap

import pytest
from support import check_kept, found, migrated
from sync_support import TRAIN, WRAPPED, program


def lines(text: str, **options: object) -> list[str]:
    reported = found(text, "TFM312", **options)
    return [text.splitlines()[finding.line - 1].strip() for finding in reported]


@pytest.mark.parametrize(
    "update",
    [
        "total = tf.add(loss, 1)",
        "session.run(apply(loss))",
        "opt.apply_gradients(grads, step)",
        "average = tf.train.ExponentialMovingAverage(0.9)",
        "data = data.apply(f)",
        "names = tf.train.string_input_producer(['a'], num_epochs=None)",
        "data = tf.contrib.slim.dataset_data_provider.DatasetDataProvider(rows, shuffle=False)",
        "known = tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES)",
    ],
)
def test_nothing_is_updated(update: str) -> None:
    assert lines(program(f"{update}\n{WRAPPED}")) == []


@pytest.mark.parametrize(
    "update",
    [
        "op = tf.assign(rate, 0.1)",
        "op = tf.assign_add(step, 1)",
        "op = rate.assign(0.1)",
        "op = tf.scatter_update(table, [0], [1.0])",
        "op = table.scatter_nd_add([[0]], [1.0])",
        "value, op = tf.metrics.mean(loss)",
        "x = tf.layers.batch_normalization(x, training=True)",
        "x = tf.contrib.layers.batch_norm(x)",
        "op = tf.train.ExponentialMovingAverage(0.9).apply([loss])",
        "noise = tf.get_local_variable('noise', [], initializer=tf.random_normal_initializer())",
        "noise = tf.contrib.framework.local_variable(0.0)",
        "noise = tf.Variable(0.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])",
        "noise = tf.Variable(0.0, collections=['local_variables'])",
        "names = tf.train.string_input_producer(['a'], 3)",
        "data = tf.contrib.slim.dataset_data_provider.DatasetDataProvider(rows, num_epochs=2)",
        "key, row = tf.contrib.slim.parallel_reader.parallel_read(files, reader, 2)",
        "key, row = tf.contrib.slim.parallel_reader.single_pass_read(files, reader)",
    ],
)
def test_update_needs_unsafe(update: str) -> None:
    text = program(f"{update}\n{WRAPPED}")
    if "contrib" not in text:
        check_kept(text)
    assert lines(text) == [update]
    assert all(not f.applied and f.severity.value == "kept" for f in found(text, "TFM312"))
    assert "between_graph.SyncReplicasOptimizer(" in migrated(text, unsafe=True)
    assert all(f.applied for f in found(text, "TFM312", unsafe=True))


@pytest.mark.parametrize(
    "call",
    [
        "x = tf.contrib.learn.read_batch_examples(files, 8, tf.TextLineReader, False, 2)",
        "data = dataset_data_provider.DatasetDataProvider(rows, num_epochs=2)",
    ],
)
def test_epochs_of_a_reader_of_a_package(call: str) -> None:
    imported = "from tensorflow.contrib.slim.python.slim.data import dataset_data_provider\n"
    assert lines(imported + program(f"{call}\n{WRAPPED}")) == [call]


def training(code: str) -> str:
    """Returns a program that makes its training operation by some code."""
    return program(WRAPPED).replace(f"  {TRAIN}", textwrap.indent(code, "    "))


@pytest.mark.parametrize(
    "block",
    [
        "with tf.control_dependencies([tf.print(loss)]):\n",
        "checks = [tf.assert_greater(loss, 0.0)]\nwith tf.control_dependencies(checks):\n",
        "with tf.name_scope('train'), tf.control_dependencies([loss]):\n",
    ],
)
def test_the_step_in_a_block_of_control_dependencies(block: str) -> None:
    """TensorFlow 1.15's chief ran the block's operations in its queue runner, too."""
    text = training(f"{block}{TRAIN}")
    expected = [n for n in text.splitlines() if "control_dependencies" in n]
    assert lines(text) == [n.strip() for n in expected]
    check_kept(text)
    assert "between_graph.SyncReplicasOptimizer(" in migrated(text, unsafe=True)


def test_variable_averages_of_the_optimizer() -> None:
    """With two parameter servers TensorFlow 1.15's are one step late for half of the variables."""
    text = program(WRAPPED.replace("2)", "2, variable_averages=average)"))
    assert lines(text) == [line.strip() for line in text.splitlines() if "averages=" in line]
    assert lines(text.replace("=average", "=None")) == []


def test_the_step_in_a_function_that_such_a_block_calls() -> None:
    call = "with tf.control_dependencies([tf.print(loss)]):\n  train_op = made(opt, loss, step)\n"
    text = training(call) + "\ndef made(opt, loss, step):\n  return opt.minimize(loss, step)\n"
    assert lines(text) == [call.splitlines()[0]]


@pytest.mark.parametrize(
    "block",
    [
        "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n",
        "ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)\nwith tf.control_dependencies(ops):\n",
        "with tf.control_dependencies([]):\n",
        "with tf.name_scope('train'):\n",
    ],
)
def test_the_step_in_a_block_that_waits_for_updates_of_layers_only(block: str) -> None:
    text = training(f"{block}{TRAIN}")
    assert lines(text) == []


def test_asynchronous_program_may_update() -> None:
    assert lines(program("op = tf.assign(rate, 0.1)\n")) == []
