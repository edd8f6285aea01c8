"""TFM202: TowerOptimizer."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, findings, found, migrated

IMPORT = "import tensorflow as tf\n"
NEW_IMPORT = "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import estimator\n"
WRAPPED = "model = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))\n"
NEW_WRAPPED = """\
strategy = tf.distribute.MirroredStrategy()
model = estimator.Estimator(
    model_fn,
    config=estimator.RunConfig(
        train_distribute=strategy, eval_distribute=strategy, global_batch=True))
"""
TOWER = "tf.contrib.estimator.TowerOptimizer"


def check_body(before: str, after: str) -> None:
    """Checks what becomes of code between the import and a wrapped Estimator."""
    before = before.replace("TowerOptimizer(", f"{TOWER}(")
    check(IMPORT + before + WRAPPED, NEW_IMPORT + after + NEW_WRAPPED)


@pytest.mark.parametrize(
    "text",
    [
        "# optimizer = tf.contrib.estimator.TowerOptimizer(optimizer)\nimport tensorflow as tf\n",
        "import tensorflow as tf\nhelp_text = 'wraps it in TowerOptimizer(optimizer)'\n",
        "TowerOptimizer(optimizer)\n",
        "import tensorflow as tf\nclass TowerOptimizers(object):\n  pass\n",
        "import tensorflow as tf\ntf.contrib.estimator.TowerOptimizer\n",
        "def f(tf):\n  return tf.contrib.estimator.TowerOptimizer(1)\n",
    ],
)
def test_nothing_is_changed(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("opt = TowerOptimizer(opt)", ""),
        ("self.optimizer = TowerOptimizer(self.optimizer)", ""),
        ("params['optimizer'] = TowerOptimizer(params['optimizer'])", ""),
        ("params[\"optimizer\"] = TowerOptimizer(params['optimizer'])", ""),
        ("opt = TowerOptimizer(optimizer_or_optimizer_fn=opt)", ""),
        ("opt = TowerOptimizer(opt) if flags.multi_gpu else opt", ""),
        ("opt = opt if flags.single else TowerOptimizer(opt)", ""),
    ],
)
def test_rebinding_statement_goes(before: str, after: str) -> None:
    check_body(f"x = 1\n{before}\ny = 2\n", f"x = 1\n{after}y = 2\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("opt = TowerOptimizer(adam)", "opt = adam"),
        ("self.optimizer = TowerOptimizer(Adam(1e-3))", "self.optimizer = Adam(1e-3)"),
        ("opt = TowerOptimizer(params['optimizer'])", "opt = params['optimizer']"),
        ("params['opt'] = TowerOptimizer(opt)", "params['opt'] = opt"),
        ("opt = TowerOptimizer(optimizer_or_optimizer_fn=adam)", "opt = adam"),
        ("opt = TowerOptimizer(lambda: Adam(rate))", "opt = Adam(rate)"),
        ("opt = TowerOptimizer(a if b else c)", "opt = a if b else c"),
        ("op = TowerOptimizer(Adam()).minimize(loss)", "op = Adam().minimize(loss)"),
        (
            "op = TowerOptimizer(a if b else c).minimize(loss)",
            "op = (a if b else c).minimize(loss)",
        ),
        ("op = TowerOptimizer(a or b).minimize(loss)", "op = (a or b).minimize(loss)"),
        ("op = TowerOptimizer(lambda: a or b).minimize(x)", "op = (a or b).minimize(x)"),
        ("opt = TowerOptimizer(adam) if multi_gpu else adam", "opt = adam"),
        ("opt = TowerOptimizer(adam) if multi_gpu else sgd", "opt = adam if multi_gpu else sgd"),
        ("opt = sgd if single else TowerOptimizer(a or b)", "opt = sgd if single else (a or b)"),
        ("first = second = TowerOptimizer(adam)", "first = second = adam"),
        ("opts = [TowerOptimizer(o) for o in every]", "opts = [o for o in every]"),
        ("opts = {'a': TowerOptimizer(a or b)}", "opts = {'a': (a or b)}"),
        ("opt: Optimizer = TowerOptimizer(adam)", "opt: Optimizer = adam"),
        ("print(f'{TowerOptimizer(adam)}')", "print(f'{adam}')"),
        ("x = 1; opt = TowerOptimizer(opt); y = 2", "x = 1; y = 2"),
        ("x = 1; opt = TowerOptimizer(opt)  # both", "x = 1  # both"),
        ("opt = TowerOptimizer((adam))", "opt = (adam)"),
        ("opt = (TowerOptimizer(adam))", "opt = (adam)"),
        ("opt = TowerOptimizer(TowerOptimizer(adam))", "opt = adam"),
        ("opt = TowerOptimizer(adam,)", "opt = adam"),
        ("opt = TowerOptimizer(Moving(TowerOptimizer(adam)))", "opt = Moving(adam)"),
    ],
)
def test_call_gives_way_to_the_optimizer(before: str, after: str) -> None:
    check_body(before + "\n", after + "\n")


def test_in_optimize_loss() -> None:
    check_body(
        """\
