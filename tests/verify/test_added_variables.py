"""Variables that a graph gets between two steps."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tfmigrate_runtime.verify.recorder.sessions import added_variables, graph_variables

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_they_are_recorded_once_they_are_initialized() -> None:
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default() as graph, tf.Session() as session:
        weight = tf.get_variable("weight", [2], use_resource=False)
        session.run(weight.initializer)
        model = SimpleNamespace(
            graph_version=-1, variables=graph_variables.variables_of(graph),
            initial={}, held={}, values={}, variable_steps=[1, 2, 3],
        )  # fmt: skip
        added_variables.notice(model, session)
        assert model.values == {}
        slot = tf.get_variable("slot", [2], initializer=tf.ones_initializer(), use_resource=False)
        added_variables.notice(model, session)
        assert [entry.name for entry in model.variables] == ["weight"]
        session.run(slot.initializer)
        added_variables.notice(model, session)
        assert [entry.name for entry in model.variables] == ["weight", "slot"]
        assert np.array_equal(model.values["slot"], np.ones([3, 2]))
