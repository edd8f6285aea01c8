"""--target keras: Experiments of tf.contrib.learn, and what runs them."""

from __future__ import annotations

import ast

import pytest
from support import run

from tfmigrate.model.targets import TARGETS
from tfmigrate_keras.members import with_members

PROGRAM = """\
import tensorflow as tf
from tensorflow.contrib.learn import learn_runner

FLAGS = tf.app.flags.FLAGS


def model_fn(features, labels, mode):
  logits = tf.layers.dense(features, 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions=logits)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  optimizer = tf.train.GradientDescentOptimizer(0.1)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  return tf.data.Dataset.from_tensor_slices(([[1.0]], [0])).repeat().batch(8)


def experiment_fn(output_dir):
  estimator = tf.estimator.Estimator(model_fn, output_dir)
  return tf.contrib.learn.Experiment(
      estimator=estimator,
      train_input_fn=input_fn,
      eval_input_fn=input_fn,
      train_steps=100,  # a minute
      eval_delay_secs=0)


learn_runner.run(experiment_fn, 'out')
"""
EXPERIMENT = """\
def experiment_fn(output_dir):
  train_dataset = input_fn()
  estimator = model_fn(inputs_of(train_dataset))
  return Experiment(
      model=estimator,
      train_dataset=train_dataset,
      eval_dataset=input_fn(),
      train_steps=100,  # a minute
      model_dir=output_dir)


experiment_fn('out').train_and_evaluate()
"""
WITH_CONFIG = (
    ("def experiment_fn(output_dir)", "def experiment_fn(run_config, hparams)"),
    ("(model_fn, output_dir)", "(model_fn, config=run_config)"),
    (
        "learn_runner.run(experiment_fn, 'out')",
        "config = tf.contrib.learn.RunConfig(model_dir='out', save_checkpoints_steps=5)\n"
        "learn_runner.run(experiment_fn, run_config=config, hparams={'rate': 1})",
    ),
)


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def converted(*changes: tuple[str, str]) -> str:
    result = run(changed(*changes), target=TARGETS["keras"])
    assert [finding.code for finding in result.findings] == ["TFM801"], result.findings
    after = next(iter(result.texts.values()))
    ast.parse(after)
    assert "contrib" not in after
    assert "learn_runner" not in after
    return after


def refused(*changes: tuple[str, str]) -> str:
    result = run(changed(*changes), target=TARGETS["keras"])
    return next(f.message for f in result.findings if f.code == "TFM802")


def test_a_schedule_is_a_method_of_a_class_in_the_file() -> None:
    after = converted()
    assert after.endswith(EXPERIMENT)
    assert "def train_and_evaluate(self):" in after
    assert "class ValidationMonitor(keras.callbacks.Callback):" in after


def test_only_the_methods_that_are_used_are_written_out() -> None:
    after = converted(("'out')", "'out', schedule='evaluate')"))
    assert after.endswith("experiment_fn('out').evaluate()\n")
    assert "def evaluate(self):" in after
    for unused in (
        "def train(",
        "def test(",
        "ValidationMonitor",
        "min_eval_frequency",
    ):
        assert unused not in after


def test_a_run_config_is_passed_on_as_its_folder() -> None:
    after = converted(*WITH_CONFIG)
    assert "def experiment_fn(model_dir, hparams):" in after
    assert "      model_dir=model_dir,\n      save_steps=5)" in after
    assert after.endswith("experiment_fn('out', {'rate': 1}).train_and_evaluate()\n")


def test_what_replace_changes_in_a_run_config_is_kept() -> None:
    change = "  run_config = run_config.replace(save_checkpoints_steps=9, tf_random_seed=3)\n"
    after = converted(*WITH_CONFIG, ("  estimator = tf", f"{change}  estimator = tf"))
    assert "save_steps=9)" in after
    assert "  keras.utils.set_random_seed(3)\n  train_dataset = input_fn()\n" in after
    assert "run_config.replace(" not in after