def model_fn(features, labels, mode):
  return optimize_loss(
      loss, step, 0.1,
      optimizer=lambda lr: TowerOptimizer(
          tf.train.AdamOptimizer(lr)))
""",
        """\
def model_fn(features, labels, mode):
  return optimize_loss(
      loss, step, 0.1,
      optimizer=lambda lr: tf.train.AdamOptimizer(lr))
""",
    )


def test_function_that_makes_the_optimizer_is_called() -> None:
    check_body(
        "def make():\n  return Adam()\nopt = TowerOptimizer(make)\n",
        "def make():\n  return Adam()\nopt = make()\n",
    )


def test_name_bound_to_a_lambda_is_called() -> None:
    check_body(
        "make = lambda: Adam()\nopt = TowerOptimizer(make)\n",
        "make = lambda: Adam()\nopt = make()\n",
    )


def test_partial_is_called() -> None:
    check_body(
        "import functools\nopt = TowerOptimizer(functools.partial(Adam, 0.1))\n",
        "import functools\nopt = functools.partial(Adam, 0.1)()\n",
    )


def test_optimizer_class_is_called() -> None:
    check_body("opt = TowerOptimizer(tf.train.AdamOptimizer)\n", "opt = tf.train.AdamOptimizer()\n")


def test_method_that_makes_the_optimizer_is_called() -> None:
    check_body(
        """\
class Net(object):
  def make(self):
    return Adam()
  def build(self):
    self.opt = TowerOptimizer(self.make)
""",
        """\
class Net(object):
  def make(self):
    return Adam()
  def build(self):
    self.opt = self.make()
""",
    )


def test_imported_name_may_be_either_and_is_refused() -> None:
    text = f"{IMPORT}from optimizers import best\nopt = {TOWER}(best)\n{WRAPPED}"
    check_unchanged(text)
    assert ("TFM203", 3) in findings(text)


def test_function_rebound_to_its_own_name_is_called() -> None:
    check_body(
        "def make():\n  return Adam()\nmake = TowerOptimizer(make)\n",
        "def make():\n  return Adam()\nmake = make()\n",
    )


@pytest.mark.parametrize(
    "test",
    [
        "params.get('multi_gpu')",
        "params['multi_gpu']",
        "FLAGS.multi_gpu",
        "multi_gpu",
        "multi_gpu and not cpu",
        "params.get('multi_gpu', False) is True",
        "num_gpus > 1",
    ],
)
def test_guard_that_held_nothing_else_goes(test: str) -> None:
    check_body(
        f"""\
def model_fn(features, labels, mode, params):
  optimizer = tf.train.AdamOptimizer()

  # Towers share it.
  if {test}:  # when replicated
    # Wraps it.
    optimizer = TowerOptimizer(optimizer)  # now
    # All done.
  return optimizer.minimize(loss)
""",
        """\
def model_fn(features, labels, mode, params):
  optimizer = tf.train.AdamOptimizer()

  # Towers share it.
  # when replicated
  # Wraps it.
  # now
  # All done.
  return optimizer.minimize(loss)
""",
    )


def test_guard_with_other_statements_stays() -> None:
    check_body(
        """\
if FLAGS.multi_gpu:
  print('many')
  optimizer = TowerOptimizer(optimizer)
""",
        """\
if FLAGS.multi_gpu:
  print('many')
""",
    )


def test_guard_with_an_else_stays() -> None:
    check_body(
        """\
if FLAGS.multi_gpu:
  # Wraps it.
  optimizer = TowerOptimizer(optimizer)
else:
  print('one')
""",
        """\
if FLAGS.multi_gpu:
  # Wraps it.
  pass
else:
  print('one')
""",
    )


def test_elif_that_wraps_stays() -> None:
    check_body(
        "if a:\n  f()\nelif b:\n  opt = TowerOptimizer(opt)\n",
        "if a:\n  f()\nelif b:\n  pass\n",
    )


def test_else_that_wraps_stays() -> None:
    check_body(
        "if a:\n  f()\nelse:\n  opt = TowerOptimizer(opt)\n",
        "if a:\n  f()\nelse:\n  pass\n",
    )


def test_guard_with_two_optimizers_goes() -> None:
    check_body(
        """\
