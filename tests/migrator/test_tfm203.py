"""TFM203: wrappers that cannot be followed; the whole program is left as it is."""

from __future__ import annotations

import pytest
from support import check_unchanged, findings, found, migrate_tree, migrated, run

HEAD = """\
import tensorflow as tf
from tensorflow.contrib.estimator import replicate_model_fn, TowerOptimizer
opt = TowerOptimizer(tf.train.AdamOptimizer())
"""


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\nmodel = tf.estimator.Estimator(wrap(model_fn))\n",
        "replicated = replicate_model_fn(model_fn)\n",
        HEAD + "model = tf.estimator.Estimator(replicate_model_fn(model_fn))\n",
        HEAD + "fn = replicate_model_fn(model_fn)\nmodel = tf.estimator.Estimator(fn)\n",
        "import tensorflow as tf\nreplicate = tf.contrib.estimator.replicate_model_fn\n"
        "opt = tf.contrib.estimator.TowerOptimizer(o)\n"
        "model = tf.estimator.Estimator(replicate(model_fn))\n",
    ],
)
def test_nothing_to_report(text: str) -> None:
    assert not found(text, "TFM203")


CASES = {
    "returned": ("def wrap(f):\n  return replicate_model_fn(f)\n", "returned from a function"),
    "passed on": ("train(replicate_model_fn(model_fn))\n", "not passed to an Estimator"),
    "keyword of another": ("train(fn=replicate_model_fn(f))\n", "not passed to an Estimator"),
    "not the model_fn": (
        "est = tf.estimator.Estimator(f, replicate_model_fn(g))\n",
        "not the `model_fn` of the Estimator",
    ),
    "attribute": ("self.fn = replicate_model_fn(model_fn)\n", "assigned to `self.fn`"),
    "dictionary": ("fns['a'] = replicate_model_fn(model_fn)\n", "assigned to `fns['a']`"),
    "display": ("fns = {'a': replicate_model_fn(model_fn)}\n", "unsupported way"),
    "tuple": ("a, b = replicate_model_fn(f), replicate_model_fn(g)\n", "unsupported way"),
    "two targets": ("a = b = replicate_model_fn(f)\n", "several targets"),
    "annotated": ("fn: Model = replicate_model_fn(f)\n", "with an annotation"),
    "walrus": ("est = tf.estimator.Estimator((fn := replicate_model_fn(f)))\n", "unsupported way"),
    "decorator": ("@replicate_model_fn\ndef fn(features):\n  pass\n", "without being called"),
    "partial": (
        "import functools\nwrap = functools.partial(replicate_model_fn, devices=d)\n",
        "without being called",
    ),
    "stars": (
        "est = tf.estimator.Estimator(replicate_model_fn(*arguments))\n",
        "passed by `*` or `**`",
    ),
    "double stars": (
        "est = tf.estimator.Estimator(replicate_model_fn(**options))\n",
        "passed by `*` or `**`",
    ),
    "no model": ("est = tf.estimator.Estimator(replicate_model_fn())\n", "`model_fn` is missing"),
    "stars of the Estimator": (
        "est = tf.estimator.Estimator(replicate_model_fn(f), **options)\n",
        "arguments of the Estimator are passed by `*` or `**`",
    ),
    "one device": (
        "est = tf.estimator.Estimator(replicate_model_fn(f, devices=['/cpu:0', '/cpu:0']))\n",
        "two towers are on one device",
    ),
    "one device, named before": (
        "names = ('/gpu:1',) * 2\n"
        "est = tf.estimator.Estimator(replicate_model_fn(f, devices=names))\n",
        "two towers are on one device",
    ),
    "old signature": (
        "est = tf.estimator.Estimator(replicate_model_fn(f, lambda: optimizer))\n",
        "optimizer_fn",
    ),
    "old keyword": (
        "est = tf.estimator.Estimator(replicate_model_fn(f, optimizer_fn=o))\n",
        "optimizer_fn",
    ),
    "built before": (
        "fn = f\nest = tf.estimator.Estimator(fn)\nfn = replicate_model_fn(f)\n",
        "built before the model function is wrapped",
    ),
    "another function": (
        "def wrap():\n  fn = replicate_model_fn(f)\n"
        "def build():\n  return tf.estimator.Estimator(fn)\n",
        "no tf.estimator.Estimator is built",
    ),
    "earlier function": (
        "def build():\n  return tf.estimator.Estimator(fn)\nfn = replicate_model_fn(f)\n",
        "built before the model function is wrapped",
    ),
    "global": (
        "def wrap():\n  global fn\n  fn = replicate_model_fn(f)\n"
        "def build():\n  return tf.estimator.Estimator(fn)\n",
        "assigned to an outer `fn`",
    ),
    "nonlocal": (
        "def main():\n  fn = f\n  def wrap():\n    nonlocal fn\n    fn = replicate_model_fn(f)\n"
        "  wrap()\n  return tf.estimator.Estimator(fn)\n",
        "assigned to an outer `fn`",
    ),
    "try": (
        "try:\n  fn = replicate_model_fn(f)\nexcept ValueError:\n  fn = f\n"
        "est = tf.estimator.Estimator(fn)\n",
        "reassigned",
    ),
    "loop": (
        "while x:\n  est = tf.estimator.Estimator(fn)\n  fn = replicate_model_fn(f)\n",
        "built before the model function is wrapped",
    ),
    "used elsewhere": (
        "fn = replicate_model_fn(f)\nest = tf.estimator.Estimator(fn)\nprint(fn)\n",
        "used for more than building Estimators",
    ),
    "assigned again": (
        "fn = replicate_model_fn(f)\nfn = other\nest = tf.estimator.Estimator(fn)\n",
        "reassigned",
    ),
    "changed in a branch": (
        "fn = replicate_model_fn(f)\nif x:\n  fn = f\nest = tf.estimator.Estimator(fn)\n",
        "reassigned",
    ),
    "bound by a loop": (
        "fn = replicate_model_fn(f)\nfor fn in fns:\n  pass\nest = tf.estimator.Estimator(fn)\n",
        "reassigned",
    ),
    "bound by a function": (
        "fn = replicate_model_fn(f)\ndef fn(x):\n  pass\nest = tf.estimator.Estimator(fn)\n",
        "reassigned",
    ),
    "bound by with": (
        "fn = replicate_model_fn(f)\nwith x as fn:\n  est = tf.estimator.Estimator(fn)\n",
        "reassigned",
    ),
    "lambda": (
        "build = lambda: tf.estimator.Estimator(replicate_model_fn(f))\n",
        "in a lambda or a comprehension",
    ),
    "comprehension": (
        "all = [tf.estimator.Estimator(replicate_model_fn(f)) for f in fs]\n",
        "in a lambda or a comprehension",
    ),
    "head of a block": (
        "if tf.estimator.Estimator(replicate_model_fn(f)):\n  pass\n",
        "header of a compound statement",
    ),
    "never built": ("fn = replicate_model_fn(f)\n", "no tf.estimator.Estimator is built"),
    "own subclass": (
        "class Net(tf.estimator.Estimator):\n  def __init__(self, f):\n    pass\n"
        "net = Net(replicate_model_fn(f))\n",
        "not passed to an Estimator",
    ),
    "other branch": (
        "if a:\n  fn = replicate_model_fn(f)\nelse:\n  est = tf.estimator.Estimator(fn)\n",
        "in another function or branch",
    ),
}


