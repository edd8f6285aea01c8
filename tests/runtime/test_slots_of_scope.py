"""Names of what optimizers make in a scope, under a strategy that the program did not have."""

from __future__ import annotations

import contextlib

import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph import SyncReplicasOptimizer
from tfmigrate_runtime.estimator.slots import slots_of_scope

POWERS = ["beta1_power", "beta2_power"]


@pytest.mark.parametrize(
    ("variable_scopes", "name_scopes", "wanted"),
    [([], [], ""), ([], ["a"], "a/"), (["b", "c"], [], "b/c/"), (["b"], ["a"], "b/a/")],
)
def test_names_are_those_without_a_strategy(
    variable_scopes: list[str], name_scopes: list[str], wanted: str
) -> None:
    def step() -> None:
        loss = tf.square(tf.get_variable("w", []))
        with contextlib.ExitStack() as scopes:
            for name in variable_scopes:
                scopes.enter_context(tf.variable_scope(name))
            for name in name_scopes:
                scopes.enter_context(tf.name_scope(name))
            tf.train.AdamOptimizer().minimize(loss)

    found = []
    for under_strategy in (False, True):
        with tf.Graph().as_default():
            if under_strategy:
                strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
                with strategy.scope(), slots_of_scope():
                    strategy.extended.call_for_each_replica(
                        tf2.autograph.experimental.do_not_convert(step)
                    )
            else:
                step()
            found.append(sorted(v.op.name for v in tf.global_variables()))
    assert found[0] == found[1]
    assert {name for name in found[0] if "power" in name} == {wanted + each for each in POWERS}


def test_synchronous_workers_have_powers_in_no_scope() -> None:
    """As with SyncReplicasOptimizer of TensorFlow 1.15; slots have the variable scope."""
    with tf.Graph().as_default():
        loss = tf.square(tf.get_variable("w", []))
        with tf.variable_scope("b"), tf.name_scope("a"):
            optimizer = SyncReplicasOptimizer(tf.train.AdamOptimizer(), 1)
            optimizer.minimize(loss, tf.train.get_or_create_global_step())
        found = {v.op.name for v in tf.global_variables()}
    assert found == {"w", "b/w/Adam", "b/w/Adam_1", "b/global_step", *POWERS}