x = 1
if FLAGS.multi_gpu:
  generator_optimizer = TowerOptimizer(generator_optimizer)
  discriminator_optimizer = TowerOptimizer(discriminator_optimizer)
""",
        "x = 1\n",
    )


@pytest.mark.parametrize(
    "test", ["count()", "next(gpus)", "(n := 2)", "flags.is_multi_gpu()", "queue.get()"]
)
def test_guard_whose_test_does_something_stays(test: str) -> None:
    check_body(
        f"if {test}:\n  opt = TowerOptimizer(opt)\n",
        f"if {test}:\n  pass\n",
    )


def test_guards_within_guards_go() -> None:
    check_body(
        "x = 1\nif a:\n  if b:\n    opt = TowerOptimizer(opt)\ny = 2\n",
        "x = 1\ny = 2\n",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if multi_gpu: opt = TowerOptimizer(opt)\n", ""),
        ("if multi_gpu: opt = TowerOptimizer(opt)  # wrap\n", "# wrap\n"),
        ("if multi_gpu: opt = TowerOptimizer(adam)\n", "if multi_gpu: opt = adam\n"),
        ("if multi_gpu: x = 1; opt = TowerOptimizer(opt)\n", "if multi_gpu: x = 1\n"),
        ("if f(): opt = TowerOptimizer(opt)\n", "if f(): pass\n"),
        ("if a: opt = TowerOptimizer(opt)\nelse: g()\n", "if a: pass\nelse: g()\n"),
        ("for i in x: opt = TowerOptimizer(opt)\n", "for i in x: pass\n"),
        ("with s: opt = TowerOptimizer(opt)\n", "with s: pass\n"),
    ],
)
def test_one_line_suites(before: str, after: str) -> None:
    check_body(before + "z = 3\n", after + "z = 3\n")


def test_other_blocks_keep_a_statement() -> None:
    check_body(
        """\
try:
  opt = TowerOptimizer(opt)
except ValueError:
  opt = TowerOptimizer(opt)
finally:
  opt = TowerOptimizer(opt)
""",
        "try:\n  pass\nexcept ValueError:\n  pass\nfinally:\n  pass\n",
    )


def test_in_nested_functions_and_methods() -> None:
    check_body(
        """\
class Net(object):
  def build(self):
    def model_fn(features):
      if self.multi_gpu:
        self.opt = TowerOptimizer(self.opt)
      return self.opt
    return model_fn
""",
        """\
class Net(object):
  def build(self):
    def model_fn(features):
      return self.opt
    return model_fn
""",
    )


def test_as_the_argument_of_a_decorator() -> None:
    check_body(
        "@trains_with(TowerOptimizer(Adam()))\ndef f():\n  pass\n",
        "@trains_with(Adam())\ndef f():\n  pass\n",
    )


def test_two_optimizers_of_a_gan() -> None:
    check_body(
        """\
generator_optimizer = TowerOptimizer(tf.train.AdamOptimizer(1e-4))
discriminator_optimizer = TowerOptimizer(tf.train.AdamOptimizer(2e-4))
""",
        """\
generator_optimizer = tf.train.AdamOptimizer(1e-4)
discriminator_optimizer = tf.train.AdamOptimizer(2e-4)
""",
    )


def test_arguments_over_several_lines_keep_their_comments() -> None:
    after = migrated(
        IMPORT
        + f"""\
optimizer = {TOWER}(
    # Adam, as in the paper.
    tf.train.AdamOptimizer(
        1e-3,  # rate
        beta1=0.5),  # slower
)  # end
"""
        + WRAPPED
    )
    assert "optimizer = tf.train.AdamOptimizer(\n        1e-3,  # rate\n        beta1=0.5)" in after
    assert "contrib" not in after


def test_operator_over_several_lines_gets_parentheses() -> None:
    check_body(
        "optimizer = TowerOptimizer(\n    first or\n    second)\n",
        "optimizer = (first or\n    second)\n",
    )


def test_finding_says_where() -> None:
    (finding,) = found(f"{IMPORT}def f(o):\n  return {TOWER}(o)\n{WRAPPED}", "TFM202")
    assert (finding.line, finding.column, finding.applied) == (3, 10, True)


def test_hidden_arguments_are_refused() -> None:
    text = f"{IMPORT}opt = {TOWER}(*optimizers)\n{WRAPPED}"
    check_unchanged(text)
    assert ("TFM203", 2) in findings(text)
