"""Assignments of a step wait for what its updates read of the same variables."""

from __future__ import annotations

from typing import Any

import pytest

from tfmigrate_runtime.verify.recorder.sessions import graph_training, graph_variables, step_order

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


@pytest.mark.parametrize("is_resource", [False, True])
def test_a_rate_of_the_step_is_read_before_it_is_assigned(is_resource: bool) -> None:
    """As in BERT, whose rate was that of this step or of the next in each run of 1.15."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default() as graph:
        step = tf.get_variable("step", [], tf.int64, trainable=False, use_resource=is_resource)
        weight = tf.get_variable("weight", [], use_resource=is_resource)
        fed = tf.placeholder(tf.float32, [])
        rate = tf.divide(1.0, 1.0 + tf.cast(step, tf.float32), name="rate")
        late = tf.multiply(fed, tf.cast(step, tf.float32), name="late") * 0.0
        train = tf.group(weight.assign_sub(rate * fed + late))
        training = graph_training.training_of(graph)
        training.add_operation(train)
        count = step.assign(step + 1)
        both = tf.group(train, count)
        saved = tf.train.Saver([step]).saver_def.restore_op_name
        step_order.order_reads(graph)
        assign = count if isinstance(count, tf.Operation) else count.op
        waits = _waits_of(assign, step)
        assert any("Cast" in name for name in waits) or any("Read" in name for name in waits)
        assert not any(name.startswith("late") for name in waits)
        for other in (step.initializer, graph.get_operation_by_name(saved)):
            assert not any(each.type == "Cast" for each in other.control_inputs)
        with tf.Session() as session:  # no cycle
            session.run(tf.global_variables_initializer())
            session.run(both, {fed: 1.0})
            assert session.run(step) == 1


def _waits_of(operation: Any, variable: Any) -> list[str]:
    """Returns the names of what the assignment behind an op waits for."""
    graph = variable.graph
    assigns = [op for op in graph.get_operations() if op.type in step_order._ASSIGNS]
    plain = [op for op in assigns if op.name.split("/")[0] not in ("save", "step", "weight")]
    return [each.name for op in (*plain, operation) for each in op.control_inputs]


def test_variables_are_read_before_they_are_updated() -> None:
    """What tf.gradients computes from a variable is not all there when a part of it is applied."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default() as graph, tf.variable_scope("", use_resource=False):
        x = tf.placeholder(tf.float32, [2, 3])
        first, second = (tf.get_variable(name, [3, 3]) for name in ("first", "second"))
        loss = tf.reduce_sum(tf.matmul(tf.matmul(x, first), second) ** 2)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        gradients = tf.gradients(loss, [first, second])
        train = optimizer.apply_gradients(zip(gradients, [first, second], strict=True))
        other = optimizer.minimize(loss * tf.placeholder(tf.float32, []), var_list=[second])
        graph_training.training_of(graph).operations[:] = [train, other]
        step_order.order_reads(graph)
        (update,) = (
            each
            for each in graph_variables.run_by([train])
            if each.type.startswith("Apply") and each.inputs[0] is second._variable
        )
        assert [each.type for each in update.control_inputs if each.type == "MatMul"]
        own = [each.type for each in graph_variables.run_by([train])]
        assert own.count("Placeholder") == 1  # that of the other step is not made
        assert own.count("ApplyGradientDescent") == 2


@pytest.mark.parametrize("is_resource", [False, True])
def test_what_an_update_assigns_first_is_read_before(is_resource: bool) -> None:
    """As weights by AdamW of tf.contrib.opt, which the loss has in 9 of 12 runs decayed on 1.15."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default() as graph, tf.variable_scope("", use_resource=is_resource):
        x = tf.placeholder(tf.float32, [2, 3])
        weight = tf.get_variable("weight", [3, 3])
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        pairs = optimizer.compute_gradients(tf.reduce_sum(tf.matmul(x, weight) ** 2))
        decay = weight.assign_sub(0.1 * weight)
        with tf.control_dependencies([decay]):
            train = optimizer.apply_gradients(pairs)
        alone = weight.assign_sub(0.5 * weight)
        graph_training.training_of(graph).operations[:] = [train]
        step_order.order_reads(graph)
        assigns = [op for op in graph.get_operations() if "AssignSub" in op.type]
        waits = [
            [
                other.type
                for other in each.control_inputs
                if other.type in ("MatMul", "ReadVariableOp")
            ]
            for each in assigns
        ]
        assert waits[0]
        assert waits[1] == []
        assert alone is not None
        assert step_order.unordered_reads(graph) == ["weight"]


def test_a_graph_without_training() -> None:
    """Variables are updated by assignments alone, as by the Adam that openai/pixel-cnn has."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default() as graph:
        tf.get_variable("weight", []).assign_add(1.0)
        graph_training.training_of(graph)
        step_order.order_reads(graph)
