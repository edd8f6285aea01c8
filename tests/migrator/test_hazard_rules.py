"""TFM203 to TFM211: what is not migrated as it stands, and what is told about it."""

from __future__ import annotations

import pytest
from support import check_unchanged, findings, found, migrated, run

PROGRAM = """\
import tensorflow as tf
import functools

def model_fn(features, labels, mode, params):
  logits = tf.layers.dense(features, 1)
  loss = tf.losses.mean_squared_error(labels, logits)
  optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
{body}
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

{head}
def main(flags):
{wrapper}
"""
WRAPPER = """\
  fn = tf.contrib.estimator.replicate_model_fn(model_fn)
  est = tf.estimator.Estimator(fn)
"""


def program(body: str = "", wrapper: str = WRAPPER, head: str = "") -> str:
    return PROGRAM.format(body=body, wrapper=wrapper, head=head)


def codes(text: str, **options: object) -> list[str]:
    return sorted({code for code, _ in findings(text, **options)})


def test_the_program_itself_is_migrated_without_findings() -> None:
    assert findings(program()) == []
    assert "contrib" not in migrated(program())


HARMLESS = [
    "  update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)",
    "  loss += tf.losses.get_regularization_loss()",
    "  weights = tf.get_variable('w', [2])",
    "  scale = tf.keras.regularizers.l2(0.1)",
    "  penalty = tf.gradients(loss, features)[0]",
    "  pairs = zip([1], [2])",
    "  with tf.variable_scope('x', reuse=tf.AUTO_REUSE) as scope: pass",
    "  optimizer.apply_gradients(list(zip(a, b)))",
    "  reuse = params.reuse",
]


@pytest.mark.parametrize("body", HARMLESS)
def test_harmless_model_code_is_not_reported(body: str) -> None:
    assert findings(program(body)) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tf.Variable(0)", "TFM209"),
        ("tf.keras.layers.Dense(1)", "TFM210"),
        ("tf.losses.get_total_loss()", "TFM208"),
    ],
)
def test_programs_without_towers_are_not_reported(text: str, code: str) -> None:
    assert found(f"import tensorflow as tf\ndef f():\n  x = {text}\n", code) == []


NOT_FOLLOWED = {
    "returned": "  return tf.contrib.estimator.replicate_model_fn(model_fn)\n",
    "passed on": "  build(tf.contrib.estimator.replicate_model_fn(model_fn))\n",
    "kept in an attribute": (
        "  flags.fn = tf.contrib.estimator.replicate_model_fn(model_fn)\n"
        "  est = tf.estimator.Estimator(flags.fn)\n"
    ),
    "in a dict": "  d = {'fn': tf.contrib.estimator.replicate_model_fn(model_fn)}\n",
    "partial": (
        "  wrap = functools.partial(tf.contrib.estimator.replicate_model_fn, devices=d)\n"
        "  est = tf.estimator.Estimator(wrap(model_fn))\n"
    ),
    "starred": (
        "  fn = tf.contrib.estimator.replicate_model_fn(*args)\n"
        "  est = tf.estimator.Estimator(fn)\n"
    ),
    "estimator first": (
        "  fn = model_fn\n  est = tf.estimator.Estimator(fn)\n"
        "  fn = tf.contrib.estimator.replicate_model_fn(fn)\n"
    ),
    "no estimator": "  fn = tf.contrib.estimator.replicate_model_fn(model_fn)\n",
    "used elsewhere": WRAPPER + "  print(fn)\n",
    "assigned again": (
        "  fn = tf.contrib.estimator.replicate_model_fn(model_fn)\n  fn = wrap(fn)\n"
        "  est = tf.estimator.Estimator(fn)\n"
    ),
    "in a lambda": (
        "  make = lambda: tf.estimator.Estimator("
        "tf.contrib.estimator.replicate_model_fn(model_fn))\n"
    ),
    "estimator's arguments hidden": (
        "  fn = tf.contrib.estimator.replicate_model_fn(model_fn)\n"
        "  est = tf.estimator.Estimator(model_fn=fn, **options)\n"
    ),
}


