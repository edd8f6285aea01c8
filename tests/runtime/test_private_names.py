"""The private names of TensorFlow in the tables of ``replicas`` and ``devices`` are there."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf
from runtime_support import two_cpus

from tfmigrate_runtime.estimator import devices, replicas


def test_names_of_strategies() -> None:
    strategy = two_cpus()
    assert hasattr(strategy, "_scale_loss_for_estimator_enabled")
    # Without a choice of its own a strategy reduces by its collective operations.
    assert strategy.extended._cross_device_ops is strategy.extended._collective_ops
    devices.prepare(strategy)
    assert isinstance(strategy.extended._cross_device_ops, tf.distribute.ReductionToOneDevice)


def test_a_reduction_that_was_chosen_is_kept() -> None:
    chosen = tf.distribute.HierarchicalCopyAllReduce()
    strategy = tf.distribute.MirroredStrategy(
        ["/device:CPU:0", "/device:CPU:1"], cross_device_ops=chosen
    )
    devices.prepare(strategy)
    assert strategy.extended._cross_device_ops is chosen


def test_sessions_have_a_device_for_every_replica_where_the_reduction_needs_it() -> None:
    default = two_cpus()
    devices.prepare(default)
    chosen = tf.distribute.MirroredStrategy(
        ["/device:CPU:0", "/device:CPU:1"],
        cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(),
    )
    devices.prepare(chosen)

    def count(given: Any, strategy: Any) -> int:
        return int(devices.session_config(given, [None, strategy]).device_count["CPU"])

    assert (count(None, default), count(None, chosen)) == (1, 2)
    # Without soft placement the second replica's operations could not be run on the first device.
    assert count(tf.ConfigProto(), default) == 2
    assert count(tf.ConfigProto(device_count={"CPU": 4}), chosen) == 4


def test_losses_note_their_reduction_and_optimizers_that_they_scaled_one() -> None:
    plain = tf.Graph()
    assert plain._last_loss_reduction is None
    assert plain._is_loss_scaled_by_optimizer is False
    with plain.as_default():
        tf.losses.mean_squared_error(tf.zeros([2]), tf.ones([2]), reduction="weighted_sum")
    assert plain._last_loss_reduction == tf.losses.Reduction.SUM
    fixed = replicas.ReplicaGraph(tf.losses.Reduction.MEAN)
    with fixed.as_default():
        tf.losses.mean_squared_error(tf.zeros([2]), tf.ones([2]), reduction="weighted_sum")
    assert fixed._last_loss_reduction == tf.losses.Reduction.MEAN


def test_names_of_layers_and_hooks(tmp_path: Any) -> None:
    layer = tf.layers.BatchNormalization
    before = layer._assign_moving_average
    with replicas.moving_averages_of_towers(2):
        assert layer._assign_moving_average is not before
    assert layer._assign_moving_average is before
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1)
    assert hook._listeners == []


def test_names_of_savers_optimizers_and_graphs() -> None:
    assert callable(tf.train.Optimizer._distributed_apply)
    assert callable(tf.Graph._colocate_with_for_gradient)
    with tf.Graph().as_default():
        with two_cpus().scope():
            variable = tf.get_variable("v", [2])
        (saveable,) = variable._gather_saveables_for_checkpoint().values()
        assert saveable("other").name == "other"
        assert tf.train.Saver([variable], max_to_keep=1)._var_list == [variable]