@pytest.mark.parametrize(("code", "reason"), CASES.values(), ids=CASES)
def test_refused_with_the_reason(code: str, reason: str) -> None:
    check_unchanged(HEAD + code)
    refusals = found(HEAD + code, "TFM203")
    assert refusals, "nothing was reported"
    assert any(reason in f.message for f in refusals), [f.message for f in refusals]
    for finding in refusals:
        assert finding.line > 3
        assert finding.severity.value == "manual"
        assert finding.action
        assert not finding.applied


@pytest.mark.parametrize("code", [c for c, _ in CASES.values()], ids=CASES)
def test_unsafe_does_not_apply_it_either(code: str) -> None:
    check_unchanged(HEAD + code, unsafe=True)


@pytest.mark.parametrize(
    "code",
    [
        "if isinstance(opt, TowerOptimizer):\n  pass\n",
        "class Mine(TowerOptimizer):\n  pass\n",
        "wrap = functools.partial(TowerOptimizer)\n",
        "optimizers = {'tower': TowerOptimizer}\n",
        "other = TowerOptimizer(**options)\n",
        "other = TowerOptimizer()\n",
        "other = TowerOptimizer(tf.contrib.estimator.clip_gradients_by_norm(o, 1.0))\n",
    ],
)
def test_optimizer_that_is_not_called_plainly(code: str) -> None:
    text = HEAD + "model = tf.estimator.Estimator(replicate_model_fn(model_fn))\n" + code
    check_unchanged(text)
    (finding,) = found(text, "TFM203")
    assert finding.line == 5
    held = [f for f in run(text).findings if f.code in ("TFM201", "TFM202")]
    assert {f.action for f in held} == {f"resolve TFM203 at program.py:5:{finding.column} first"}


