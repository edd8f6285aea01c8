"""--target estimator: tf.estimator stays, batches are split, and nothing needs the runtime."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import check, findings, found, migrate_tree, migrated, run

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.findings import Severity
from tfmigrate.model.targets import TARGETS
from tfmigrate.tables.runtime_modules import RUNTIME

TARGET = TARGETS["estimator"]
FIXTURES = Path(__file__).parents[2] / "fixtures"
FORMS = sorted(FIXTURES.glob("*/*/migrated_estimator*"))

HEAD = """\
import tensorflow as tf
from data import input_fn
def model_fn(features, labels, mode):
  loss = tf.losses.mean_squared_error(labels, features)
  optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))
"""
PROGRAM = (
    HEAD
    + """\
est = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
est.train(input_fn, steps=10)
"""
)


def program(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def told(text: str, **options: object) -> list[str]:
    """Returns the messages of TFM213, which must keep all of the program as it was."""
    result = run(text, target=TARGET, **options)
    kept = "tf.contrib.estimator.replicate_model_fn"
    assert all(kept in after for after in result.texts.values())
    return [f.message for f in result.findings if f.code == "TFM213"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.parent.name)
def test_fixtures(form: Path) -> None:
    single = form.suffix == ".py"
    case = form.parent
    paths = [case / "original.py"] if single else sorted((case / "original").glob("*.py"))
    sources = [decode_source(read_bytes(path), path, path.name) for path in paths]
    result = migrate(sources, Options(target=TARGET), [case])
    assert [f for f in result.findings if not f.applied] == []
    after = [result.texts.get(source.path, source.text) for source in sources]
    expected = [form] if single else [form / path.name for path in paths]
    assert after == [path.read_text(encoding="utf-8") for path in expected]
    assert not any(RUNTIME in text for text in after)
    again = migrate(
        [decode_source(read_bytes(path), path, path.name) for path in expected],
        Options(target=TARGET),
    )
    assert again.texts == {}


def test_there_are_fixtures_of_replicated_models() -> None:
    assert len([form for form in FORMS if "replicate_model_fn" in form.parts]) >= 8


def test_training_and_evaluation_are_split_and_prediction_is_not() -> None:
    after = migrated(
        PROGRAM
        + """\
est.evaluate(input_fn=lambda: input_fn(1))
est.predict(input_fn)
tf.estimator.train_and_evaluate(
    est, tf.estimator.TrainSpec(input_fn), tf.estimator.EvalSpec(lambda: input_fn(2)))
""",
        target=TARGET,
    )
    assert "est.train(split_batches(input_fn), steps=10)\n" in after
    assert "est.evaluate(input_fn=split_batches(lambda: input_fn(1)))\n" in after
    assert "est.predict(input_fn)\n" in after
    assert "TrainSpec(split_batches(input_fn))" in after
    assert "EvalSpec(split_batches(lambda: input_fn(2)))" in after
    assert after.count("def split_batches(") == 1
    assert "train_distribute=strategy, eval_distribute=strategy)" in after
    assert RUNTIME not in after
    assert "global_batch" not in after


def test_a_sum_over_towers_is_evaluated_on_whole_batches() -> None:
    after = migrated(
        program(
            ("(labels, features)", "(labels, features, reduction=tf.losses.Reduction.SUM)"),
            ("(model_fn))", "(model_fn, tf.losses.Reduction.SUM))"),
        ),
        target=TARGET,
    )
    assert "RunConfig(train_distribute=strategy)" in after


def test_names_that_are_taken() -> None:
    after = migrated(PROGRAM + "split_batches = 1\n", target=TARGET)
    assert "est.train(split_batches_over_replicas(input_fn), steps=10)" in after
    after = migrated(program(("(model_fn))", "(model_fn))\nstrategy = 2")), target=TARGET)
    assert "train_distribute=mirrored_strategy" in after


def test_every_file_that_gives_input_gets_the_function() -> None:
    head, _, driver = PROGRAM.partition("est = ")
    head = head.replace("from data import input_fn\n", "")
    driver = "import tensorflow as tf\nfrom model import model_fn\nest = " + driver
    changed, findings = migrate_tree(
        {"model.py": head, "train.py": driver + "est.train(input_fn=f)\n"}, target=TARGET
    )
    assert all(f.applied for f in findings)
    assert "split_batches" not in changed["model.py"]
    assert changed["train.py"].count("split_batches(") == 3


def test_an_estimator_of_a_function_or_a_class_is_known() -> None:
    after = migrated(
        HEAD
        + """\
class Own(tf.estimator.Estimator):
  pass
def build():
  est = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
  return est
class Runner:
  def __init__(self):
    self.est = build()
  def run(self):
    self.est.train(input_fn)
