"""--target keras: variables of a program's own, optimizers of a helper, arrays as input."""

from __future__ import annotations

import pytest
from support import run
from test_target_keras import PROGRAM, TARGET, converted, refused

DENSE = "tf.layers.dense(net, 3)"
WEIGHTS = "tf.get_variable('w', [4, 3], initializer=tf.zeros_initializer())"


def variable(code: str) -> tuple[str, str]:
    """Returns the change that multiplies by a variable."""
    return f"  logits = {DENSE}\n", f"  w = {code}\n  logits = tf.matmul(net, w)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (WEIGHTS, "Variable([4, 3], initializer=keras.initializers.Zeros(), name='w')(net)"),
        ("tf.get_variable('w', shape=(4, 3))", "Variable(shape=(4, 3), name='w')(net)"),
        (
            "tf.Variable(tf.truncated_normal([4, 3], stddev=0.1))",
            "Variable([4, 3], initializer=keras.initializers.TruncatedNormal(stddev=0.1))(net)",
        ),
        (
            "tf.Variable(tf.constant(0.1, shape=[4, 3]), trainable=False, name='w')",
            "Variable(\n      [4, 3],\n      initializer=keras.initializers.Constant(0.1),\n"
            "      trainable=False,\n      name='w')(net)",
        ),
    ],
)
def test_a_variable_becomes_a_layer(before: str, after: str) -> None:
    text = converted(variable(before))
    assert f"  w = {after}\n  logits = keras.ops.matmul(net, w)\n" in text
    assert "class Variable(keras.layers.Layer):" in text


def test_a_helper_that_makes_variables() -> None:
    helper = (
        "def linear(x, units, name, activation=None):\n"
        "  with tf.variable_scope(name):\n"
        "    w = tf.get_variable('w', [x.get_shape().as_list()[-1], units])\n"
        "    b = tf.get_variable('b', [units], initializer=tf.zeros_initializer())\n"
        "    y = tf.nn.bias_add(tf.matmul(x, w), b)\n"
        "    return activation(y) if activation else y\n\n\ndef model_fn"
    )
    text = converted(
        ("def model_fn", helper),
        (DENSE, "linear(linear(net, 4, 'one', tf.nn.relu), 3, 'two')"),
    )
    assert "  w = Variable([list(x.shape)[-1], units])(x)\n" in text
    assert "  y = keras.ops.add(keras.ops.matmul(x, w), b)\n" in text


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("tf.get_variable('w', initializer=tf.zeros([4, 3]))", "a variable without a shape"),
        ("tf.get_variable('w', [4, 3], initializer=x)", "which is not an initializer"),
        ("tf.get_variable('w', [4, 3], dtype=tf.int32)", "no equivalent of `dtype=tf.int32`"),
        ("tf.get_variable('w', [4, 3], collections=['c'])", "no equivalent of `collections="),
        ("tf.Variable(x)", "of no known shape"),
        ("tf.Variable(tf.constant(x))", "the shape of the variable is not given"),
    ],
)
def test_variables_that_a_layer_does_not_hold_are_refused(code: str, reason: str) -> None:
    assert reason in refused(variable(code))


def test_a_variable_that_towers_do_not_share_is_refused() -> None:
    towers = (
        (
            "tf.train.AdamOptimizer(0.1)",
            "tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.1))",
        ),
        ("Estimator(model_fn", "Estimator(tf.contrib.estimator.replicate_model_fn(model_fn)"),
    )
    text = PROGRAM
    for old, new in (variable("tf.Variable(tf.zeros([4, 3]))"), *towers):
        text = text.replace(old, new)
    messages = [finding.message for finding in run(text, target=TARGET).findings]
    assert any("each tower has another `tf.Variable`" in message for message in messages)


def test_a_variable_without_a_tensor_in_reach_is_refused() -> None:
    helper = f"def weights():\n  return {WEIGHTS}\n\n\ndef model_fn"
    assert "no tensor is known" in refused(("def model_fn", helper), variable("weights()"))


def test_a_helper_of_something_else_than_features_is_refused() -> None:
    helper = f"def weights(x):\n  w = {WEIGHTS}\n  return w\n\n\ndef model_fn"
    reason = refused(("def model_fn", helper), variable("weights(params)"))
    assert "no tensor is known" in reason


OPTIMIZER = """\
  optimizer = tf.train.AdamOptimizer(0.1)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
"""
HELPER = """\
def train(loss, rate):
  step = tf.train.get_global_step()
  optimizer = tf.train.AdamOptimizer(tf.train.exponential_decay(rate, step, 10, 0.5))
  return optimizer.minimize(loss, global_step=step)


def model_fn"""


def test_a_helper_that_makes_the_optimizer_returns_it() -> None:
    text = converted(("def model_fn", HELPER), (OPTIMIZER, "  train_op = train(loss, 0.1)\n"))
    assert "def train(rate):\n  optimizer = keras.optimizers.Adam(" in text
    assert "keras.optimizers.schedules.ExponentialDecay(\n      rate, 10, 0.5)" in text
    assert "  return optimizer\n" in text
    assert "      optimizer=train(0.1),\n" in text


@pytest.mark.parametrize(
    ("changed", "call", "reason"),
    [
        (("  step =", "  print(loss)\n  step ="), "train(loss, 0.1)", "for more than to train"),
        (("", ""), "train(loss, len(labels))", "is not known where the model is compiled"),
        (("", ""), "train(loss + 1.0, 0.1)", "minimizes something other than the loss"),
    ],
)
def test_helpers_that_do_more_are_refused(changed: tuple[str, str], call: str, reason: str) -> None:
    helper = HELPER.replace(*changed) if changed[0] else HELPER
    assert reason in refused(("def model_fn", helper), (OPTIMIZER, f"  train_op = {call}\n"))


ARRAYS = "tf.estimator.inputs.numpy_input_fn({'x': x}, y, batch_size=8, shuffle=True)"
FEATURES = ("tf.layers.dense(features,", "tf.layers.dense(features['x'],")


def test_arrays_become_a_dataset() -> None:
    made = ("  est.train(lambda: input_fn(x, y),", f"  train_fn = {ARRAYS}\n  est.train(train_fn,")
    text = converted(
        FEATURES, made, ("est.evaluate(lambda: input_fn(x, y)", f"est.evaluate({ARRAYS}")
    )
    assert (
        "train_fn = functools.partial(numpy_dataset, {'x': x}, y, batch_size=8, shuffle=True)"
        in text
    )
    assert "  train_dataset = train_fn()\n" in text
    assert "numpy_dataset({'x': x}, y, batch_size=8, shuffle=True)" in text
    assert "import functools\n" in text


def test_arrays_that_threads_read_are_refused() -> None:
    arrays = ARRAYS.replace("shuffle=True", "shuffle=True, num_threads=4")
    change = ("lambda: input_fn(x, y), steps=100", f"{arrays}, steps=100")
    assert "several threads of `numpy_input_fn`" in refused(FEATURES, change)
