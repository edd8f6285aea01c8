"""--target keras: Estimators, training steps and monitors of tf.contrib.learn."""

from __future__ import annotations

import ast

import pytest
from support import run

from tfmigrate.model.targets import TARGETS

PROGRAM = """\
import tensorflow as tf
from tensorflow.contrib import layers, learn


def model_fn(features, labels, mode, params):
  logits = layers.fully_connected(features, 3, activation_fn=None)
  loss, train_op = None, None
  if mode != learn.ModeKeys.INFER:
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == learn.ModeKeys.TRAIN:
    train_op = layers.optimize_loss(
        loss, tf.train.get_global_step(), params['rate'], optimizer='Adagrad')
  return learn.ModelFnOps(mode, predictions=logits, loss=loss, train_op=train_op)


def input_fn():
  return tf.constant([[1.0], [2.0]]), tf.constant([0, 1])


def experiment_fn(output_dir):
  monitor = learn.monitors.ValidationMonitor(
      input_fn=input_fn,
      eval_steps=1,
      every_n_steps=10)
  config = learn.RunConfig(save_checkpoints_steps=5)
  estimator = learn.Estimator(model_fn, output_dir, config, params={'rate': 0.1})
  return learn.Experiment(
      estimator=estimator,
      train_input_fn=input_fn,
      eval_input_fn=input_fn,
      train_steps=100,
      train_monitors=[monitor])


learn.learn_runner.run(experiment_fn, 'out', schedule='train')
"""
DECAY = """\
def decay(rate, step):
  return tf.train.exponential_decay(rate, step, 100, 0.5)


"""
STOPPING = ("every_n_steps=10)", "every_n_steps=10,\n      early_stopping_rounds=20)")
AT_ONCE = ("      eval_steps=1,\n", "      eval_steps=1,\n      check_interval_secs=0,\n")


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    if any("=decay" in new for _, new in changes):
        text = text.replace("def model_fn", f"{DECAY}def model_fn")
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
    return after


def refused(*changes: tuple[str, str]) -> str:
    result = run(changed(*changes), target=TARGETS["keras"])
    return next(f.message for f in result.findings if f.code == "TFM802")


def test_names_that_are_none_in_some_modes_are_set_once() -> None:
    after = converted()
    assert "None, None" not in after
    assert "  loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)\n" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("loss, train_op = None, None", "loss, train_op = None, None\n  print(loss)"),
        ("  if mode != learn.ModeKeys.INFER:", "  if params['rate']:"),
    ],
)
def test_names_that_may_stay_none_are_refused(old: str, new: str) -> None:
    assert refused((old, new))


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (
            "'Adagrad'",
            "Adagrad(params['rate'], initial_accumulator_value=0.1, epsilon=0.0)",
        ),
        ("'Momentum'", "SGD(params['rate'], momentum=0.9)"),
        ("tf.train.GradientDescentOptimizer", "SGD(params['rate'])"),
        ("lambda r: tf.train.MomentumOptimizer(r, 0.8)", "SGD(params['rate'], momentum=0.8)"),
        ("'SGD', clip_gradients=5.0", "SGD(params['rate'], global_clipnorm=5.0)"),
        ("'SGD', learning_rate_decay_fn=decay", "SGD(decay(params['rate']))"),
        (
            "'SGD', learning_rate_decay_fn=lambda r, s: tf.train.cosine_decay(r, s, 9)",
            "SGD(keras.optimizers.schedules.CosineDecay(params['rate'], 9))",
        ),
    ],
)
def test_optimize_loss_becomes_its_optimizer(optimizer: str, expected: str) -> None:
    after = converted(("optimizer='Adagrad'", f"optimizer={optimizer}"))
    assert "".join(f"  optimizer = keras.optimizers.{expected}\n".split()) in "".join(after.split())
    assert "model.compile(optimizer=optimizer, loss=loss," in after
    assert ("def decay(rate):" in after) == ("decay_fn=decay" in optimizer)


