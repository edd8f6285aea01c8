"""--target keras: scalar summaries of a model function."""

from __future__ import annotations

import pytest
from test_target_keras import converted, refused

ADAM = "  optimizer = tf.train.AdamOptimizer(0.1)\n"
METRIC = "        'accuracy': tf.metrics.accuracy(labels, tf.argmax(logits, 1))})\n"


def with_summary(code: str) -> tuple[str, str]:
    """Returns the change that adds code in front of the optimizer."""
    return ADAM, code + ADAM


def summary(tag: str, value: str) -> str:
    return f"  tf.summary.scalar('{tag}', {value})\n"


def test_the_loss_has_its_own_tag_beside_that_of_the_estimator() -> None:
    after = converted(with_summary(summary("cross_entropy", "loss")))
    assert "  model.summaries = {'cross_entropy': 'loss', 'loss': 'loss'}\n" in after
    assert "tf.summary.scalar(" not in after


def test_a_summary_with_the_tag_of_the_estimator_is_its_only_one() -> None:
    after = converted(with_summary(summary("loss", "loss")))
    assert "model.summaries" not in after


def test_the_learning_rate() -> None:
    rate = "  rate = tf.train.exponential_decay(0.1, tf.train.get_global_step(), 10, 0.9)\n"
    after = converted(
        (ADAM, rate + summary("rate", "rate") + ADAM.replace("0.1", "rate")),
    )
    assert "  model.summaries = {'rate': 'learning_rate', 'loss': 'loss'}\n" in after


def test_the_update_of_a_metric() -> None:
    above = "  accuracy = tf.metrics.accuracy(labels, tf.argmax(logits, 1))\n"
    after = converted(
        ("  if mode == tf.estimator.ModeKeys.EVAL:\n", above + "  if mode == 'eval':\n"),
        (METRIC, "        'right': accuracy})\n"),
        with_summary(summary("train_accuracy", "accuracy[1]")),
    )
    assert "  model.summaries = {'train_accuracy': 'right', 'loss': 'loss'}\n" in after


def test_an_operation_above_has_the_name() -> None:
    code = "  tf.identity(loss, name='cost')\n" + summary("cost", "loss")
    after = converted(with_summary(code))
    assert "  model.summaries = {'cost_1': 'loss', 'loss': 'loss'}\n" in after


def test_the_scope_is_part_of_the_tag() -> None:
    code = "  with tf.name_scope('sums'):\n  " + summary("cost", "loss")
    after = converted(with_summary(code))
    assert "  model.summaries = {'sums/cost': 'loss', 'loss': 'loss'}\n" in after


@pytest.mark.parametrize(
    "code",
    [
        summary("l", "loss * 2.0"),
        summary("l", "logits[0, 1]"),
        "  tf.summary.histogram('l', logits)\n",
        "  tf.summary.scalar('l', loss, family='f')\n",
        "  if params['dropout']:\n  " + summary("l", "loss"),
        "  with tf.variable_scope('s'):\n  " + summary("l", "loss"),
        "  tf.summary.scalar(params['name'], loss)\n",
    ],
)
def test_others_are_dropped_by_request_only(code: str) -> None:
    reason = refused(with_summary(code))
    assert "of the model is not written" in reason


def test_what_is_evaluated_is_written_below_its_name() -> None:
    after = converted(("steps=2)", "steps=2, name='test')"))
    assert "evaluate_model(est, input_fn(x, y), 'out', steps=2, name='test')" in after
