"""--target keras of programs that tfmigrate migrated before, to its default form."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import run

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.targets import TARGETS

FIXTURES = Path(__file__).parents[2] / "fixtures"
FORMS = sorted(FIXTURES.glob("*/*/migrated_keras.py"))
# The default form of these has something that the conversion does not know.
REFUSED = {
    "device_setter_around_estimator": "`schedule` of the EvalSpec",
    "resumed_run": "the Estimator is not assigned to a variable",
    "tf_config_of_one_task": "the Estimator is not assigned to a variable",
}
# The default form keeps `model_function = model_fn`, which a wrapper replaced in the original.
WITH_ANOTHER_NAME = ("momentum_piecewise",)
PROGRAM = """\
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import estimator

tf.disable_v2_behavior()


def model_fn(features, labels, mode):
  logits = tf.layers.dense(features, 3)
  loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
  optimizer = tf.train.GradientDescentOptimizer(0.1)
  train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
  return estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
  return tf.data.Dataset.from_tensor_slices(([[1.0]], [0])).repeat().batch(8)


def main():
  strategy = tf.distribute.MirroredStrategy()
  config = estimator.RunConfig(save_summary_steps=5)
  est = estimator.Estimator(
      model_fn,
      config=config.replace(
          train_distribute=strategy, eval_distribute=strategy, global_batch=True))
  est.train(input_fn, steps=20)


main()
"""


def converted(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    result = run(text, target=TARGETS["keras"])
    assert [finding.code for finding in result.findings] == ["TFM801"], result.findings
    return next(iter(result.texts.values()))


def refused(old: str, new: str) -> str:
    assert old in PROGRAM, old
    result = run(PROGRAM.replace(old, new), target=TARGETS["keras"])
    return next(f.message for f in result.findings if f.code == "TFM802")


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.parent.name)
def test_the_default_form_becomes_what_the_original_becomes(form: Path) -> None:
    path = form.with_name("migrated.py")
    result = migrate(
        [decode_source(read_bytes(path), path, "migrated.py")],
        Options(target=TARGETS["keras"], unsafe=True),
    )
    reason = REFUSED.get(form.parent.name)
    if reason:
        assert reason in next(f.message for f in result.findings if f.code == "TFM802")
        return
    assert "TFM801" in {finding.code for finding in result.findings}, result.findings
    if form.parent.name in WITH_ANOTHER_NAME:
        return
    # Lines may be broken elsewhere.
    assert ast.dump(ast.parse(result.texts[path])) == ast.dump(ast.parse(form.read_text("utf-8")))


def test_towers_share_a_batch() -> None:
    after = converted()
    assert "import keras\nimport tensorflow as tf\n" in after
    assert "cross_device_ops=tf.distribute.ReductionToOneDevice())\n" in after
    assert "  with strategy.scope():\n" in after
    for gone in ("compat.v1", "tfmigrate", "disable_v2_behavior", "RunConfig", "batches_of"):
        assert gone not in after


def test_replicas_take_batches_of_their_own() -> None:
    assert "batches_of_replicas(input_fn(), strategy)" in converted((", global_batch=True", ""))


def test_one_program_may_spell_its_imports_in_several_ways() -> None:
    after = converted(
        ("import tensorflow.compat.v1 as tf", "from tensorflow.compat import v1 as tf"),
        ("from tfmigrate_runtime", "from tfmigrate_vendored"),
    )
    assert "import keras\nimport tensorflow as tf\n" in after
    assert "tfmigrate" not in after


def test_a_strategy_or_none() -> None:
    line = "MirroredStrategy()"
    after = converted((line, "MirroredStrategy() if len('ab') > 1 else None"))
    assert (
        "  strategy = (\n"
        "      tf.distribute.MirroredStrategy("
        "cross_device_ops=tf.distribute.ReductionToOneDevice())\n"
        "      if len('ab') > 1 else tf.distribute.get_strategy())\n"
    ) in after


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "import estimator",
            "import estimator, keras_2",
            "nothing for `tfmigrate_runtime.keras_2`",
        ),
        (
            "import estimator",
            "import estimator\nfrom tfmigrate_runtime.learn import *",
            "all names",
        ),
        (
            "\n\ntf.disable",
            "\n\nfrom tfmigrate_runtime import layers\nlayers = layers or 1\n\ntf.disable",
            "`layers` is imported and bound to something else, too",
        ),
        ("global_batch=True", "global_batch=len('a') > 1", "`global_batch` is not written out"),
        (
            "global_batch=True",
            "loss_reduction=tf.losses.Reduction.SUM",
            "`loss_reduction` without `global_batch`",
        ),
        (
            "global_batch=True",
            "global_batch=True, loss_reduction=tf.losses.Reduction.SUM",
            "towers are combined by their sum, and the loss is a mean",
        ),
        (
            "  est.train(input_fn, steps=20)\n",
            "  estimator.train_and_evaluate(\n"
            "      est, estimator.TrainSpec(input_fn, max_steps=9),\n"
            "      estimator.EvalSpec(input_fn, schedule=estimator.ExperimentSchedule()))\n",
            "`schedule` of the EvalSpec",
        ),
    ],
)
def test_what_has_no_equivalent_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused(old, new)
