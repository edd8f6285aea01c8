"""--target keras: gradients that are clipped, and training steps in functions."""

from __future__ import annotations

import pytest
from support import run
from test_target_keras import PROGRAM, TARGET, converted, refused

STEP = "tf.train.get_global_step()"
MINIMIZED = f"  train_op = optimizer.minimize(loss, global_step={STEP})\n"
UNZIPPED = "  gradients, variables = zip(*optimizer.compute_gradients(loss))\n"
PAIRS = "  pairs = optimizer.compute_gradients(loss)\n"
ALL = "  gradients, norm = tf.clip_by_global_norm(gradients, 5.0)\n"
ZIPPED = f"  train_op = optimizer.apply_gradients(list(zip(gradients, variables)), {STEP})\n"
APPLIED = f"  train_op = optimizer.apply_gradients(pairs, global_step={STEP})\n"
HELPER = (
    "def train_op_of(loss, optimizer, limit):\n"
    '  """Clips."""\n'
    "  # of each tower\n"
    "  gradients, variables = zip(*optimizer.compute_gradients(loss))\n"
    "  gradients, _ = tf.clip_by_global_norm(gradients, limit)\n"
    "  return optimizer.apply_gradients(\n"
    f"      zip(gradients, variables), {STEP})\n\n\n"
)


def clipped(*lines: str) -> tuple[str, str]:
    """Returns the change that makes the program clip its gradients."""
    assert MINIMIZED in PROGRAM
    return MINIMIZED, "".join(lines)


def each(clip: str) -> str:
    return f"  pairs = [({clip}, v) for g, v in pairs]\n"


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        (clipped(UNZIPPED, ALL, ZIPPED), "global_clipnorm=5.0"),
        (clipped(PAIRS, each("tf.clip_by_norm(g, 0.5)"), APPLIED), "clipnorm=0.5"),
        (clipped(PAIRS, each("tf.clip_by_value(g, -0.5, 0.5)"), APPLIED), "clipvalue=0.5"),
        (
            clipped(
                UNZIPPED, "  gradients = [tf.clip_by_norm(g, 2.) for g in gradients]\n", ZIPPED
            ),
            "clipnorm=2.",
        ),
        (clipped(PAIRS, each("g"), APPLIED), ""),
    ],
)
def test_clipping_becomes_an_argument_of_the_optimizer(
    change: tuple[str, str], argument: str
) -> None:
    plain, after = converted(), converted(change)
    assert "epsilon=1e-8" in plain
    added = f", {argument}" if argument else ""
    expected = plain.replace("epsilon=1e-8", f"epsilon=1e-8{added}")
    assert in_one_line(after) == in_one_line(expected)


def in_one_line(text: str) -> str:
    """Returns code without the blanks that wrapping changes."""
    return "".join(text.split())


def test_a_training_step_in_a_function_is_removed() -> None:
    step = clipped("  train_op = train_op_of(loss, optimizer, limit=params['limit'])\n")
    after = converted(step, ("def model_fn", HELPER + "def model_fn"))
    expected = converted().replace("epsilon=1e-8", "epsilon=1e-8, global_clipnorm=params['limit']")
    assert "\n\n# of each tower\n\n\n" in after  # no comment is lost
    after = after.replace("\n# of each tower\n", "")
    assert in_one_line(after) == in_one_line(expected)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (clipped(UNZIPPED, ALL, ALL, ZIPPED), "the gradients are clipped twice"),
        (
            clipped(PAIRS, each("g * 2"), APPLIED),
            "changed by something other than clipping",
        ),
        (
            clipped(PAIRS, each("tf.clip_by_value(g, -1.0, 0.5)"), APPLIED),
            "the limits of `tf.clip_by_value` are not `-x` and `x`",
        ),
        (
            clipped(PAIRS, "  pairs = [(g, v) for g, v in pairs if v.trainable]\n", APPLIED),
            "only some gradients are applied",
        ),
        (
            clipped("  pairs = optimizer.compute_gradients(loss, gate_gradients=0)\n", APPLIED),
            "the arguments of `compute_gradients`",
        ),
        (clipped(UNZIPPED, ALL, "  print(norm)\n", ZIPPED), "`norm` is used for more"),
        (
            clipped(UNZIPPED, "  if params:\n  " + ALL, ZIPPED),
            "`gradients` is not assigned once above",
        ),
        (
            clipped(UNZIPPED, ALL.replace("5.0", "tf.constant(5.0)"), ZIPPED),
            "is a tensor",
        ),
        (clipped(PAIRS, "  train_op = optimizer.apply_gradients(pairs)\n"), "the global step"),
    ],
)
def test_other_gradients_are_refused(change: tuple[str, str], reason: str) -> None:
    assert reason in refused(change)


