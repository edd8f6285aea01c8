"""Variables and operations are where ``tf.train.replica_device_setter`` put them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import placement_cases
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.distribute.collective_all_reduce_strategy import CollectiveAllReduceExtended
from tensorflow.python.distribute.parameter_server_strategy import ParameterServerStrategyExtended

from tfmigrate_runtime import between_graph

ORIGINAL = json.loads(placement_cases.STORED.read_text())


@pytest.fixture(autouse=True)
def _variables_of_graphs() -> Iterator[None]:
    """Programs of TensorFlow 1.x have variables that are not resources."""
    was = tf.resource_variables_enabled()
    tf.disable_resource_variables()
    yield
    if was:
        tf.enable_resource_variables()


def forms() -> dict[str, Any]:
    """Returns the forms of arguments, with strategies that balance no loads yet."""
    return placement_cases.forms(
        lambda servers: between_graph.GreedyLoadBalancingStrategy(
            servers, between_graph.byte_size_load_fn
        ),
        between_graph.RandomStrategy,
    )


@pytest.mark.parametrize("form, optimizer", placement_cases.COMPARED)
def test_placement_is_that_of_the_setter(form: str, optimizer: str) -> None:
    positional, options = forms()[form]
    with tf.Graph().as_default() as setter, tf.device(
        tf.train.replica_device_setter(*positional, **options)
    ):  # fmt: skip
        placement_cases.model(optimizer)
    positional, options = forms()[form]
    with tf.Graph().as_default() as ours:
        strategy = between_graph.parameter_server_strategy(*positional, **options)
        strategy.run(placement_cases.model, (optimizer,))
    devices = {op.name: (op.type, op.device) for op in ours.get_operations()}
    # Every single operation, also those of the optimizer.
    assert devices == {op.name: (op.type, op.device) for op in setter.get_operations()}
    assert placement_cases.placement(ours) == ORIGINAL[f"{form} {optimizer}"]
    assert isinstance(strategy, tf.distribute.experimental.ParameterServerStrategy)
    assert strategy.num_replicas_in_sync == 1


@pytest.mark.parametrize(
    "positional, options",
    [((), {}), ((0,), {}), ((), {"cluster": {"worker": ["h0:1"]}}), ((0, "/job:ps"), {})],
)
def test_without_parameter_servers_nothing_is_placed(
    positional: tuple[Any, ...], options: dict[str, Any]
) -> None:
    assert tf.train.replica_device_setter(*positional, **options) is None
    strategy = between_graph.parameter_server_strategy(*positional, **options)
    assert strategy is tf.distribute.get_strategy()
    with tf.Graph().as_default():
        assert strategy.run(lambda value: (value, tf.Variable(1.0).device), (3,)) == (3, "")


def test_what_comes_after_the_replica_function_is_placed_too() -> None:
    options = {"cluster": {"ps": ["h0:1", "h1:1"], "worker": ["h2:1"]}}
    with tf.Graph().as_default():
        strategy = between_graph.parameter_server_strategy(
            worker_device="/job:worker/task:0", **options
        )
        assert strategy.cluster_resolver.task_type == "worker"
        with strategy.scope():
            first, kept = strategy.run(lambda: (tf.Variable(1.0), {"a": [1]}))
            second = tf.Variable(1.0)
            assert tf.distribute.get_strategy() is strategy
        assert kept == {"a": [1]}, "results come back as they are"
        assert [first.device, second.device] == ["/job:ps/task:0", "/job:ps/task:1"]
        assert (first + 1).device == ""


def test_strategy_of_a_setter_is_asked_for_the_replica() -> None:
    with tf.Graph().as_default():
        strategy = between_graph.parameter_server_strategy(1)
        context = strategy.run(tf.distribute.get_replica_context)
        assert context.strategy is strategy
        assert tf.get_static_value(context.replica_id_in_sync_group) == 0
        with pytest.raises(TypeError, match="ps_strategy must be callable"):
            between_graph.parameter_server_strategy(1, ps_strategy=3)


def test_loads_need_one_output_and_a_shape() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="single output"):
            between_graph.byte_size_load_fn(tf.no_op())
        assert between_graph.byte_size_load_fn(tf.zeros([3, 2]).op) == 24


def test_private_names_of_tensorflow_are_there() -> None:
    for name in (
        "_initialize_strategy",
        "_initialize_local",
        "_create_variable",
        "_call_for_each_replica",
        "_reduce_to",
        "_batch_reduce_to",
        "_update",
        "_update_non_slot",
        "_allow_variable_partition",
    ):
        assert callable(getattr(ParameterServerStrategyExtended, name)), name
    for name in ("_batch_reduce_to", "_create_variable"):
        assert callable(getattr(CollectiveAllReduceExtended, name)), name
    assert callable(tf.Graph._colocate_with_for_gradient)