@pytest.mark.parametrize(
    ("schedule", "call"),
    [
        ("FLAGS.s", "getattr(experiment_fn('out'), FLAGS.s or 'train_and_evaluate')()"),
        ("SCHEDULE", "getattr(experiment_fn('out'), SCHEDULE)()"),
    ],
)
def test_a_schedule_that_a_variable_holds(schedule: str, call: str) -> None:
    text = ("FLAGS = tf.app.flags.FLAGS", "FLAGS = tf.app.flags.FLAGS\nSCHEDULE = 'train'")
    after = converted(text, ("'out')", f"'out', schedule={schedule})"))
    assert after.endswith(f"{call}\n")
    assert "def continuous_train_and_eval(" in after


@pytest.mark.parametrize(
    "definition",
    [
        "tf.app.flags.DEFINE_string('s', 'train', 'It.')",
        "parser.add_argument('--s', default='test')",
    ],
)
def test_a_flag_with_a_default_is_a_schedule(definition: str) -> None:
    text = ("FLAGS = tf.app.flags.FLAGS", f"{definition}\nFLAGS = tf.app.flags.FLAGS")
    after = converted(text, ("'out')", "'out', schedule=FLAGS.s)"))
    assert after.endswith("getattr(experiment_fn('out'), FLAGS.s)()\n")


def test_an_experiment_in_a_variable_keeps_its_calls() -> None:
    after = converted(
        ("learn_runner.run(experiment_fn, 'out')", "e = experiment_fn('out')\ne.test()"),
        ("from tensorflow.contrib.learn import learn_runner\n", ""),
    )
    assert after.endswith("e = experiment_fn('out')\ne.test()\n")


def test_an_import_of_the_class_makes_room_for_it() -> None:
    after = converted(
        ("import learn_runner", "import Experiment, learn_runner"),
        ("tf.contrib.learn.Experiment(", "Experiment("),
    )
    assert after.endswith(EXPERIMENT)


def test_a_device_around_an_estimator_had_no_effect() -> None:
    line = "  estimator = tf.estimator.Estimator(model_fn, output_dir)\n"
    after = converted((line, f"  with tf.device('/cpu:0'):\n  {line}"))
    assert after.endswith(EXPERIMENT)


def test_hyperparameters_become_a_namespace() -> None:
    text = ("FLAGS = tf.app.flags.FLAGS", "hp = tf.contrib.training.HParams(rate=0.1)")
    assert "hp = types.SimpleNamespace(rate=0.1)\n" in converted(text)
    parsed = (text[0], f"{text[1]}\nhp.parse('rate=2')")
    assert "hp = HParams(rate=0.1)\nhp.parse('rate=2')\n" in converted(parsed)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("eval_delay_secs=0", "train_monitors=[hook]", "the hook `hook`"),
        ("eval_delay_secs=0", "eval_hooks=hooks()", "the hooks are not written out as a list"),
        ("eval_delay_secs=0", "export_strategies=[s]", "cannot find the export strategy"),
        ("eval_delay_secs=0", "checkpoint_and_export=FLAGS.e", "`checkpoint_and_export` of the"),
        ("'out')", "'out', schedule='run_std_server')", "the schedule `run_std_server`"),
        ("estimator=estimator", "estimator=made()", "no tf.estimator.Estimator that is created"),
        ("learn_runner.run(experiment_fn, 'out')", "print(experiment_fn)", "cannot follow the"),
        ("learn_runner.run(experiment_fn, 'out')", "", "nothing runs the Experiment"),
        (
            "learn_runner.run(experiment_fn, 'out')",
            "experiment_fn('out').continuous_eval(print, 60)",
            "the arguments of `continuous_eval`",
        ),
    ],
)
def test_what_has_no_equivalent_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused((old, new))


def test_checkpoints_that_are_awaited_need_a_folder() -> None:
    run_it = ("'out')", "'out', schedule='continuous_eval')")
    folder = ("tf.estimator.Estimator(model_fn, output_dir)", "tf.estimator.Estimator(model_fn)")
    assert "without a folder, whose checkpoints are awaited" in refused(run_it, folder)
    throttle = ("eval_delay_secs=0", "continuous_eval_throttle_secs=5")
    after = converted(run_it, throttle)
    assert "continuous_eval_throttle_secs=5" in after
    assert "import time\n" in after


