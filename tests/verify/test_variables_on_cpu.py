"""Which variables of TensorFlow 1.x the recorder and the legacy runtime keep on the CPU."""

from __future__ import annotations

import pytest

tf = pytest.importorskip("tensorflow.compat.v1")

from tfmigrate_runtime.tf1_shim.devices import counters  # noqa: E402
from tfmigrate_runtime.verify.recorder.program import device_choice  # noqa: E402

CPU = "/device:CPU:0"
GPU = "/device:GPU:0"


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> tf.Graph:
    from tensorflow.python.framework import ops

    monkeypatch.setattr(ops.Graph, "_create_op_helper", ops.Graph._create_op_helper)
    return tf.Graph()


def devices_of(variable: tf.Variable) -> set[str]:
    """Returns the devices of a variable and of what is colocated with it."""
    graph = variable.graph
    group = f"loc:@{variable.op.name}".encode()
    return {op.device for op in graph.get_operations() if group in op.colocation_groups()}


@pytest.mark.parametrize("optimizer", [tf.train.AdamOptimizer, tf.train.GradientDescentOptimizer])
def test_what_an_optimizer_scatters_into_is_on_the_cpu(graph: tf.Graph, optimizer: type) -> None:
    device_choice.keep_on_cpu(device_choice.scattered)
    with graph.as_default(), tf.device(GPU):
        table = tf.get_variable("table", [4, 2], use_resource=False)
        kernel = tf.get_variable("kernel", [2, 2], use_resource=False)
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 2]) @ kernel)
        optimizer(0.1).minimize(loss)
    assert devices_of(table) == {CPU}  # with its slots
    assert kernel.device == GPU


def test_resource_variables_stay_where_they_are(graph: tf.Graph) -> None:
    device_choice.keep_on_cpu(device_choice.scattered)
    with graph.as_default(), tf.device(GPU):
        table = tf.get_variable("table", [4, 2], use_resource=True)
        tf.scatter_add(table, [1], [[1.0, 1.0]])
    assert table.device == GPU


def test_the_legacy_runtime_counts_on_the_cpu(graph: tf.Graph) -> None:
    device_choice.keep_on_cpu(counters)
    with graph.as_default(), tf.device("/job:ps/task:1"), tf.device(GPU):
        step = tf.Variable(0, use_resource=False)
        rate = tf.Variable(0.1, use_resource=False)
        tf.assign_add(step, 1)
    # A worker that counts by itself waits for ever.
    assert devices_of(step) == {f"/job:ps/task:1{CPU}"}
    assert rate.device == f"/job:ps/task:1{GPU}"
