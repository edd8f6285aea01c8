"""What a copy of a step leaves out, and what it computes in a different way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.copied_steps import small_updates
from tfmigrate_runtime.estimator.copied_steps.pure_operations import (
    PureOperations,
    remove_unneeded,
)

Names = set[str]


def kept(graph: Any, *targets: Any) -> dict[str, list[str]]:
    """Returns what is left of a graph: the inputs of each node, by its name."""
    definition = graph.as_graph_def()
    remove_unneeded(
        definition, [op.name for op in targets], PureOperations(graph, definition.library)
    )
    return {node.name: list(node.input) for node in definition.node}


def test_gradients_that_nobody_asked_for_are_removed() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 3], name="x")
        w = tf.get_variable("w", [3, 2])
        step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.matmul(x, w)))
        products = [op.name for op in graph.get_operations() if op.type == "MatMul"]
        assert len(products) == 3, "the model, and the gradients of both factors"
        left = kept(graph, step)
    of_features, of_weights = (name for name in products if name.startswith("gradients"))
    assert of_weights in left
    assert of_features not in left


def test_what_waited_for_a_removed_node_waits_for_the_effects_before_it() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [])
        write = v.assign_add(1.0, read_value=False)
        with tf.control_dependencies([write]):
            unneeded = tf.square(tf.square(tf.constant(2.0)))
        with tf.control_dependencies([unneeded]):
            read = tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)
        left = kept(graph, read.op)
    assert unneeded.op.name not in left
    assert left[read.op.name] == ["v", f"^{write.name}"]


def test_effects_that_nobody_waits_for_are_not_part_of_a_step() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [])
        write = v.assign_add(1.0, read_value=False)
        read = tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)
        left = kept(graph, read.op)
    assert write.name not in left


def test_calls_keep_somebody_who_takes_their_value() -> None:
    """TensorFlow drops a call whose value nobody takes, even if others wait for it."""
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [])
        condition = tf.placeholder(tf.bool, [], name="condition")
        made = tf.cond(condition, lambda: v.assign_add(1.0), lambda: v.read_value())
        with tf.control_dependencies([tf.square(made)]):
            step = tf.no_op("step")
        left = kept(graph, step)
    assert left["step"] == [f"^{made.op.name}"]


def test_a_call_without_effects_is_removed() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [])
        condition = tf.placeholder(tf.bool, [], name="condition")
        made = tf.cond(condition, lambda: v.read_value() + 1, lambda: v.read_value())
        with tf.control_dependencies([made]):
            step = tf.no_op("step")
        assert made.op.name not in kept(graph, step)


def adam(size: int, written_out: bool, dtype: Any = tf.float32) -> tuple[list[Any], Names]:
    """Returns a variable and its moments after some updates, and the types of operations."""
    random = np.random.RandomState(size)
    with tf.Graph().as_default() as graph:
        first = tf.constant(random.uniform(-1, 1, size), dtype)
        v = tf.get_variable("v", initializer=first)
        loss = tf.reduce_sum(tf.square(v) * tf.constant(random.uniform(0, 1, size), dtype))
        optimizer = tf.train.AdamOptimizer(0.01)
        step = optimizer.minimize(loss)
        tf.global_variables_initializer()
        slots = [optimizer.get_slot(v, name).name for name in optimizer.get_slot_names()]
        definition = graph.as_graph_def()
        if written_out:
            handles = [op for op in graph.get_operations() if op.type == "VarHandleOp"]
            small_updates.write_out_small_adam(definition, handles)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        session.run("init")
        for _ in range(10):
            session.run(step.name)
        reads = [name.replace(":0", "/Read/ReadVariableOp:0") for name in (v.name, *slots)]
        return list(session.run(reads)), {node.op for node in definition.node}


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_updates, "_threads", lambda: 2)


@pytest.mark.parametrize("size", [128, 1000, small_updates.LARGEST])
def test_adam_of_small_variables_is_the_same(size: int) -> None:
    values, types = adam(size, True)
    wanted, types_of_kernel = adam(size, False)
    assert "ResourceApplyAdam" in types_of_kernel - types
    for value, other in zip(values, wanted, strict=True):
        # The same operations in the same order. A TensorFlow that was built for processors with
        # fused multiply-add may round the kernel's differently: the last bit, in ten steps.
        np.testing.assert_allclose(value, other, rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    ("size", "dtype"),
    [(127, tf.float32), (small_updates.LARGEST + 1, tf.float32), (1000, tf.float64)],
)
def test_the_kernel_stays_where_it_is_as_fast(size: int, dtype: Any) -> None:
    assert "ResourceApplyAdam" in adam(size, True, dtype)[1]


def test_the_kernel_stays_where_an_operation_has_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(small_updates, "_threads", lambda: 1)
    assert "ResourceApplyAdam" in adam(1000, True)[1]
