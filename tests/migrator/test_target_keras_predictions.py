"""--target keras: predictions, and exports for serving."""

from __future__ import annotations

import pytest
from support import run
from test_target_keras import converted, refused
from test_target_keras_experiments import PROGRAM

from tfmigrate.model.targets import TARGETS

EVALUATION = "  print(est.evaluate(lambda: input_fn(x, y), steps=2))\n"
PREDICTION = "  print(list(est.predict(lambda: input_fn(x, y))))\n"
RAW = (
    "  pixels = tf.placeholder(tf.float32, [None, 2], name='x')\n"
    "  receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({'x': pixels})\n"
)
EXPORT = "  est.export_savedmodel('exports', receiver)\n"
FUNCTION = (
    "def receiver():\n  inputs = {'x': tf.placeholder(tf.float32, [None, 2])}\n"
    "  return tf.estimator.export.ServingInputReceiver(inputs, inputs)\n\n\ndef main"
)
SPEC = "tf.estimator.EstimatorSpec(mode, predictions={'class': tf.argmax(logits, 1)})"
OUTPUTS = SPEC.replace("})", "}, export_outputs=%s)")
PREDICT_OUTPUT = "tf.estimator.export.PredictOutput({'class': tf.argmax(logits, 1)})"


def after_training(*lines: str) -> tuple[str, str]:
    """Returns the change that adds lines at the end of the program."""
    return EVALUATION, EVALUATION + "".join(lines)


def test_predictions_are_a_second_model_of_the_same_layers() -> None:
    after = converted(after_training(PREDICTION))
    assert (
        "  model.predictor = keras.Model(features, {'class': keras.ops.cast(\n"
        "      keras.ops.argmax(logits, axis=1), 'int64')})\n"
        "  return model\n"
    ) in after
    assert "  print(list(predict_rows(est, input_fn(x, y), 'out')))\n" in after
    assert "def predict_rows(model, dataset, model_dir=None):" in after


def test_without_predictions_there_is_one_model() -> None:
    assert "predictor" not in converted()


def test_raw_inputs_of_an_export() -> None:
    after = converted(after_training(RAW, EXPORT))
    assert "  pixels = tf.TensorSpec([None, 2], tf.float32)\n" in after
    assert "  export_model(est, 'exports', {'x': pixels}, 'out')\n" in after
    assert "receiver" not in after
    assert "import os\nimport time\n" in after


def test_a_function_of_the_inputs_of_an_export() -> None:
    after = converted(after_training(EXPORT), ("def main", FUNCTION))
    assert "  inputs = {'x': tf.TensorSpec([None, 2], tf.float32)}\n  return inputs\n" in after
    assert "  export_model(est, 'exports', receiver(), 'out')\n" in after


def test_the_name_of_a_signature() -> None:
    outputs = OUTPUTS % f"{{'digit': {PREDICT_OUTPUT}}}"
    after = converted(after_training(RAW, EXPORT), (SPEC, outputs))
    names = "['digit', 'serving_default']"
    assert f"  model.signatures = dict.fromkeys({names}, model.predictor)\n" in after


DIGIT = "'serving_default': tf.estimator.export.PredictOutput({'l': logits})"


def test_several_signatures() -> None:
    outputs = OUTPUTS % f"{{{DIGIT}, 'digit': {PREDICT_OUTPUT}}}"
    after = converted(after_training(RAW, EXPORT), (SPEC, outputs))
    assert (
        "  model.signatures = dict(\n"
        "      serving_default=keras.Model(features, {'l': logits}), digit=model.predictor)\n"
    ) in after


def test_a_signature_of_other_outputs_needs_no_predictions() -> None:
    after = converted(after_training(RAW, EXPORT), (SPEC, OUTPUTS % f"{{{DIGIT}}}"))
    assert "  model.signatures = {'serving_default': keras.Model(features, {'l': logits})}" in after
    assert "predictor" not in after


@pytest.mark.parametrize("package", ["", "signature_constants."])
def test_the_name_of_the_default_signature(package: str) -> None:
    name = f"tf.saved_model.{package}DEFAULT_SERVING_SIGNATURE_DEF_KEY"
    after = converted(
        after_training(RAW, EXPORT), (SPEC, OUTPUTS % f"{{{name}: {PREDICT_OUTPUT}}}")
    )
    assert "  model.signatures = {'serving_default': model.predictor}\n" in after


OTHERS = [
    ("RegressionOutput(logits)", "'outputs': logits", "Regress"),
    ("ClassificationOutput(scores=logits)", "'scores': logits", "Classify"),
]


@pytest.mark.parametrize(("output", "code", "method"), OTHERS)
def test_signatures_of_other_methods(output: str, code: str, method: str) -> None:
    outputs = OUTPUTS % f"{{'serving_default': tf.estimator.export.{output}}}"
    changes = after_training(RAW, EXPORT), (SPEC, outputs)
    assert f"is for Predict, and not for {method}" in refused(*changes)
    assert f"keras.Model(features, {{{code}}})" in converted(*changes, unsafe=True)


EXAMPLES = (
    "def receiver():\n"
    "  text = tf.placeholder(tf.string, [None])\n"
    "  spec = {'x': tf.FixedLenFeature([2], tf.float32)}\n"
    "  return tf.estimator.export.ServingInputReceiver(\n"
    "      tf.parse_example(text, spec), {'examples': text})\n\n\ndef main"
)


