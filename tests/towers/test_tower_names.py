"""The private names that towers need are there; the migrator knows the public ones."""

from __future__ import annotations

import importlib

import tensorflow.compat.v1 as tf
from tensorflow.python.distribute import distribute_lib, summary_op_util
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


def test_what_sees_no_strategy_is_not_merged() -> None:
    strategy = towers.central_storage_strategy(["/gpu:0", "/gpu:1"])
    skipped, hidden = [], []

    def replica() -> None:
        skipped.append(summary_op_util.skip_summary())
        with scopes.in_replica():
            hidden.append((summary_op_util.skip_summary(), distribute_lib.has_strategy()))
        assert distribute_lib.get_strategy() is strategy

    with tf.Graph().as_default():
        scopes = private.VariableScopes()
        with strategy.scope():
            strategy.extended.call_for_each_replica(replica)
    assert skipped == [False, True]
    assert hidden == [(False, False)] * 2


def test_the_migrator_knows_the_public_names() -> None:
    assert importlib.import_module(TOWERS.target) is towers
    assert TOWERS.modules[""] == set(towers.__all__)