def test_an_iterator_that_towers_share_is_refused() -> None:
    change = clipped(UNZIPPED, ALL, ZIPPED.replace("list(zip(", "zip(").replace("))", ")", 1))
    towers = (
        "  optimizer =",
        "  optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())\n  other =",
    )
    text = PROGRAM
    for old, new in (change, towers):
        text = text.replace(old, new)
    (found,) = [f for f in run(text, target=TARGET).findings if f.code == "TFM802"]
    assert "the towers share an iterator" in found.message


def test_a_function_that_minimizes_is_removed() -> None:
    function = "def train(optimizer, cost, step):\n  return optimizer.minimize(cost, step)\n\n\n"
    step = clipped(f"  train_op = train(optimizer, step={STEP}, cost=loss)\n")
    assert converted(step, ("def model_fn", function + "def model_fn")) == converted()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("  # of each tower\n", "  limit = limit * 2\n", "`limit` is assigned anew"),
        ("gradients, limit)", "gradients, limit * 2)", "computes `limit * 2`"),
        ("\n\n\n", "\n\n\nother = train_op_of\n\n\n", "is not `minimize` of an optimizer"),
    ],
)
def test_other_functions_that_train_are_refused(old: str, new: str, reason: str) -> None:
    step = clipped("  train_op = train_op_of(loss, optimizer, 5.0)\n")
    assert reason in refused(step, ("def model_fn", HELPER.replace(old, new) + "def model_fn"))


def test_a_function_that_does_more_than_to_train_is_refused() -> None:
    step = clipped("  train_op = train_op_of(loss, optimizer, 5.0)\n")
    other = HELPER.replace("  # of", "  print(loss)\n  # of")
    assert "does more than to train" in refused(step, ("def model_fn", other + "def model_fn"))


RECURRENT = (
    "  cell = tf.nn.rnn_cell.BasicLSTMCell(4)\n"
    "  outputs, _ = tf.nn.dynamic_rnn(cell, net, dtype=tf.float32)\n"
)
DROPOUT = "  net = tf.layers.dropout("


def test_a_recurrent_layer() -> None:
    after = converted((DROPOUT, RECURRENT + "  net = outputs[:, -1]\n" + DROPOUT))
    assert (
        "  cell = BasicLSTMCell(4)\n"
        "  outputs = keras.layers.RNN(cell, return_sequences=True)(net)\n"
    ) in after
    assert "class BasicLSTMCell(keras.layers.Layer):" in after


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("dtype=", "sequence_length=[2], dtype="), "are not a cell and its inputs alone"),
        (("(4)", "(4, activation=tf.nn.relu)"), "`activation=tf.nn.relu`"),
        (("BasicLSTMCell", "GRUCell"), "is not in the vocabulary"),
        (("outputs, _", "outputs, net"), "the last state of a recurrent layer is used"),
    ],
)
def test_other_recurrent_layers_are_refused(change: tuple[str, str], reason: str) -> None:
    assert reason in refused((DROPOUT, RECURRENT.replace(*change) + DROPOUT))