def test_another_use_of_the_estimator_is_refused() -> None:
    made = "  return tf.contrib.learn.Experiment("
    change = (made, f"  print(estimator.evaluate(input_fn, steps=1))\n{made}")
    assert "`estimator` is used outside of the Experiment, too" in refused(change)


def test_a_variable_of_an_input_function_that_is_set_anew_is_refused() -> None:
    size = ("def input_fn():", "SIZE = 8\n\n\ndef input_fn():")
    anew = ("learn_runner.run(exp", "SIZE = 16\nlearn_runner.run(exp")
    assert "`SIZE` is set anew" in refused(("batch(8)", "batch(SIZE)"), size, anew)


def test_an_effect_of_an_input_function_is_refused() -> None:
    change = ("def input_fn():\n", "calls = []\n\n\ndef input_fn():\n  calls.append(1)\n")
    assert "the input function calls `calls.append`" in refused(change)


def test_an_input_function_that_draws_is_refused() -> None:
    imports = ("import tensorflow as tf\n", "import numpy as np\nimport tensorflow as tf\n")
    draws = ("([[1.0]], [0])", "(np.random.rand(9, 1), [0] * 9)")
    assert "draws from a global random generator" in refused(imports, draws)


def test_another_use_of_a_run_config_is_refused() -> None:
    change = ("learn_runner.run(exp", "print(config.is_chief)\nlearn_runner.run(exp")
    assert "`config` is used in another way" in refused(*WITH_CONFIG, change)


def test_a_class_without_unused_members() -> None:
    text = (
        'class A:\n\t"""It."""\n\n\tone: int\n\ttwo: int = 2\n\tthree: int = 3\n\n'
        "\tdef first(self):\n\t\treturn self.second()\n\n"
        "\tdef second(self):\n\t\treturn self.two\n\n"
        "\tdef third(self):\n\t\treturn self.three\n"
    )
    kept = (
        'class A:\n\t"""It."""\n\n\tone: int\n\ttwo: int = 2\n\n'
        "\tdef first(self):\n\t\treturn self.second()\n\n"
        "\tdef second(self):\n\t\treturn self.two\n"
    )
    assert with_members(text, {"first"}) == kept


def unsafe(*changes: tuple[str, str]) -> str:
    result = run(changed(*changes), target=TARGETS["keras"], unsafe=True)
    assert {finding.code for finding in result.findings} == {"TFM801"}, result.findings
    return next(iter(result.texts.values()))


def test_hooks_that_only_log_are_left_out_with_unsafe() -> None:
    hooks = (
        "train_monitors=[tf.train.StepCounterHook()],\n      eval_hooks=[tf.train.ProfilerHook(5)]"
    )
    change = ("eval_delay_secs=0", hooks)
    assert unsafe(change).endswith(EXPERIMENT)
    assert "the logs of `tf.train.StepCounterHook` are not written" in refused(change)


def test_log_messages_about_the_mode_and_the_config_are_left_out_with_unsafe() -> None:
    changes = (
        *WITH_CONFIG,
        ("labels, mode):\n", "labels, mode):\n  tf.logging.info('building %s', mode)\n"),
        ("learn_runner.run(exp", "tf.logging.info(config.is_chief)\nlearn_runner.run(exp"),
        ("  estimator = tf", "  tf.logging.warn(run_config.task_type)\n  estimator = tf"),
    )
    assert "tf.logging" not in unsafe(*changes)
    assert "the log message of `run_config` is not written" in refused(*changes)


def test_a_log_message_that_calls_something_stays() -> None:
    change = ("learn_runner.run(exp", "tf.logging.info(config.is_chief, f())\nlearn_runner.run(exp")
    assert "`config` is used in another way" in refused(*WITH_CONFIG, change)


INPUT = "  return tf.data.Dataset.from_tensor_slices(([[1.0]], [0])).repeat().batch(8)\n"
ELEMENTS = (
    "  data = tf.data.Dataset.from_tensor_slices(([[1.0]], [0]))\n"
    "  x, y = data.repeat().make_one_shot_iterator().get_next()\n"
)


