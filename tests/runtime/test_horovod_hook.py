"""The hook of Horovod that TensorFlow 2.16 and later lack, with a stand-in for Horovod itself."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import config, linear_model, train, variables

from tfmigrate_runtime.horovod import BroadcastGlobalVariablesHook


@pytest.fixture
def roots(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Stands in for Horovod: rank 0 has ones; notes whose values are asked for."""
    asked: list[int] = []
    package, module = ModuleType("horovod"), ModuleType("horovod.tensorflow")

    def broadcast_global_variables(root_rank: int) -> Any:
        asked.append(root_rank)
        names = [v for v in tf.global_variables() if v.dtype.base_dtype == tf.float32]
        return tf.group(*(v.assign(tf.ones_like(v)) for v in names))

    module.broadcast_global_variables = broadcast_global_variables  # type: ignore[attr-defined]
    package.tensorflow = module  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "horovod", package)
    monkeypatch.setitem(sys.modules, "horovod.tensorflow", module)
    return asked


def test_it_broadcasts_before_the_first_step(roots: list[int], tmp_path: Path) -> None:
    model = linear_model(optimizer=lambda: tf.train.GradientDescentOptimizer(0.0))
    hook = BroadcastGlobalVariablesHook(0)
    for steps in (1, 2):  # of two graphs
        trained, _ = train(model, tmp_path / str(steps), config(replicas=1), steps, hooks=[hook])
        values = variables(trained)["w"]
        np.testing.assert_array_equal(values, np.ones_like(values))
    assert roots == [0, 0]


def test_one_broadcast_for_a_graph(roots: list[int]) -> None:
    hook = BroadcastGlobalVariablesHook(3)
    with tf.Graph().as_default():
        weight = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        hook.begin()
        hook.begin()
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            np.testing.assert_array_equal(session.run(weight), [1, 1])
    assert roots == [3]
