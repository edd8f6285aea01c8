"""Values of a training step that may be read before its update or after it are not compared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("tensorflow_installed")

# What shares the memory of the variable that it reads: the update changes what comes from it.
SHARING = [
    "tf.identity(w)",
    "tf.expand_dims(w, 0)",
    "tf.squeeze(w)",
    "tf.reshape(w, [-1])",
    "tf.stop_gradient(w)",
    "tf.check_numerics(w, '')",
    "tf.unstack(w)[0]",
    "tf.split(w, 3)[1]",
    "w[:2]",
]


def settled(value: str) -> bool:
    """Returns whether the value of an expression is settled that is fetched with an update of w."""
    import tensorflow.compat.v1 as tf

    from tfmigrate_runtime.verify.recorder.sessions import settled_values

    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        with tf.variable_scope("", use_resource=False):
            w = tf.get_variable("w", [3, 2])
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * x))
        fetched = eval(value, {"tf": tf, "w": w, "x": x}).op
        training: Any = SimpleNamespace(operations=[train], synchronous=False, graph=graph)
        return bool(settled_values.settled([fetched, train], training, session)[id(fetched)])


@pytest.mark.parametrize("shared", SHARING)
def test_what_is_computed_of_shared_memory(shared: str) -> None:
    assert not settled(f"tf.reduce_sum({shared} * x)")


@pytest.mark.parametrize("value", ["x * 2.0", "tf.nn.l2_loss(w)"])
def test_what_runs_at_once(value: str) -> None:
    assert settled(value)


@pytest.mark.parametrize(
    ("value", "takes_turns", "is_first"),
    [
        ("step.value()", True, True),
        ("step.value()", False, False),
        ("step.read_value()", True, True),
        ("after", True, False),  # the graph has it wait for the update
        ("x", True, False),
    ],
)
def test_a_global_step_of_workers_that_take_turns_is_read_before_the_update(
    value: str, takes_turns: bool, is_first: bool
) -> None:
    import tensorflow.compat.v1 as tf

    from tfmigrate_runtime.verify.recorder.sessions.early_values import EarlyReads

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        with tf.variable_scope("", use_resource=False):
            w, step = tf.get_variable("w", [3]), tf.get_variable("step", [], trainable=False)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train = optimizer.minimize(tf.reduce_sum(w * x), global_step=step)
        with tf.control_dependencies([train]):
            after = step.read_value()
        tensor = eval(value, {"step": step, "after": after, "x": x})
        training: Any = SimpleNamespace(synchronous=False, is_step=lambda operations: True)
        places = EarlyReads(takes_turns).places(training, [train], [tensor])
    assert places == ([0] if is_first else [])