@pytest.mark.parametrize("wrapper", NOT_FOLLOWED.values(), ids=NOT_FOLLOWED)
def test_tfm203_leaves_the_whole_program_as_it_is(wrapper: str) -> None:
    text = program(wrapper=wrapper)
    check_unchanged(text)
    check_unchanged(text, unsafe=True)
    told = found(text, "TFM203")
    assert told
    assert all(f.line > 10 and f.column >= 1 and f.action and not f.applied for f in told)
    held_back = found(text, "TFM202")
    assert held_back[0].action.startswith("held back by TFM203 at program.py:")


@pytest.mark.parametrize(
    "body",
    [
        "  assert isinstance(optimizer, tf.contrib.estimator.TowerOptimizer)",
        "  wrap = tf.contrib.estimator.TowerOptimizer if params else None",
        "  other = tf.contrib.estimator.TowerOptimizer(**params)",
    ],
)
def test_tfm203_for_the_optimizer(body: str) -> None:
    check_unchanged(program(body))
    assert "TFM203" in codes(program(body))


UNSAFE = {
    "TFM205": [
        "  optimizer.apply_gradients(zip(gradients, variables))",
        "  pairs = zip(gradients, variables)\n  optimizer.apply_gradients(pairs)",
        "  optimizer.apply_gradients(grads_and_vars=zip(gradients, variables))",
    ],
    "TFM208": [
        "  loss = tf.losses.get_total_loss()",
        "  losses = tf.get_collection(tf.GraphKeys.LOSSES)",
        "  losses = tf.losses.get_losses(scope='a')",
    ],
    "TFM209": ["  counter = tf.Variable(0, trainable=False)"],
    "TFM210": [
        "  logits = tf.keras.layers.Dense(1)(features)",
        "  model = tf.keras.Sequential([tf.keras.layers.Dense(1)])",
        "  model = tf.keras.models.Model(a, b)",
    ],
}


@pytest.mark.parametrize(
    ("code", "body"), [(code, body) for code, bodies in UNSAFE.items() for body in bodies]
)
def test_unsafe_is_applied_on_demand_only_and_always_told(code: str, body: str) -> None:
    text = program(body)
    check_unchanged(text)
    assert code in codes(text)
    assert {f.severity.value for f in run(text).findings} == {"unsafe"}
    after = migrated(text, unsafe=True)
    assert "contrib" not in after
    assert body in after
    told = found(text, code, unsafe=True)
    assert told and told[0].applied and told[0].action


def test_an_ignored_hazard_holds_nothing_back() -> None:
    text = program(UNSAFE["TFM209"][0])
    assert "contrib" not in migrated(text, ignore=("TFM209",))


MANUAL = {
    "TFM206": [
        "  optimizer.apply_gradients(list(zip(tf.gradients(loss, v), v)))",
        "  g = tf.gradients(loss, v)\n  optimizer.apply_gradients(list(zip(g, v)))",
    ],
    "TFM207": [
        "  is_chief = not tf.get_variable_scope().reuse",
        "  if not tf.get_variable_scope().reuse: tf.summary.scalar('x', loss)",
    ],
}


@pytest.mark.parametrize(
    ("code", "body"), [(code, body) for code, bodies in MANUAL.items() for body in bodies]
)
def test_manual_is_never_applied(code: str, body: str) -> None:
    text = program(body)
    check_unchanged(text, unsafe=True)
    told = found(text, code)
    assert [f.line for f in told] == [8]
    assert told[0].action


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("def replicate_model_fn(fn):\n  return fn\n", 12),
        ("class TowerOptimizer(object):\n  pass\n", 12),
        ("from utils.replicate_model_fn import replicate_model_fn\n", 12),
        ("from .replicate import TowerOptimizer as T\n", 12),
    ],
)
def test_tfm211_own_copies(head: str, line: int) -> None:
    text = program(head=head)
    check_unchanged(text, unsafe=True)
    assert [f.line for f in found(text, "TFM211")] == [line]


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\nfn = tf.contrib.estimator.replicate_model_fn(m)\n"
        "est = tf.estimator.Estimator(fn)\n",
        "import tensorflow as tf\nopt = tf.contrib.estimator.TowerOptimizer(o)\n",
    ],
)
def test_tfm204_half_of_the_pair(text: str) -> None:
    check_unchanged(text)
    (told,) = found(text, "TFM204")
    assert told.line == 2 and "--unsafe" in told.action
    assert "contrib" not in migrated(text, unsafe=True)