build().train(input_fn)
Own().evaluate(input_fn)
""",
        target=TARGET,
    )
    assert after.count("(split_batches(input_fn))") == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("est.train(input_fn", "make().train(input_fn"), "whether `make()` is an Estimator"),
        (("est.train(input_fn,", "est.train(**arguments,"), "passed by `*` or `**`"),
        (("est.train(input_fn, steps=10)", "run(est)"), "no call that passes an input function"),
        (("input_fn, steps", "tf.estimator.inputs.numpy_input_fn(x, y), steps"), "from a queue"),
        (("input_fn, steps", "lambda: tf.train.batch([x], 8), steps"), "from a queue"),
        (("input_fn, steps", "lambda: iterator.get_next(), steps"), "`get_next()` returns tensors"),
        (
            ("(labels, features)", "(labels, features, reduction='sum')"),
            "but tf.estimator does not",
        ),
        (("(labels, features)", "(labels, features, **options)"), "but tf.estimator does not"),
        (
            ("(labels, features)", "(labels, features, reduction=tf.losses.Reduction.SUM)"),
            "but tf.estimator does not",
        ),
        (("(model_fn))", "(model_fn, loss_reduction=tf.losses.Reduction.SUM))"), "added up"),
        (
            ("(model_fn))", "(model_fn, loss_reduction=reduction))"),
            "cannot determine the loss_reduction",
        ),
        (("tf.losses.mean_squared_error(", "tf.keras.losses.MeanSquaredError()("), "Keras losses"),
    ],
)
def test_what_tf_estimator_would_do_differently_is_reported(
    change: tuple[str, str], message: str
) -> None:
    messages = told(program(change), unsafe=True)
    assert any(message in text for text in messages), messages


def test_a_method_of_the_program_itself_is_not_split_twice() -> None:
    text = program(
        ("est.train(input_fn, steps=10)", "est.train(input_fn)\nmake().train(input_fn=f)")
    )
    wrapper = "class Model:\n  def train(self, input_fn):\n    pass\n"
    assert "make().train(input_fn=split_batches(f))" in migrated(text, target=TARGET)
    assert any("defines its own `train`" in message for message in told(wrapper + text))


def test_losses_of_all_towers_wait_for_unsafe() -> None:
    text = program(("  optimizer", "  loss = tf.losses.get_total_loss()\n  optimizer"))
    (finding,) = found(text, "TFM208", target=TARGET)
    assert "the reported loss stays the same" in finding.action
    assert "split_batches(input_fn)" in migrated(text, target=TARGET, unsafe=True)


def test_moving_averages_wait_for_unsafe() -> None:
    text = program(("  optimizer", "  tf.get_collection(tf.GraphKeys.UPDATE_OPS)\n  optimizer"))
    assert run(text, target=TARGET).texts == {} or told(text) == []
    assert ("TFM214", 5) in findings(text, target=TARGET)
    assert "split_batches(input_fn)" in migrated(text, target=TARGET, unsafe=True)


def test_what_only_the_runtime_has_is_told_and_holds_all_of_the_program_back() -> None:
    text = program(("tf.losses.mean", "tf.contrib.losses.mean"))
    manual = [f for f in run(text, target=TARGET, unsafe=True).findings if not f.applied]
    assert "TFM706" in {f.code for f in manual}
    assert any(f"only in {RUNTIME}" in f.message for f in manual)
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "tf.train.replica_device_setter(cluster=cluster)",
        "tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 2)",
    ],
)
def test_parameter_servers_stay_as_they_are(text: str) -> None:
    before = f"import tensorflow as tf\nwith tf.device('/cpu:0'):\n  x = {text}\n"
    result = run(before, target=TARGET)
    assert [f.severity for f in result.findings] == [Severity.FIXED] * len(result.findings)
    (after,) = result.texts.values()
    assert f"  x = {text}\n" in after
    assert RUNTIME not in after


def test_other_targets_have_nothing_of_it() -> None:
    codes = {f.code for f in run(PROGRAM).findings}
    assert not codes & {"TFM212", "TFM213", "TFM214"}
    assert found(PROGRAM, "TFM201")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("MirroredStrategy()", "MirroredStrategy()"),
        ("MirroredStrategy(None, 2)", "MirroredStrategy(['/gpu:0', '/gpu:1'])"),
        ("MirroredStrategy(num_gpus=0)", "MirroredStrategy(['/cpu:0'])"),
        (
            "MirroredStrategy(devices=d, cross_tower_ops=c)",
            "MirroredStrategy(d, cross_device_ops=c)",
        ),
        ("OneDeviceStrategy('/gpu:0')", "OneDeviceStrategy('/gpu:0')"),
        ("AllReduceCrossTowerOps()", "NcclAllReduce()"),
        (
            "AllReduceCrossTowerOps('hierarchical_copy', 2)",
            "HierarchicalCopyAllReduce(num_packs=2)",
        ),
        ("get_tower_context()", "get_replica_context()"),
    ],
)
def test_strategies_are_those_of_the_core(before: str, after: str) -> None:
    head = "import tensorflow as tf\nfrom tensorflow.contrib import distribute\n"
    check(
        f"{head}s = distribute.{before}\ntf.estimator.RunConfig(train_distribute=s)\n",
        f"""\
