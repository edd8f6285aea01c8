"""--target keras: penalties, dropout and modes, of which Keras has another idea."""

from __future__ import annotations

import pytest
from test_target_keras import converted, refused

REGULARIZED = (
    "tf.layers.dense(net, 3)",
    "tf.layers.dense(net, 3, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))",
)
LOSS = "loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
PENALTY = "tf.losses.get_regularization_loss()"
COLLECTED = "tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))"
DROPOUT = "net = tf.layers.dropout(net, params['dropout'], training=training)"
NORMALIZED = (DROPOUT, "net = tf.layers.batch_normalization(net, training=training)")


@pytest.mark.parametrize("penalty", [PENALTY, COLLECTED])
@pytest.mark.parametrize("form", ["of one name", "of two names", "in place"])
def test_a_loss_with_the_penalty_of_regularizers(form: str, penalty: str) -> None:
    before = {
        "of one name": LOSS.replace("logits)", f"logits) + {penalty}"),
        "of two names": f"data_{LOSS}  penalty = {penalty}\n  loss = penalty + data_loss\n",
        "in place": f"{LOSS}  loss += {penalty}\n",
    }
    after = converted(REGULARIZED, (LOSS, before[form]))
    assert "kernel_regularizer=keras.regularizers.L2(0.1 / 2)" in after
    assert "keras.losses.SparseCategoricalCrossentropy(from_logits=True)" in after
    assert "penalty" not in after
    assert "+=" not in after


def test_a_penalty_that_the_loss_leaves_out_is_refused() -> None:
    assert "the loss does not add the penalty of" in refused(REGULARIZED)


def test_a_penalty_of_the_training_alone_is_refused() -> None:
    added = f"  loss += {PENALTY}\n  optimizer ="
    assert "`loss` is no loss of Keras" in refused(REGULARIZED, ("  optimizer =", added))


@pytest.mark.parametrize(
    "line",
    [
        "net = tf.nn.dropout(net, keep_prob=0.8) if training else net",
        "if training:\n    net = tf.nn.dropout(net, keep_prob=0.8)",
        "net = tf.nn.dropout(net, keep_prob=0.8 if training else 1.0)",
    ],
)
def test_dropout_in_training_alone(line: str) -> None:
    assert "  net = keras.layers.Dropout(rate=1 - 0.8)(net)\n" in converted((DROPOUT, line))


def test_a_share_that_the_mode_chooses() -> None:
    after = converted(
        (DROPOUT, "keep = 0.8 if training else 1.0\n  net = tf.nn.dropout(net, keep)")
    )
    assert "  keep = 0.8\n  net = keras.layers.Dropout(rate=1 - keep)(net)\n" in after


@pytest.mark.parametrize(
    "line",
    [
        "net = tf.nn.dropout(net, keep_prob=0.8)",
        "net = tf.nn.dropout(net, 0.8 if training else 0.9)",
        "keep = 0.8 if training else 1.0\n  net = tf.nn.dropout(net, keep) * keep",
    ],
)
def test_dropout_in_other_modes_is_refused(line: str) -> None:
    assert "`tf.nn.dropout` in all modes" in refused((DROPOUT, line))


@pytest.mark.parametrize(("argument", "expected"), [("", "False"), (", training=True", "True")])
def test_dropout_of_a_fixed_mode(argument: str, expected: str) -> None:
    after = converted((DROPOUT, f"net = tf.layers.dropout(net, 0.5{argument})"))
    assert f"keras.layers.Dropout(0.5)(net, training={expected})" in after


@pytest.mark.parametrize(
    "line", ["if training:\n    net = net * 2", "if training:\n    net = tf.layers.dense(net, 4)"]
)
def test_a_model_of_training_alone_is_refused(line: str) -> None:
    assert "the model differs by the mode" in refused((DROPOUT, line))


def test_averages_that_training_does_not_move_are_refused() -> None:
    assert "training does not run UPDATE_OPS" in refused(NORMALIZED)
