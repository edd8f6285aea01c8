"""--target keras: losses that are no class of Keras, and metrics of other values."""

from __future__ import annotations

import pytest
from test_target_keras import PROGRAM, converted, refused

LOSS = "  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)\n"
METRIC = "tf.metrics.accuracy(labels, tf.argmax(logits, 1))"
ROWS = "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)"
DECAY = "0.1 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables(){}])"
ENTROPY = "keras.ops.sparse_categorical_crossentropy(labels, logits, from_logits=True)"


def lines(*text: str) -> tuple[str, str]:
    """Returns the change that computes the loss by other lines."""
    return LOSS, "".join(f"  {line}\n" for line in text)


def test_a_loss_of_operations_becomes_a_function() -> None:
    after = converted(lines(f"loss = 2.0 * tf.reduce_mean({ROWS})"))
    assert "  def loss(labels, logits):\n" in after
    assert f"return 2.0 * keras.ops.mean(\n        {ENTROPY})" in after
    assert "      loss=BatchLoss(loss),\n" in after
    assert "class BatchLoss(keras.losses.Loss):" in after


def test_assignments_that_need_the_labels_move_into_the_function() -> None:
    after = converted(
        lines(
            "labels = tf.cast(labels, tf.float32)",
            "scale = 0.5",
            "error = labels - tf.reduce_sum(logits, 1)",
            "loss = tf.reduce_mean(tf.square(error))",
            "loss *= scale",
        ),
        (METRIC, "tf.metrics.mean(tf.abs(labels - logits[:, 0]))"),
    )
    assert "  scale = 0.5\n  def loss(labels, logits):\n" in after
    assert "    labels = keras.ops.cast(labels, 'float32')\n    error = labels - " in after
    assert "    loss *= scale\n    return loss\n" in after
    assert "keras.ops.cast(labels, 'float32') - logits[:, 0])" in after


def test_a_function_of_the_program_computes_the_loss() -> None:
    after = converted(
        (
            "def model_fn",
            f"def entropy(labels, logits):\n  return tf.reduce_sum({ROWS})\n\n\ndef model_fn",
        ),
        lines("loss = entropy(labels, logits)"),
    )
    assert f"  return keras.ops.sum({ENTROPY})" in after
    assert "    return entropy(labels, logits)\n" in after


def test_the_variables_of_the_model_in_a_loss() -> None:
    after = converted(lines(f"loss = tf.reduce_mean({ROWS}) + {DECAY.format('')}"))
    assert "for v in model.trainable_variables]" in after
    words = DECAY.format(" if 'bias' not in v.name and 'batch_normalization' not in v.name")
    after = converted(lines(f"loss = tf.reduce_mean({ROWS}) + {words}"))
    assert "if 'bias' not in v.path and 'batch_normalization' not in v.path]" in after


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        (
            "loss = tf.reduce_mean(net - tf.to_float(labels)) + tf.reduce_sum(logits)",
            "`logits` and",
        ),
        ("loss = tf.reduce_mean(logits * features)", "computed from the features"),
        ("loss = tf.reduce_mean(labels)", "no output of the model is known"),
        ("loss = tf.reduce_mean(tf.layers.dense(logits, 1) - labels)", "in the code of a loss"),
        ("loss = tf.reduce_mean(tf.where(labels > 0, logits, logits))", "in the code of a loss"),
        (f"loss = tf.reduce_mean({ROWS}) * tf.random_uniform([])", "in the code of a loss"),
        (f"loss = tf.reduce_sum({ROWS})\n  logits = logits + 1", "is assigned again"),
        (f"loss, scale = tf.reduce_sum({ROWS}), 2", "together with other names"),
        (f"k = 2.0\n  loss = k * tf.reduce_mean({ROWS})\n  k = 3.0", "is assigned again"),
        (f"loss = tf.reduce_mean({ROWS})\n  if x:\n    loss = loss * 2", "does not always run"),
        (f"loss = tf.zeros([])\n  for i in range(2):\n    loss += tf.reduce_sum({ROWS})", "always"),
        (f"loss = 0.5 * tf.reduce_mean({ROWS})\n  print(loss)", "the loss becomes a function"),
        (
            f"loss = tf.reduce_mean({ROWS}) + " + DECAY.format(" if 'hidden' not in v.name"),
            "may have other names than `'hidden'`",
        ),
        (
            f"loss = tf.reduce_mean({ROWS}) + " + DECAY.format(" if v.shape.ndims > 1"),
            "may have other names than `1`",
        ),
        (
            f"loss = tf.reduce_mean({ROWS}) + " + DECAY.format("").replace("les()", "les('a')"),
            "of a scope",
        ),
    ],
)
def test_what_no_function_of_a_batch_computes_is_refused(loss: str, reason: str) -> None:
    assert reason in refused(lines(*loss.split("\n  ")))


