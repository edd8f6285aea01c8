"""The private names that towers need are there; the migrator knows the public ones."""

from __future__ import annotations

import importlib

import tensorflow.compat.v1 as tf
from tensorflow.python.distribute import summary_op_util
from tensorflow.python.ops import variable_scope

from tfmigrate.tables.runtime_api import TOWERS
from tfmigrate_runtime import towers
from tfmigrate_runtime.towers import private


def test_names_of_variable_scopes() -> None:
    with tf.Graph().as_default() as graph:
        store = variable_scope.get_variable_scope_store()
        with tf.variable_scope("model"):
            assert store.current_scope is tf.get_variable_scope()
            assert store.variable_scopes_count["model"] == 1
        before = len(graph._variable_creator_stack)
        with tf.variable_creator_scope(lambda creator, **options: creator(**options)):
            assert len(graph._variable_creator_stack) == before + 1


def test_summaries_of_other_replicas_would_be_dropped() -> None:
    skip = summary_op_util.skip_summary
    strategy = towers.central_storage_strategy(["/gpu:0", "/gpu:1"])
    skipped = []
    with tf.Graph().as_default(), strategy.scope():
        strategy.extended.call_for_each_replica(lambda: skipped.append(skip()))
        with private.summaries_of_all_replicas():
            assert not summary_op_util.skip_summary()
    assert skipped == [False, True]
    assert summary_op_util.skip_summary is skip


def test_the_migrator_knows_the_public_names() -> None:
    assert importlib.import_module(TOWERS.target) is towers
    assert TOWERS.modules[""] == set(towers.__all__)
