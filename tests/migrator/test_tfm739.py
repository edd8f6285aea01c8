"""TFM739: resource variables have no `+=`."""

from __future__ import annotations

import pytest
from support import found, migrated

from tfmigrate.model.targets import TARGETS

CODE = "TFM739"
TOWERS = """\
import tensorflow as tf
n = 2
opt = tf.train.GradientDescentOptimizer(0.1)
x = tf.placeholder(tf.float32, [8])
{first}
grads = []
for i, part in enumerate(tf.split(x, n)):
  with tf.device('/gpu:%d' % i):
    with tf.variable_scope('tower', reuse=i > 0):
      loss = tf.reduce_sum(part * tf.get_variable('w', []))
      grads.append(opt.compute_gradients(loss))
      {then}
total = total / n
"""
MODEL = """\
import tensorflow as tf
def model_fn(features, labels, mode):
  {first}
  {then}
  return tf.estimator.EstimatorSpec(mode, loss=total)
"""
FIRST = "total = tf.get_variable('total', [])"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("total = 0.0", "total += loss"),
        ("total = []", "total += [loss]"),
        (FIRST, "total = total + loss"),
        (FIRST, "total.value += loss"),
        (f"{FIRST}\n  total = [total]", "total += [loss]"),
        ("total = [tf.Variable(0.0)]", "total += [loss]"),
        ("total = made()", "total += loss"),
        ("for total in totals: pass", "total += loss"),
        (FIRST, "total //= 2"),
    ],
)
def test_other_names(first: str, then: str) -> None:
    assert not found(MODEL.format(first=first, then=then), CODE)


def test_programs_that_keep_their_variables() -> None:
    text = f"import tensorflow as tf\n{FIRST}\ntotal += 1\ntf.Session().run(total)\n"
    assert not found(text, CODE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("total += loss", "total = total + loss"),
        ("total -= a - b", "total = total - (a - b)"),
        ("total *= a if b else c", "total = total * (a if b else c)"),
        ("total /= len(losses)", "total = total / len(losses)"),
        ("total **= 2", "total = total ** 2"),
    ],
)
def test_model_functions(before: str, after: str) -> None:
    assert f"  {after}\n" in migrated(MODEL.format(first=FIRST, then=before))


def test_towers() -> None:
    text = migrated(TOWERS.format(first=FIRST, then="total += loss"))

    assert "total = total + loss\n" in text
    assert "nonlocal total" in text or "global total" in text


def test_target_eager() -> None:
    text = f"import tensorflow as tf\n{FIRST}\ntotal += 1\ntf.Session().run(total)\n"
    assert "total = total + 1\n" in migrated(text, target=TARGETS["eager"])