def test_a_word_that_other_names_have_is_refused() -> None:
    words = DECAY.format(" if 'bias' not in v.name")
    change = lines(f"loss = tf.reduce_mean({ROWS}) + {words}")
    assert "may have other names" in refused(change, ("name='hidden'", "name='bias_net'"))


def test_towers_that_are_added_up_need_a_sum() -> None:
    wrapped = (
        "tf.contrib.estimator.replicate_model_fn(model_fn, loss_reduction=tf.losses.Reduction.SUM)"
    )
    towers = (
        "tf.train.AdamOptimizer(0.1)",
        "tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.1))",
    )
    change = lines(f"loss = tf.reduce_sum({ROWS})")
    reason = refused(change, towers, ("Estimator(model_fn", f"Estimator({wrapped}"))
    assert "towers are combined by their sum" in reason


@pytest.mark.parametrize(
    ("metric", "code"),
    [
        (
            "tf.metrics.mean(tf.to_float(tf.equal(labels, 1)))",
            "keras.metrics.Mean(name='accuracy'), lambda labels, logits: (",
        ),
        (
            "tf.metrics.precision(tf.equal(labels, 1), logits[:, 1] > 0.0)",
            "keras.metrics.Precision(name='accuracy'), lambda labels, logits: (",
        ),
        (
            "tf.metrics.auc(tf.equal(labels, 1), tf.nn.softmax(logits)[:, 1])",
            "keras.metrics.AUC(name='accuracy'), lambda labels, logits: (",
        ),
    ],
)
def test_a_metric_of_other_values(metric: str, code: str) -> None:
    after = converted((METRIC, metric))
    assert f"MetricOf({code}" in after
    assert "class MetricOf(keras.metrics.Metric):" in after


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("tf.metrics.accuracy(labels, logits[:, 0])", "may be no whole numbers"),
        ("tf.metrics.precision(labels, tf.argmax(net, 1))", "may be no truth values"),
        ("tf.metrics.mean(net)", "in a metric is computed in another way"),
        ("tf.metrics.mean(tf.layers.flatten(logits))", "a metric is computed by"),
        ("tf.metrics.mean(logits, weights=labels)", "only the values are known"),
    ],
)
def test_metrics_of_what_is_not_known_are_refused(metric: str, reason: str) -> None:
    assert reason in refused((METRIC, metric))


def test_metrics_that_a_loop_adds() -> None:
    dictionary = "eval_metric_ops={\n        'accuracy': " + METRIC + "})"
    assert dictionary in PROGRAM
    after = converted(
        (
            "    return tf.estimator.EstimatorSpec(mode, loss=loss, " + dictionary,
            f"    found = {{'accuracy': {METRIC}}}\n"
            "    for number in range(3):\n"
            "      found['is/%d' % number] = tf.metrics.mean(tf.equal(labels, number))\n"
            "    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=found)",
        )
    )
    assert "  for number in range(3):\n    found['is/%d' % number] = MetricOf(\n" in after
    assert "lambda labels, logits, number=number: (" in after
    assert "metrics=list(found.values())," in after