def test_an_optimizer_that_is_passed_stays_where_it_is() -> None:
    made = "  sgd = tf.train.GradientDescentOptimizer(0.5)\n  loss, train_op ="
    after = converted(("  loss, train_op =", made), ("optimizer='Adagrad'", "optimizer=sgd"))
    assert "  sgd = keras.optimizers.SGD(0.5)\n" in after
    assert "optimizer=sgd" in after


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("'Adagrad'", "params['optimizer']", "not an optimizer that is known"),
        ("'Adagrad'", "'SGD', gradient_noise_scale=0.1", "`gradient_noise_scale`"),
        ("'Adagrad'", "lambda r: tf.train.ProximalAdagradOptimizer(r)", "the optimizer `tf.train."),
        ("'Adagrad'", "lambda r: tf.train.AdamOptimizer(r, 1, 2, 3, 4, 5, 6)", "argument 7"),
        ("'Adagrad'", "'SGD', update_ops=[]", "`update_ops` of `optimize_loss`"),
        ("'Adagrad'", "'SGD', increment_global_step=False", "`increment_global_step`"),
        ("'Adagrad'", "'SGD', clip_gradients=decay", "`clip_gradients` of `optimize_loss` is"),
        ("'Adagrad'", "'SGD', summaries=['loss']", "the summaries of"),
        (
            "'Adagrad'",
            "lambda r: tf.train.AdamOptimizer(r / 2)",
            "`r / 2` is computed from the learning rate",
        ),
        (
            "'Adagrad'",
            "'SGD', learning_rate_decay_fn=lambda r, s: tf.train.cosine_decay(r, s + 1, 9)",
            "is computed from the learning rate",
        ),
        (
            "'Adagrad'",
            "tf.train.AdamOptimizer(0.1), learning_rate_decay_fn=decay",
            "the optimizer does not get the learning rate",
        ),
        (
            "  return tf.train.exponential_decay(",
            "  print(rate)\n  return tf.train.exponential_decay(",
            "`decay` does more than to return a learning rate",
        ),
        ("tf.train.get_global_step()", "tf.Variable(0)", "does not count the global step"),
        ("params={'rate': 0.1}", "feature_engineering_fn=decay", "`feature_engineering_fn`"),
    ],
)
def test_other_steps_are_refused(old: str, new: str, reason: str) -> None:
    changes = [(old, new)]
    if "exponential_decay" in old:
        changes.insert(0, ("'Adagrad'", "'SGD', learning_rate_decay_fn=decay"))
    assert reason in refused(*changes)


def test_constants_are_a_batch_that_is_repeated() -> None:
    expected = (
        "  return tf.data.Dataset.from_tensors("
        "(tf.constant([[1.0], [2.0]]), tf.constant([0, 1]))).repeat()\n"
    )
    assert expected in converted()


@pytest.mark.parametrize(
    "value", ["tf.random_normal([2, 1])", "tf.constant(0) + tf.train.get_global_step()", "batch"]
)
def test_other_tensors_of_an_input_function_are_refused(value: str) -> None:
    change = ("return tf.constant([[1.0], [2.0]])", f"return {value}")
    assert "not a tf.data.Dataset" in refused(change)


def test_a_monitor_becomes_a_callback() -> None:
    after = converted()
    monitor = (
        "  monitor = ValidationMonitor(\n"
        "      input_fn(), eval_steps=1, every_n_steps=10, save_steps=5, train_steps=100)\n"
    )
    assert monitor in after
    assert "      train_callbacks=[monitor],\n" in after
    assert "class EarlyStoppingMonitor" not in after


def test_a_monitor_that_ends_the_training() -> None:
    after = converted(STOPPING, AT_ONCE)
    assert "  monitor = EarlyStoppingMonitor(\n" in after
    assert "      early_stopping_rounds=20,\n" in after


def test_a_hook_beside_a_monitor_is_removed() -> None:
    change = ("[monitor]", "[monitor, tf.train.StepCounterHook()]")
    result = run(changed(change), target=TARGETS["keras"], unsafe=True)
    after = next(iter(result.texts.values()))
    assert "train_callbacks=[monitor]," in after


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([STOPPING], "early stopping looks at each checkpoint"),
        (
            [STOPPING, AT_ONCE, ("save_checkpoints_steps=5", "keep_checkpoint_max=5")],
            "early stopping at steps that are not those of checkpoints",
        ),
        (
            [STOPPING, AT_ONCE, ("save_checkpoints_steps=5", "save_checkpoints_steps=4")],
            "early stopping at steps that are not those of checkpoints",
        ),
        ([("      input_fn=", "      x=[[1.0]],\n      input_fn=")], "`x` of the Validation"),
        ([("eval_steps=1,", "eval_steps=1, metrics={},")], "`metrics` of the ValidationMonitor"),
        ([("[monitor]", "[monitor, hook]")], "the hook `hook`"),
        ([("eval_input_fn", "eval_hooks=[monitor],\n      eval_input_fn")], "the hook `learn.mon"),
        (
            [
                (
                    "  monitor =",
                    "  config = learn.RunConfig(save_checkpoints_steps=steps())\n  m =",
                ),
                ("[monitor]", "[m]"),
                ("train_steps=100", "train_steps=steps"),
                ("  estimator =", "  steps = 7\n  estimator ="),
            ],
            "`steps` is not known here yet",
        ),
    ],
)
def test_other_monitors_are_refused(changes: list[tuple[str, str]], reason: str) -> None:
    assert reason in refused(*changes)


def test_the_step_of_a_trained_estimator() -> None:
    run_it = "learn.learn_runner.run("
    asked = (
        "schedule='train')",
        "schedule='train')\nprint(trained.get_variable_value('global_step'))",
    )
    after = converted((run_it, f"trained = {run_it}"), asked)
    assert after.endswith("trained = experiment_fn('out').train()\nprint(steps_of(trained))\n")
    asked = ("schedule='train')", "schedule='train')\nprint(trained.model_dir)")
    assert "`print(trained.model_dir)` of the trained Estimator" in refused(
        (run_it, f"trained = {run_it}"), asked
    )