import tensorflow.compat.v1 as tf
s = tf.distribute.{after}
tf.estimator.RunConfig(train_distribute=s)
""",
        target=TARGET,
    )


@pytest.mark.parametrize(
    "text",
    [
        "s = distribute.CollectiveAllReduceStrategy(num_gpus_per_worker=2)",
        "s = distribute.MirroredStrategy(*gpus)",
        "s = distribute.MirroredStrategy(num_gpus=2, auto_shard_dataset=True)",
        "s = distribute.AllReduceCrossTowerOps('pscpu/pscpu')",
        "s = distribute.MirroredStrategy()\ns.make_dataset_iterator(d)",
        "s = distribute.DistributeConfig(train_distribute=s)",
        "c = tf.estimator.RunConfig(experimental_distribute=distribute.DistributeConfig(**x))",
        "make = distribute.MirroredStrategy",
    ],
)
def test_strategies_without_an_equal_are_told(text: str) -> None:
    head = "import tensorflow as tf\nfrom tensorflow.contrib import distribute\n"
    result = run(f"{head}{text}\n", target=TARGET, unsafe=True)
    assert "TFM501" in {f.code for f in result.findings if not f.applied and f.action}
    assert all("tensorflow.contrib" in after for after in result.texts.values())


EXPERIMENT = """\
import tensorflow as tf
from model import estimator, f, g
e = tf.contrib.learn.Experiment(
    estimator,
    train_input_fn=f,
    eval_input_fn=g,
    train_steps=9,  # steps in all
    min_eval_frequency=3)
result = e.train_and_evaluate()
"""


def test_an_experiment_makes_its_calls_itself() -> None:
    after = migrated(EXPERIMENT, target=TARGET)
    assert after.endswith(
        """\
# steps in all
e = (
    estimator,
    dict(input_fn=f, max_steps=9),
    dict(input_fn=g, steps=100),
    3)
result = run_experiment(*e)
"""
    )
    assert after.count("def run_experiment(") == 1
    assert "import time\n" in after


def test_arguments_of_an_experiment() -> None:
    before = EXPERIMENT.replace("min_eval_frequency=3", "check_interval_secs=0, eval_steps=None")
    before = before.replace("train_steps=9", "train_steps=9, train_monitors=[h], eval_hooks=k")
    after = migrated(before, target=TARGET)
    assert "    dict(input_fn=f, max_steps=9, hooks=[h]),\n" in after
    assert "    dict(input_fn=g, steps=None, hooks=k),\n    None,\n    0)\n" in after


def test_a_run_config_of_contrib_learn_is_that_of_tf_estimator() -> None:
    before = """\
import tensorflow as tf
from tensorflow.contrib.learn import RunConfig, learn_runner
from model import model_fn, f, g
def experiment_fn(run_config, hparams):
  return tf.contrib.learn.Experiment(
      tf.estimator.Estimator(model_fn, config=run_config), f, g)
learn_runner.run(experiment_fn, run_config=RunConfig(model_dir='m', save_summary_steps=5))
"""
    after = migrated(before, target=TARGET)
    assert "contrib" not in after
    run_config = "tf.estimator.RunConfig(model_dir='m', save_summary_steps=5)"
    assert f"run_experiment(*experiment_fn({run_config}, None))" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("train_steps=9", "train_steps=9, export_strategies=x"),
        ("train_steps=9", "train_steps=9, saving_listeners=x"),
        ("train_steps=9", "train_steps=9, eval_metrics=x"),
        ("e.train_and_evaluate()", "e.continuous_train_and_eval()"),
        ("e.train_and_evaluate()", "tf.contrib.learn.RunConfig(num_cores=2)"),
    ],
)
def test_an_experiment_that_asks_for_more_is_left_to_a_human(old: str, new: str) -> None:
    result = run(EXPERIMENT.replace(old, new), target=TARGET, unsafe=True)
    assert {"TFM101", "TFM102"} & {f.code for f in result.findings if not f.applied}
    assert all("tf.contrib.learn.Experiment" in after for after in result.texts.values())


def test_an_experiment_of_a_replicated_model_is_not_trained_on_whole_batches() -> None:
    text = program(("steps=10)", "steps=10)\ntf.contrib.learn.Experiment(est, f, g).train()"))
    assert any("an Experiment passes them" in message for message in told(text))


def test_a_file_without_tensorflow_that_gives_input_keeps_the_program_as_it_is() -> None:
    files = {"model.py": PROGRAM, "main.py": "from model import est\nest.train(lambda: None)\n"}
    changed, told_of = migrate_tree(files, target=TARGET)
    assert any("main.py imports this file and may" in f.message for f in told_of)
    assert all("replicate_model_fn" in text for text in changed.values())
    files["main.py"] = "from model import est\nprint(est)\n"
    changed, told_of = migrate_tree(files, target=TARGET)
    assert all(f.applied for f in told_of)