def test_place_of_the_finding() -> None:
    (finding,) = found(HEAD + "self.fn = replicate_model_fn(model_fn)\n", "TFM203")
    assert (finding.path, finding.line, finding.column) == ("program.py", 4, 11)


def test_every_file_of_the_program_is_left_alone() -> None:
    changed, reported = migrate_tree(
        {
            "train.py": """\
                import tensorflow as tf
                import model
                def wrap(f):
                  return tf.contrib.estimator.replicate_model_fn(f)
                est = tf.estimator.Estimator(wrap(model.model_fn))
                """,
            "model.py": """\
                import tensorflow as tf
                def model_fn(features, mode):
                  opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
                  return tf.estimator.EstimatorSpec(mode)
                """,
        }
    )
    assert changed == {}
    assert ("train.py", 4, 10, "TFM203") in [(f.path, f.line, f.column, f.code) for f in reported]


def test_other_wrapper_of_the_file_waits_too() -> None:
    text = (
        HEAD
        + "model = tf.estimator.Estimator(replicate_model_fn(f))\ntrain(replicate_model_fn(g))\n"
    )
    check_unchanged(text)
    assert findings(text) == [("TFM202", 3), ("TFM201", 4), ("TFM203", 5)]


def test_following_goes_through_blocks_that_run_once() -> None:
    text = migrated(
        HEAD
        + """\
with tf.Graph().as_default():
  fn = replicate_model_fn(model_fn)
  try:
    model = tf.estimator.Estimator(fn)
  finally:
    done()
"""
    )
    assert "  strategy = tf.distribute.MirroredStrategy()\n  fn = model_fn\n  try:\n" in text


def test_function_that_builds_from_a_wrapper_of_the_module() -> None:
    text = migrated(
        HEAD + "fn = replicate_model_fn(f)\ndef build():\n  return tf.estimator.Estimator(fn)\n"
    )
    assert "\nstrategy = tf.distribute.MirroredStrategy()\n" in text
    assert text.count("train_distribute=strategy") == 1


@pytest.mark.parametrize(
    ("code", "after"),
    [
        (
            "if x: est = tf.estimator.Estimator(replicate_model_fn(f))\n",
            "if x: strategy = tf.distribute.MirroredStrategy(); est = estimator.Estimator(\n",
        ),
        (
            "d = g(); est = tf.estimator.Estimator(replicate_model_fn(f, devices=d))\n",
            "d = g(); strategy = tf.distribute.MirroredStrategy(d); est = estimator.Estimator(\n",
        ),
        (
            "for i in j: est = tf.estimator.Estimator(replicate_model_fn(f)); est.train(i)\n",
            "for i in j: strategy = tf.distribute.MirroredStrategy(); est = estimator.Estimator(\n",
        ),
    ],
)
def test_strategy_on_a_line_of_several_statements(code: str, after: str) -> None:
    assert after in migrated(HEAD + code)


def test_wrapped_in_both_branches() -> None:
    text = migrated(
        HEAD
        + """\
if wide:
  fn = replicate_model_fn(wide_fn, devices=a)
else:
  fn = replicate_model_fn(deep_fn, devices=b)
model = tf.estimator.Estimator(fn)
"""
    )
    assert "  strategy = tf.distribute.MirroredStrategy(a)\n  fn = wide_fn\nelse:\n" in text
    assert "  strategy = tf.distribute.MirroredStrategy(b)\n  fn = deep_fn\nmodel" in text
    assert text.count("train_distribute=strategy") == 1
