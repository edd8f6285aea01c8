"""--target keras: a program of an Estimator becomes a Keras model, whole or not at all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import run

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.findings import Severity
from tfmigrate.model.targets import TARGETS

TARGET = TARGETS["keras"]
FIXTURES = Path(__file__).parents[2] / "fixtures"
FORMS = sorted(FIXTURES.glob("*/*/migrated_keras*"))
OF_TENSORFLOW_1 = ("compat.v1", "tfmigrate", "tf_keras", "Session", "tf.layers.", "tf.estimator.")

PROGRAM = """\
import tensorflow as tf


def model_fn(features, labels, mode, params):
  training = mode == tf.estimator.ModeKeys.TRAIN
  net = tf.layers.dense(features, 4, activation=tf.nn.relu, name='hidden')
  net = tf.layers.dropout(net, params['dropout'], training=training)
  logits = tf.layers.dense(net, 3)
  if mode == tf.estimator.ModeKeys.PREDICT:
    return tf.estimator.EstimatorSpec(mode, predictions={'class': tf.argmax(logits, 1)})
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  if mode == tf.estimator.ModeKeys.EVAL:
    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
        'accuracy': tf.metrics.accuracy(labels, tf.argmax(logits, 1))})
  optimizer = tf.train.AdamOptimizer(0.1)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(x, y):
  return tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(8)


def main(x, y):
  est = tf.estimator.Estimator(model_fn, 'out', params={'dropout': 0.0})
  est.train(lambda: input_fn(x, y), steps=100)
  print(est.evaluate(lambda: input_fn(x, y), steps=2))
"""
MODEL = """\
def model_fn(features, params):
  net = keras.layers.Dense(4, activation='relu', name='hidden')(features)
  net = keras.layers.Dropout(params['dropout'])(net)
  logits = keras.layers.Dense(3)(net)
  loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  optimizer = keras.optimizers.Adam(0.1, beta_2=0.999000013, epsilon=1e-8)
  model = keras.Model(features, logits)
  model.compile(
      optimizer=optimizer,
      loss=loss,
      metrics=[keras.metrics.SparseCategoricalAccuracy(name='accuracy')],
      steps_per_execution=20)
  model.optimizer.build(model.trainable_variables)  # for checkpoints
  return model
"""
MAIN = """\
def main(x, y):
  train_dataset = input_fn(x, y)
  est = model_fn(inputs_of(train_dataset), params={'dropout': 0.0})
  train_model(est, train_dataset, 'out', steps=100)
  print(evaluate_model(est, input_fn(x, y), 'out', steps=2))
"""


def converted(*changes: tuple[str, str], unsafe: bool = False) -> str:
    """Returns the program with some changes, converted."""
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    result = run(text, target=TARGET, unsafe=unsafe)
    (after,) = result.texts.values()
    return after


def refused(*changes: tuple[str, str]) -> str:
    """Returns why the program with some changes keeps its default form."""
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    result = run(text, target=TARGET)
    (after,) = result.texts.values()
    assert "tensorflow.compat.v1" in after
    found = [f for f in result.findings if f.code.startswith("TFM80")]
    assert [(f.code, f.severity) for f in found] == [("TFM802", Severity.KEPT)]
    return found[0].message


def test_a_file_without_an_estimator_has_its_default_form() -> None:
    result = run("import tensorflow as tf\nx = tf.placeholder(tf.float32)\n", target=TARGET)
    assert not [f for f in result.findings if f.code.startswith("TFM80")]
    assert "tensorflow.compat.v1" in next(iter(result.texts.values()))


def test_without_the_option_nothing_becomes_keras() -> None:
    result = run(PROGRAM)
    assert not [f for f in result.findings if f.code.startswith("TFM80")]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.parent.name)
def test_fixtures(form: Path) -> None:
    case = form.parent
    single = form.suffix == ".py"
    paths = [case / "original.py"] if single else sorted((case / "original").glob("*.py"))
    sources = [decode_source(read_bytes(path), path, path.name) for path in paths]
    options = Options(target=TARGET, unsafe=True)
    result = migrate(sources, options, [case])
    for path in paths:
        expected = (form if single else form / path.name).read_text("utf-8")
        assert result.texts.get(path, path.read_text("utf-8")) == expected
        assert not [word for word in OF_TENSORFLOW_1 if word in code_of(expected)]


def code_of(text: str) -> str:
    """Returns a program without its comments and texts."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.unparse(tree)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.parent.name)