def test_inputs_that_are_parsed_from_examples() -> None:
    after = converted(after_training(EXPORT), ("def main", EXAMPLES))
    spec = "  spec = {'x': tf.io.FixedLenFeature([2], tf.float32)}\n"
    assert f"def receiver():\n{spec}  return spec\n" in after
    assert "  export_model(est, 'exports', receiver(), 'out')\n" in after
    made = "tf.estimator.export.build_parsing_serving_input_receiver_fn"
    line = f"  receiver = {made}({{'x': tf.FixedLenFeature([2], tf.float32)}})\n"
    after = converted(after_training(line, EXPORT))
    assert "'exports', {'x': tf.io.FixedLenFeature([2], tf.float32)}, 'out')\n" in after


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([after_training(EXPORT.replace("  est", "  x = est"), "")], "the result of `export_"),
        ([after_training(EXPORT.replace(")", ", as_text=True)"))], "`as_text` of `export_"),
        ([after_training(RAW, EXPORT, EXPORT)], "is used several times"),
        (
            [after_training(RAW.replace(", [None, 2], name='x'", ""), EXPORT)],
            "a placeholder of an export has no `shape`",
        ),
        (
            [after_training(EXPORT), ("def main", FUNCTION.replace("(inputs,", "({'y': 1},"))],
            "the features of an export are not its inputs themselves",
        ),
        (
            [
                after_training(RAW, EXPORT),
                (SPEC, OUTPUTS % "{'d': made_output(logits)}"),
            ],
            "the signature `d` is not a PredictOutput",
        ),
        (
            [
                after_training(RAW, EXPORT),
                (SPEC, OUTPUTS % f"{{'d': {PREDICT_OUTPUT}, 'e': {PREDICT_OUTPUT}}}"),
            ],
            "several signatures, of which none is the default",
        ),
        (
            [after_training(EXPORT), ("def main", EXAMPLES.replace("'examples'", "'text'"))],
            "not one tf.Example, called `examples`",
        ),
        (
            [after_training(EXPORT), ("def main", EXAMPLES.replace("FixedLen", "VarLen"))],
            "the program has a VarLenFeature",
        ),
        (
            [after_training(PREDICTION.replace("))))", "), predict_keys=['class'])))"))],
            "`predict_keys` of `predict`",
        ),
        (
            [after_training(PREDICTION), ("  loss = tf", "  logits = logits * 2\n  loss = tf")],
            "`logits` is assigned again after the predictions",
        ),
        (
            [
                after_training(PREDICTION),
                ("PREDICT:\n", "PREDICT:\n    kind = tf.argmax(logits)\n"),
                ("{'class': tf.argmax(logits, 1)})", "{'class': kind})"),
            ],
            "`kind` is computed for predictions only",
        ),
    ],
)
def test_refusals(changes: list[tuple[str, str]], reason: str) -> None:
    assert reason in refused(*changes)


INPUTS = FUNCTION.replace("def main", "def experiment_fn")
STRATEGY = "tf.contrib.learn.make_export_strategy(receiver%s)"
EXPORTED = "eval_delay_secs=0, export_strategies=%s)"


def exporting(strategies: str, runs: str = "learn_runner.run(experiment_fn, 'out')") -> str:
    """Returns what a program of an Experiment with export strategies becomes."""
    text = PROGRAM.replace("def experiment_fn", INPUTS)
    text = text.replace("eval_delay_secs=0)", EXPORTED % strategies)
    text = text.replace("predictions=logits", "predictions={'logits': logits}")
    text = text.replace("learn_runner.run(experiment_fn, 'out')", runs)
    (after,) = run(text, target=TARGETS["keras"]).texts.values()
    return after


@pytest.mark.parametrize("form", ["%s", "[%s]"])
def test_an_experiment_exports_after_its_last_evaluation(form: str) -> None:
    after = exporting(form % STRATEGY % ", exports_to_keep=2")
    assert "      serving_inputs=receiver(),\n      exports_to_keep=2)\n" in after
    assert "    return self.evaluate(), self.export()\n" in after
    assert "  exports_to_keep: int = 5\n" in after
    assert "export_strateg" not in after


def test_a_smoke_test_exports() -> None:
    after = exporting(STRATEGY % "", "learn_runner.run(experiment_fn, 'out', 'test')")
    assert "    self.export()\n    return results\n" in after


def test_other_export_strategies() -> None:
    reset = f"e.reset_export_strategies({STRATEGY % ', exports_to_keep=1'})\n"
    after = exporting(STRATEGY % "", f"e = experiment_fn('out')\n{reset}e.train_and_evaluate()")
    assert "\ne.serving_inputs, e.exports_to_keep = receiver(), 1\n" in after


def test_without_a_strategy_an_experiment_exports_nothing() -> None:
    (after,) = run(PROGRAM, target=TARGETS["keras"]).texts.values()
    assert "    return self.evaluate(), []\n" in after
    assert "def export(self)" not in after
    assert "exports_to_keep" not in after


@pytest.mark.parametrize(
    ("strategies", "runs"),
    [
        (f"[{STRATEGY % ''}, {STRATEGY % ''}]", "learn_runner.run(experiment_fn, 'out')"),
        (STRATEGY % ", as_text=True", "learn_runner.run(experiment_fn, 'out')"),
        (STRATEGY % ", exports_to_keep=FLAGS.kept", "learn_runner.run(experiment_fn, 'out')"),
        (STRATEGY % "", "experiment_fn('out').reset_export_strategies([])"),
    ],
)
def test_other_strategies_keep_the_default_form(strategies: str, runs: str) -> None:
    assert "tensorflow.compat.v1" in exporting(strategies, runs)