METRICS = (
    "      train_steps=100,\n",
    "      eval_metrics={'accuracy': Spec(tf.contrib.metrics.streaming_accuracy, 'kind')},\n"
    "      train_steps=100,\n",
)
PREDICTED = ("predictions=logits", "predictions={'kind': tf.argmax(logits, 1)}")
ALIAS = ("def model_fn", "Spec = learn.MetricSpec\n\n\ndef model_fn")
OWN = "def top(predictions, labels, weights=None):\n  {}\n\n\ndef experiment_fn"
IN_TOP = "return tf.metrics.mean(tf.to_float(tf.nn.in_top_k(predictions, labels, 2)), weights)"


def test_the_metrics_of_an_experiment_are_those_of_the_model() -> None:
    after = converted(METRICS, PREDICTED, ALIAS)
    assert (
        "  metrics = [\n"
        "      keras.metrics.SparseCategoricalAccuracy(name='accuracy'),\n"
        "  ]\n"
        "  model = keras.Model(features, logits)\n"
    ) in after
    assert "loss=loss, metrics=metrics," in after
    assert "Spec" not in after


def with_own(body: str) -> tuple[tuple[str, str], ...]:
    own = ("tf.contrib.metrics.streaming_accuracy, 'kind'", "top")
    metrics = (METRICS[0], METRICS[1].replace(*own))
    return metrics, ALIAS, ("def experiment_fn", OWN.format(body))


def test_a_metric_of_the_program_is_read() -> None:
    after = converted(*with_own(IN_TOP))
    assert "keras.metrics.SparseTopKCategoricalAccuracy(2, name='accuracy')" in after
    assert "def top(" not in after


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (with_own("print(labels)\n  " + IN_TOP), "`top` does more than to return a metric"),
        (with_own(IN_TOP.replace("weights)", "labels)")), "only the values are known"),
        (with_own("return tf.metrics.mean(labels)"), "the metric 'accuracy' of `labels`"),
        ((*with_own(IN_TOP), ("\nlearn.learn", "print(top)\n\nlearn.learn")), "is used elsewhere"),
        ((METRICS, ALIAS), "the `prediction_key` of the metric 'accuracy'"),
        ((METRICS, ALIAS, ("predictions=logits", "predictions={'x': logits}")), "have no 'kind'"),
        (
            (METRICS, PREDICTED, ALIAS, ("'kind')", "'kind', weight_key='w')")),
            "`weight_key` of a MetricSpec",
        ),
        (
            (METRICS, PREDICTED, ALIAS, ("loss=loss,", "loss=loss, eval_metric_ops=more(),")),
            "the metrics are not written out",
        ),
    ],
)
def test_other_metrics_are_refused(changes: tuple[tuple[str, str], ...], reason: str) -> None:
    assert reason in refused(*changes)


def test_an_alias_of_layers_is_removed() -> None:
    change = (
        "from tensorflow.contrib import layers, learn",
        "from tensorflow.contrib import learn",
    )
    alias = ("def model_fn", "layers = tf.contrib.layers\n\n\ndef model_fn")
    after = converted(change, alias)
    assert "layers = " not in after


EXPORTED = (
    (
        "      train_steps=100,\n",
        "      export_strategies=[learn.make_export_strategy(\n"
        "          serving, default_output_alternative_key='kind')],\n      train_steps=100,\n",
    ),
    (
        "def model_fn",
        "serving = learn.build_parsing_serving_input_fn(\n"
        "    {'x': tf.FixedLenFeature([1], tf.float32)})\n\n\ndef model_fn",
    ),
    ("schedule='train'", "schedule='train_and_evaluate'"),
    (
        "predictions=logits",
        "predictions={'scores': logits}, output_alternatives={\n"
        "      'kind': (learn.ProblemType.CLASSIFICATION, {\n"
        "          'scores': logits, 'classes': tf.as_string(tf.argmax(logits, 1))})}",
    ),
)


def test_the_alternative_of_an_export_is_its_default_signature() -> None:
    result = run(changed(*EXPORTED), target=TARGETS["keras"], unsafe=True)
    after = next(iter(result.texts.values()))
    assert "serving = {'x': tf.io.FixedLenFeature([1], tf.float32)}\n" in after
    assert "      serving_inputs=serving" in after
    assert (
        "  model.signatures = {'serving_default': keras.Model(features, {\n"
        "      'scores': logits,\n"
        "      'classes': keras.ops.cast("
    ) in after
    messages = " ".join(finding.message for finding in result.findings)
    assert "the one signature of an export is `serving_default`" in messages
    assert "`tf.argmax(logits, 1)` of an export is a number, and not text" in messages


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("{\n      'kind'", "{\n      'other': None, 'kind'", "are not written out as one"),
        ("ProblemType.CLASSIFICATION", "ProblemType.LINEAR_REGRESSION", "of an alternative are"),
        ("tf.as_string(tf.argmax(logits, 1))", "tf.as_string(logits, 3)", "in an export"),
        ("tf.float32)})", "tf.float32)}, 1)", "the arguments of `learn.build_parsing"),
    ],
)
def test_other_exports_are_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused(*EXPORTED, (old, new))