@pytest.mark.parametrize("target", ["keras", "2.16"])
def test_a_second_run_changes_nothing(form: Path, target: str) -> None:
    paths = [form] if form.suffix == ".py" else sorted(form.glob("*.py"))
    sources = [decode_source(read_bytes(path), path, path.name) for path in paths]
    result = migrate(sources, Options(target=TARGETS[target]), [form.parent])
    assert not result.texts
    assert not result.findings


def test_the_model_and_its_training() -> None:
    after = converted()
    assert MODEL in after
    assert MAIN in after
    assert after.startswith("import json\nimport os\n\nimport keras\nimport tensorflow as tf\n")


def test_a_saved_step_is_that_of_the_run_config() -> None:
    after = converted(
        ("(model_fn, 'out',", "(model_fn, 'out', tf.estimator.RunConfig(save_checkpoints_steps=9),")
    )
    assert "train_model(est, train_dataset, 'out', steps=100, save_steps=9)" in after


def test_the_model_is_made_where_its_input_is_known() -> None:
    after = converted(
        ("params={'dropout': 0.0})\n", "params={'dropout': 0.0})\n  x, y = x[1:], y[1:]\n")
    )
    assert (
        "  x, y = x[1:], y[1:]\n"
        "  train_dataset = input_fn(x, y)\n"
        "  est = model_fn(inputs_of(train_dataset), params={'dropout': 0.0})\n"
        "  train_model(est, train_dataset, 'out', steps=100)\n"
    ) in after


def test_training_in_a_loop_reads_the_input_again() -> None:
    after = converted(("  est.train(", "  for _ in range(3):\n    est.train("))
    assert "est = model_fn(inputs_of(input_fn(x, y)), params=" in after
    assert "    train_model(est, input_fn(x, y), 'out', steps=100)" in after


def test_summaries_of_the_model_are_dropped_by_request_only() -> None:
    change = ("  optimizer =", "  tf.summary.scalar('l', net[0, 0])\n  optimizer =")
    assert (
        refused(change) == "not converted to Keras: `tf.summary.scalar` of the model is not written"
    )
    assert MODEL in converted(change, unsafe=True)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "training=training",
            "training=True",
            "`training` of `tf.layers.dropout` is not whether",
        ),
        (", training=training", "", "`training` of `tf.layers.dropout` is not given"),
        (
            "tf.layers.dense(net, 3)",
            "tf.layers.dense(net, 3, reuse=True)",
            "no equivalent of `reuse=True`",
        ),
        ("tf.nn.relu", "tf.nn.crelu", "Keras has no activation `tf.nn.crelu`"),
        (
            "AdamOptimizer(0.1)",
            "ProximalAdagradOptimizer(0.1)",
            "`tf.train.ProximalAdagradOptimizer`",
        ),
        ("(labels, logits)\n", "(labels, logits, weights=2.0)\n", "`weights` of the loss"),
        (
            "(loss, global_step=tf.train.get_global_step())",
            "(loss)",
            "does not count the global step",
        ),
        ("tf.argmax(logits, 1))})", "labels)})", "of predictions that may be no whole numbers"),
        ("steps=100)", "steps=100, hooks=[h])", "the hook `h`"),
        (
            "net = tf.layers.dropout",
            "net = tf.foo(net)\n  net = tf.layers.dropout",
            "`tf.foo` in a model",
        ),
        (
            "return tf.data",
            "x = tf.convert_to_tensor(x)\n  return x, tf.data",
            "not a tf.data.Dataset",
        ),
    ],
)
def test_what_keras_does_not_have_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused((old, new))


@pytest.mark.parametrize("model", ["dense", "conv", "embedding", "recurrent", "resnet"])
def test_the_benchmarked_programs_are_converted(model: str, tmp_path: Path) -> None:
    programs = FIXTURES.parent / "benchmarks" / "training"
    for name in ("model", "towers_without_hook", f"networks/{model}"):
        new = name if "/" not in name else "network"
        (tmp_path / f"{new}.py").write_bytes((programs / f"{name}.py").read_bytes())
    sources = [decode_source(read_bytes(p), p, p.name) for p in sorted(tmp_path.iterdir())]
    result = migrate(sources, Options(target=TARGET), [tmp_path])
    assert {finding.code for finding in result.findings} == {"TFM801"}
    assert len(result.texts) == 3
