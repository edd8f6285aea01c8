"""TFM213: with --target estimator, what tf.estimator would train differently."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

from tfmigrate.model.targets import ESTIMATOR, TARGETS

CODE = "TFM213"

TARGET = TARGETS[ESTIMATOR]
PROGRAM = """\
import tensorflow as tf
from model import model_fn, input_fn

optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
classifier = tf.estimator.Estimator(model_fn=replicated_fn)
classifier.train(input_fn, steps=100)
"""


def test_datasets_and_losses_that_it_takes() -> None:
    assert found(PROGRAM, CODE, target=TARGET) == []


@pytest.mark.parametrize(
    "line",
    [
        "input_fn = tf.estimator.inputs.numpy_input_fn(x, y, shuffle=False)",
        "rows = tf.train.batch([x], 4)",
    ],
)
def test_tensors_of_queues_keep_the_program(line: str) -> None:
    text = PROGRAM.replace("classifier.train", f"{line}\nclassifier.train")
    (finding,) = found(text, CODE, target=TARGET)
    assert (finding.line, finding.severity.value, finding.applied) == (7, "manual", False)
    check_unchanged(text, target=TARGET)
    assert found(text, CODE) == []


def test_an_iterator_gives_tensors() -> None:
    text = PROGRAM.replace(
        "from model import model_fn, input_fn\n",
        "from model import model_fn, data\n\ndef input_fn():\n"
        "  x, y = data().make_initializable_iterator().get_next()\n  return x, y\n",
    )
    (finding,) = found(text, CODE, target=TARGET)
    assert finding.message.startswith("`get_next()` returns tensors")
    check_unchanged(text, target=TARGET)


def test_a_program_that_nothing_is_seen_to_feed_stays() -> None:
    text = PROGRAM.replace("classifier.train(input_fn, steps=100)\n", "")
    (finding,) = found(text, CODE, target=TARGET)
    assert "no call that passes an input function" in finding.message
    check_unchanged(text, target=TARGET)


@pytest.mark.parametrize(("reduction", "count"), [("SUM_BY_NONZERO_WEIGHTS", 0), ("SUM", 1)])
def test_the_last_loss_says_how_tf_estimator_scales(reduction: str, count: int) -> None:
    model = (
        "\ndef model_fn(features, labels, mode):\n"
        "  loss = tf.losses.mean_squared_error(\n"
        f"      labels, net(features), reduction=tf.losses.Reduction.{reduction})\n"
        "  optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())\n"
        "  op = optimizer.minimize(loss, tf.train.get_global_step())\n"
        "  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=op)\n"
    )
    text = PROGRAM.replace(
        "from model import model_fn, input_fn\n", f"from model import net, input_fn\n{model}"
    )
    text = text.replace(
        "\noptimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())\n", "\n"
    )
    assert len(found(text, CODE, target=TARGET)) == count


def test_an_optimizer_of_the_program_that_got_the_sum_of_the_gradients() -> None:
    owner = (
        "class Own(tf.train.Optimizer):\n  def {}(self, grads_and_vars):\n    return update()\n\n"
    )
    text = PROGRAM.replace("\noptimizer", "\n{}optimizer").replace(
        "tf.train.AdamOptimizer()", "Own()"
    )
    assert found(text.format(owner.format("_apply_dense")), CODE, target=TARGET) == []
    text = text.format(owner.format("apply_gradients"))
    (finding,) = found(text, CODE, target=TARGET)
    assert finding.message.startswith("Own.apply_gradients got the sum of the towers' gradients")
    check_unchanged(text, target=TARGET)
    assert found(text, CODE) == []
