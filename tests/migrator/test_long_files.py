"""A long file costs little more than its parsing: a guard against questions asked once a line."""

from __future__ import annotations

import ast
import sys

from support import run

HEAD = """\
import tensorflow as tf

def model_fn(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

model = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
"""
BODY = """
def helper_{0}(values, scale={0}):
    total = tf.reduce_sum(values) * scale  # of all
    for index in range(scale):
        total += tf.square(values[index], name="square_{0}")
    return helper_{1}(total) if scale > 7 else [total, {{"scale": scale}}]
"""


def program(functions: int) -> str:
    return HEAD + "".join(BODY.format(i, max(i - 1, 0)) for i in range(functions))


def calls(text: str) -> int:
    """Returns how many functions one migration calls: work that no other process disturbs."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        result = run(text)
    finally:
        sys.setprofile(None)
    assert result.texts
    return count


def test_work_grows_with_the_length_and_not_with_its_square() -> None:
    run(program(1))  # imports
    short, long = calls(program(30)), calls(program(150))
    # 5 for linear growth, 25 for its square; measured 4.6.
    assert long < 8 * short


def test_comments_and_code_far_from_edits_stay_as_they_are() -> None:
    text = program(50)
    (after,) = run(text).texts.values()
    assert after.endswith(text[len(HEAD) :])
    ast.parse(after)
