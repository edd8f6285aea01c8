"""--target keras: penalties, dropout and modes, of which Keras has another idea."""

from __future__ import annotations

import pytest
from test_target_keras import MODEL, PROGRAM, converted, refused

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
    assert "the loss of the evaluation is not that of the training" in refused(
        REGULARIZED, ("  optimizer =", added)
    )


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


@pytest.mark.parametrize(
    "line", ["if training:\n    net = net * 2", "if training:\n    net = tf.layers.dense(net, 4)"]
)
def test_a_model_of_training_alone_is_refused(line: str) -> None:
    assert "the model depends on the mode" in refused((DROPOUT, line))


def test_averages_that_training_does_not_move_are_refused() -> None:
    assert "training does not run UPDATE_OPS" in refused(NORMALIZED)


def test_a_spec_with_a_name_is_followed() -> None:
    spec = "return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)"
    assert MODEL in converted((spec, spec.replace("return", "spec =") + "\n  return spec"))


def test_evaluation_and_training_in_two_branches() -> None:
    evaluation = "  if mode == tf.estimator.ModeKeys.EVAL:\n"
    training = """\
  optimizer = tf.train.AdamOptimizer(0.1)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
    inner = "".join(f"  {line}\n" for line in training.splitlines())
    assert evaluation in PROGRAM
    assert MODEL in converted((training, f"  elif mode == tf.estimator.ModeKeys.TRAIN:\n{inner}"))
    assert MODEL in converted((training, f"  else:\n{inner}"))
    prediction = ("EVAL:\n", "EVAL or mode == tf.estimator.ModeKeys.PREDICT:\n")
    assert MODEL in converted(prediction, (training, f"  else:\n{inner}"))
