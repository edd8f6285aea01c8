"""TFM742: a learning rate and the increment of its step, in no order."""

from __future__ import annotations

import pytest
from support import found

CODE = "TFM742"
STEP = "step = tf.Variable(0, trainable=False)"
RATE = "rate = tf.train.exponential_decay(0.1, step, 100, 0.9)"
TRAIN = "train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)"
RUN = "tf.Session().run(train_op)"
GROUP = "train_op = tf.group(train_op, tf.assign_add(step, 1))"


def program(*lines: str, head: tuple[str, ...] = (STEP, RATE, TRAIN)) -> str:
    body = "\n".join(f"  {line}" for line in (*head, *lines))
    return f"import tensorflow as tf\n\n\ndef train(loss):\n{body}\n"


@pytest.mark.parametrize(
    "lines",
    [
        (RUN,),
        ("count = tf.assign_add(step, 1)", RUN, "tf.Session().run(count)"),
        ("with tf.control_dependencies([train_op]):", "  count = tf.assign_add(step, 1)", RUN),
        ("other = tf.Variable(0)", "train_op = tf.group(train_op, tf.assign_add(other, 1))", RUN),
        ("train_op = tf.group(train_op, tf.assign(step, 0))", RUN),
        ("return train_op, tf.assign_add(step, 1)",),
    ],
    ids=["none", "other run", "ordered", "other variable", "constant", "returned"],
)
def test_what_has_an_order(lines: tuple[str, ...]) -> None:
    assert not found(program(*lines), CODE)


def test_rates_that_are_ordered_or_read_no_step() -> None:
    constant = (STEP, "rate = tf.train.exponential_decay(0.1, 5, 100, 0.9)", TRAIN)
    assert not found(program(GROUP, RUN, head=constant), CODE)
    waiting = (
        STEP,
        "count = tf.assign_add(step, 1)",
        "with tf.control_dependencies([count]):",
        f"  {RATE}",
        TRAIN,
    )
    assert not found(program("train_op = tf.group(train_op, count)", RUN, head=waiting), CODE)


@pytest.mark.parametrize(
    "lines",
    [
        (GROUP, RUN),
        ("train_op = tf.group(train_op, [step.assign_add(1)])", RUN),
        ("after = step + 1", "train_op = tf.group(train_op, step.assign(after))", RUN),
        ("count = tf.assign_add(step, 1).op", "tf.Session().run([train_op, count])"),
        ("ops = [train_op]", "ops.append(tf.assign_add(step, 1))", "tf.group(*ops)"),
        ("count = step.assign_add(1)", "both = {'a': train_op, 'b': count}", "s.run(both)"),
        ("with tf.control_dependencies([train_op, tf.assign_add(step, 1)]):", "  tf.no_op()"),
        (
            "update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)",
            "with tf.control_dependencies(update_ops):",
            f"  {GROUP}",
        ),
    ],
    ids=["group", "list", "assign", "fetch", "appended", "dict", "awaited", "update ops"],
)
def test_what_runs_together(lines: tuple[str, ...]) -> None:
    (finding,) = found(program(*lines), CODE)
    assert finding.severity.value == "manual"


@pytest.mark.parametrize(
    "head",
    [
        ("step = tf.train.get_or_create_global_step()", RATE, TRAIN),
        (STEP, "rate = 0.1 / (1.0 + tf.to_float(step))", TRAIN),
        (STEP, "rate = tf.train.polynomial_decay(0.1, global_step=step, decay_steps=9)", TRAIN),
    ],
)
def test_rates_of_the_step(head: tuple[str, ...]) -> None:
    assert found(program(GROUP, RUN, head=head), CODE)


def test_attributes_and_what_functions_return() -> None:
    text = """\
import tensorflow as tf

class Model:
  def __init__(self, loss):
    self.step = tf.Variable(0, trainable=False)
    rate = tf.train.exponential_decay(0.1, self.step, 100, 0.9)
    self.train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    self.count_op = tf.assign_add(self.step, 1)

def build(model):
  return model.train_op, [model.train_op, model.count_op]

def main(model, sess):
  _, ops = build(model)
  sess.run(ops)
"""
    (finding,) = found(text, CODE)
    assert finding.line == 8
    assert not found(text.replace("  sess.run(ops)\n", "  sess.run(model.train_op)\n"), CODE)


def test_estimators_and_clusters() -> None:
    spec = "return tf.estimator.EstimatorSpec('train', loss=loss, train_op=train_op)"
    assert found(program(GROUP, spec), CODE)
    # On parameter servers, threads decide in both versions.
    cluster = "with tf.device(tf.train.replica_device_setter(cluster=cluster)):"
    head = (cluster, *(f"  {line}" for line in (STEP, RATE, TRAIN)))
    assert not found(program(GROUP, RUN, head=head), CODE)


@pytest.mark.parametrize(
    "rate",
    [
        "tf.where(tf.equal(tf.mod(step, 3), 0), 0.1, 0.01)",
        "tf.train.piecewise_constant(step, [2, 5], [0.1, 0.05, 0.02])",
    ],
)
def test_comparisons_were_read_before_as_now(rate: str) -> None:
    assert not found(program(GROUP, RUN, head=(STEP, f"rate = {rate}", TRAIN)), CODE)


def test_assign_came_before_comparisons() -> None:
    head = (STEP, "rate = tf.train.piecewise_constant(step, [2], [0.1, 0.01])", TRAIN)
    assign = "train_op = tf.group(train_op, tf.assign(step, step + 1))"
    assert found(program(assign, RUN, head=head), CODE)