@pytest.mark.parametrize("pair", ["{'x': x}, y", "({'x': x, 'again': {'y': y}}, {'y': y})"])
def test_elements_in_another_form_are_mapped(pair: str) -> None:
    after = converted(
        (INPUT, f"{ELEMENTS}  return {pair}\n"), ("(features, 3)", "(features['x'], 3)")
    )
    inner = pair if pair.startswith("(") else f"({pair})"
    assert f"]))\n  return data.repeat().map(lambda x, y: {inner})\n" in after


@pytest.mark.parametrize(
    "rest",
    [
        "  return {'x': x}, y + 1\n",  # another operation
        "  return {'x': x}, [y]\n",  # a list is stacked by map
        "  return {'x': x, 'y': y}\n",  # no pair
        "  print(x)\n  return {'x': x}, y\n",
        "  if x:\n    return {'x': x}, y\n  return 1\n",
    ],
)
def test_other_uses_of_elements_are_refused(rest: str) -> None:
    assert "not a tf.data.Dataset" in refused((INPUT, ELEMENTS + rest))


def test_checkpoints_are_evaluated_where_they_are_exported() -> None:
    after = converted(("eval_delay_secs=0", "checkpoint_and_export=True"))
    assert (
        "    checkpoints = ExportCheckpoints(self.evaluate_and_export, self.save_steps)\n" in after
    )
    assert "    return results, []\n" in after  # nothing is exported
    assert "EvaluateExperiment" not in after
    assert after.endswith(EXPERIMENT)


ONE = (
    "  data = tf.data.Dataset.from_tensor_slices(%s)\n"
    "  x = data.repeat().batch(8).make_one_shot_iterator().get_next()\n"
    "  return {'x': x}, x\n"
)
FEATURES = ("(features, 3)", "(features['x'], 3)")


def test_one_tensor_in_another_form_is_mapped() -> None:
    imports = ("import tensorflow as tf\n", "import numpy as np\nimport tensorflow as tf\n")
    rows = ("def input_fn", "def rows():\n  return np.ones([8]).astype(int)\n\n\ndef input_fn")
    for given in ("rows()", "np.ones([8]).astype(int)"):
        after = converted(imports, rows, (INPUT, ONE % given), FEATURES)
        assert "  return data.repeat().batch(8).map(lambda x: ({'x': x}, x))\n" in after


@pytest.mark.parametrize("given", ["([1.0], [0])", "rows", "rows()"])
def test_what_may_be_a_pair_is_refused(given: str) -> None:
    assert "not a tf.data.Dataset" in refused((INPUT, ONE % given), FEATURES)


def test_a_name_that_held_something_else_before_is_mapped() -> None:
    before = "  x, y = [[1.0]], [0]\n"
    after = converted(
        (INPUT, before + ELEMENTS.replace("([[1.0]], [0])", "(x, y)") + "  return {'x': x}, y\n"),
        FEATURES,
    )
    assert f"{before}  data = tf.data.Dataset.from_tensor_slices((x, y))\n" in after
    assert "map(lambda x, y: ({'x': x}, y))" in after


def test_a_nested_function_reads_the_element() -> None:
    inner = "  def f(z):\n    return z + y\n\n"
    pair = f"{inner}{ELEMENTS}  return {{'x': x}}, y\n"
    assert "not a tf.data.Dataset" in refused((INPUT, pair), FEATURES)


def test_one_name_may_hold_a_pair() -> None:
    one = ELEMENTS.replace("x, y =", "x =")
    assert "not a tf.data.Dataset" in refused((INPUT, f"{one}  return {{'x': x}}, x\n"))


def test_a_comment_stays_with_its_argument() -> None:
    several = converted(("eval_delay_secs=0)", "eval_delay_secs=0, check_interval_secs=9)"))
    assert several.endswith(EXPERIMENT)
    middle = ("train_steps=100,", "eval_delay_secs=0,  # at once\n      train_steps=100,")
    removed = converted(("eval_delay_secs=0)", "eval_steps=None)"), middle)
    assert "train_steps=100,  # a minute\n" in removed
    assert "  # at once\n  return Experiment(\n" in removed  # that of an argument that is gone
