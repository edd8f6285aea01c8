"""TFM703: names of tf.contrib that the core has."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrated

from tfmigrate.model.targets import TARGETS
from tfmigrate.tables import equivalents
from tfmigrate.tables.equivalents import Equivalent, Missing

OURS = "from tfmigrate_runtime.estimator import Estimator\nEstimator(f)\n"
V1 = "import tensorflow.compat.v1 as tf\n"


@pytest.mark.parametrize(
    "text",
    [
        V1 + "tf.train.get_global_step()\n" + OURS,
        V1 + "tf.contrib.framework.no_such_name(d)\n" + OURS,
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(text)


def test_a_file_of_which_nothing_else_is_migrated() -> None:
    enabled = V1 + "\ntf.disable_v2_behavior()\n\n"
    check(V1 + "tf.contrib.framework.get_global_step()\n", enabled + "tf.train.get_global_step()\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            V1 + "tf.contrib.framework.get_or_create_global_step()\n",
            V1 + "tf.train.get_or_create_global_step()\n",
        ),
        (
            V1 + "tf.contrib.keras.api.keras.losses.MeanSquaredError()\n",
            V1 + "tf.keras.losses.MeanSquaredError()\n",
        ),
        (
            V1 + "from tensorflow.contrib import framework\nframework.get_global_step()\n",
            V1 + "tf.train.get_global_step()\n",
        ),
        (
            V1 + "from tensorflow.contrib.framework import get_global_step\nget_global_step()\n",
            V1 + "tf.train.get_global_step()\n",
        ),
        (
            "from tensorflow.contrib import framework\nframework.get_global_step()\n",
            V1 + "tf.train.get_global_step()\n",
        ),
        (
            V1 + "tf.contrib.metrics.streaming_auc(predictions=p, labels=l)\n",
            V1 + "tf.metrics.auc(predictions=p, labels=l)\n",
        ),
        (
            V1 + "tf.contrib.metrics.streaming_accuracy(p, l)\n",
            V1 + "tf.metrics.accuracy(predictions=p, labels=l)\n",
        ),
        (
            V1 + "tf.contrib.metrics.streaming_accuracy(p, labels=l)\n",
            V1 + "tf.metrics.accuracy(predictions=p, labels=l)\n",
        ),
        (
            V1 + "tf.contrib.metrics.streaming_accuracy(**arguments)\n",
            V1 + "tf.metrics.accuracy(**arguments)\n",
        ),
        (
            V1 + "accuracy = tf.contrib.metrics.streaming_accuracy(\n"
            "    predictions,  # of this batch\n    labels)\n",
            V1 + "accuracy = tf.metrics.accuracy(\n"
            "    predictions=predictions,  # of this batch\n    labels=labels)\n",
        ),
        (
            V1 + "framework = tf.contrib.framework\nframework.get_global_step()\n",
            V1 + "tf.train.get_global_step()\n",
        ),
        (
            V1 + "import tensorflow.contrib.framework as tff\ntff.get_global_step()\n",
            V1 + "tf.train.get_global_step()\n",
        ),
        (
            V1 + "from tensorflow.contrib import framework, slim\n"
            "slim.flatten(framework.get_global_step())\n",
            V1 + "from tfmigrate_runtime import slim\nslim.flatten(tf.train.get_global_step())\n",
        ),
        (
            V1 + "contrib = tf.contrib\n"
            "contrib.slim.flatten(contrib.framework.get_global_step())\n",
            V1 + "from tfmigrate_runtime import slim\nslim.flatten(tf.train.get_global_step())\n",
        ),
        (
            V1 + "def f(x):\n  slim = tf.contrib.slim\n  return slim.flatten(x)\n",
            V1 + "from tfmigrate_runtime import slim\ndef f(x):\n  return slim.flatten(x)\n",
        ),
        (
            V1 + "class A:\n  slim = tf.contrib.slim\n",
            V1 + "from tfmigrate_runtime import slim as tf_slim\nclass A:\n  slim = tf_slim\n",
        ),
        (
            V1 + "slim = tf.contrib.slim\n\ndef f(slim):\n  return slim.flatten(x)\n",
            V1 + "from tfmigrate_runtime import slim as tf_slim\n"
            "slim = tf_slim\n\ndef f(slim):\n  return slim.flatten(x)\n",
        ),
        (
            V1 + "from tfmigrate_runtime import learn\n"
            "from tensorflow.contrib.learn import MetricSpec\n"
            "MetricSpec(metric_fn=tf.contrib.metrics.streaming_recall, label_key='l')\n",
            V1 + "from tfmigrate_runtime import learn\n"
            "from tfmigrate_runtime.learn import MetricSpec\n"
            "MetricSpec(metric_fn=tf.metrics.recall, label_key='l')\n",
        ),
    ],
)
def test_becomes_the_cores(before: str, after: str) -> None:
    used = "print(tf)\n" if before.startswith(V1) else ""
    check(before + OURS + used, after + OURS + used)


def test_imports_that_serve_others_become_the_runtimes() -> None:
    text = (
        V1 + "from tensorflow.contrib import framework\n"
        "framework.get_global_step()\nframework.no_such_name(d)\n" + OURS
    )
    assert "from tfmigrate_runtime import framework\ntf.train.get_global_step()\n" in migrated(text)
    assert len(found(text, "TFM702")) == 1


@pytest.mark.parametrize(
    "use",
    [
        # tf.metrics takes labels before predictions.
        "metrics.streaming_accuracy(*arguments)",
        "f(metrics.streaming_accuracy)",
        "metrics.streaming_covariance(predictions=p, labels=l)",
    ],
)
def test_other_uses_of_metrics_are_the_runtimes(use: str) -> None:
    after = migrated(f"{V1}{use.replace('metrics.', 'tf.contrib.metrics.')}\n{OURS}")
    assert f"from tfmigrate_runtime import metrics\n{use}\n" in after


def test_assignments_that_serve_others_become_the_runtimes() -> None:
    text = (
        V1 + "framework = tf.contrib.framework\n"
        "framework.get_global_step()\nframework.no_such_name(d)\n" + OURS
    )
    assert "from tfmigrate_runtime import framework\ntf.train.get_global_step()\n" in migrated(text)
    assert len(found(text, "TFM702")) == 1


EQUIVALENT = Equivalent(
    "new", ("x", "axis", "unused"), {"axis": "dim", "unused": None}, {"deep": "True"}
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(a)", "(x=a, deep=True)"),
        ("(a, 1, b)", "(x=a, dim=1, deep=True)"),
        ("(a, unused=b, deep=c)", "(x=a, deep=c)"),
        ("(axis=1, x=a)", "(dim=1, x=a, deep=True)"),
        ("()", "(deep=True)"),
        ("(a, b, c, d)", None),
        ("(*a)", None),
        ("(**a)", None),
        ("", None),
    ],
)
def test_arguments_move(monkeypatch: pytest.MonkeyPatch, before: str, after: str | None) -> None:
    monkeypatch.setattr(
        equivalents, "names", lambda: {"tensorflow.contrib.framework.old": EQUIVALENT}
    )
    old = V1 + f"tf.contrib.framework.old{before}\n" + OURS
    if after is None:
        check_unchanged(old)
    else:
        check(old, V1 + f"tf.new{after}\n" + OURS)


def test_missing_names_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    why = Missing("it needs a TPU", "use a GPU")
    monkeypatch.setattr(equivalents, "missing", lambda: {"tensorflow.contrib.tpu": why})
    (finding,) = found(V1 + "tf.contrib.tpu.repeat(f)\n", "TFM702")
    assert finding.message == "tf.contrib.tpu.repeat is not in TensorFlow 2: it needs a TPU"
    assert finding.action == "use a GPU"


@pytest.mark.parametrize("held", ["from tensorflow.contrib import util", "util = tf.contrib.util"])
def test_what_holds_others_stays(held: str) -> None:
    text = V1 + held + "\nutil.make_ndarray(x)\nutil.no_such_name(d)\n" + OURS
    assert f"{held}\ntf.make_ndarray(x)\n" in migrated(text)
    assert "util.no_such_name" in found(text, "TFM702")[-1].message


def test_imports_for_other_files_stay() -> None:
    before = "from tensorflow.contrib.framework import get_global_step as step\n"
    after = "from tensorflow.compat.v1.train import get_global_step as step\n"
    check(V1 + before + OURS, V1 + after + OURS)
    text = V1 + "from tensorflow.contrib.metrics import streaming_auc\n" + OURS
    assert "streaming_auc" in migrated(text)


def test_modules_in_the_folders_of_packages() -> None:
    before = (
        "from tensorflow.contrib.data.python.ops import batching\n"
        "from tensorflow.contrib.slim.python.slim import learning as how\n"
        "how.train(d.apply(batching.map_and_batch(f, 2)))\n"
    )
    after = (
        "from tfmigrate_runtime.slim import learning as how\n"
        "how.train(d.apply(tf.data.experimental.map_and_batch(f, 2)))\n"
    )
    check(V1 + before + OURS, V1 + after + OURS)


def test_what_follows_imports_stays_apart() -> None:
    before = V1 + "\nframework = tf.contrib.framework\nstep = framework.get_global_step()\n" + OURS
    assert migrated(before).startswith(V1 + "\nstep = tf.train.get_global_step()\n")


def test_modules_that_showed_names_of_the_core() -> None:
    before = (
        "import tensorflow as tf\n"
        "from tensorflow.contrib.learn.python.learn import monitored_session as ms\n"
        "h = tf.contrib.learn.python.learn.basic_session_run_hooks.StopAtStepHook(3)\n"
        "with ms.MonitoredSession(hooks=[h]) as s:\n  pass\n"
    )
    after = (
        "import tensorflow.compat.v1 as tf\n\ntf.disable_v2_behavior()\n\n"
        "h = tf.train.StopAtStepHook(3)\n"
        "with tf.train.MonitoredSession(hooks=[h]) as s:\n  pass\n"
    )
    check(before, after)


def test_a_name_is_not_read_part_by_part() -> None:
    """`tf.contrib.learn.python` alone stands for tf.contrib.learn."""
    check(
        "import tensorflow as tf\nf = tf.contrib.learn.python.learn.datasets.base.load_iris\n",
        "from tfmigrate_runtime import datasets\nf = datasets.base.load_iris\n",
    )


def test_modules_that_tensorflow_1_0_showed_in_the_package() -> None:
    before = (
        "import tensorflow as tf\n\n\ndef f():\n  return tf.contrib.rnn.core_rnn_cell.GRUCell(3)\n"
    )
    assert "return tf.nn.rnn_cell.GRUCell(3)" in migrated(before)


@pytest.mark.parametrize(
    ("line", "use", "name"),
    [
        ("", "tf.contrib.estimator.add_metrics", "add_metrics"),
        ("", "tf.contrib.tpu.TPUConfig", "tpu.TPUConfig"),
        ("", "tf.contrib.learn.ModeKeys.INFER", "ModeKeys.PREDICT"),
        ("from tensorflow.contrib.learn import ModeKeys\n", "ModeKeys.EVAL", "ModeKeys.EVAL"),
        ("from tensorflow.contrib import estimator as e\n", "e.add_metrics", "add_metrics"),
        (
            "from tensorflow.contrib.estimator.python.estimator.early_stopping import "
            "stop_if_no_decrease_hook as stop\n",
            "stop",
            "experimental.stop_if_no_decrease_hook",
        ),
    ],
)
def test_names_of_tf_estimator_where_it_stays(line: str, use: str, name: str) -> None:
    text = "import tensorflow as tf\n{}\n\ndef f(x):\n  return {}, tf.placeholder(x)\n"
    estimator = TARGETS["estimator"]
    after = migrated(text.format(line, use), target=estimator)
    assert after.endswith(f"\n\ndef f(x):\n  return tf.estimator.{name}, tf.placeholder(x)\n")
    assert "contrib" not in after


def test_modules_of_early_stopping_below_contrib() -> None:
    check(
        "from tensorflow.contrib.estimator.python.estimator import early_stopping\n"
        "h = early_stopping.stop_if_lower_hook(e, 'loss', 3)\n",
        "from tfmigrate_runtime import estimator\n"
        "h = estimator.experimental.stop_if_lower_hook(e, 'loss', 3)\n",
    )
