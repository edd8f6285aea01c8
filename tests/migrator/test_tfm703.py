"""TFM703: names of tf.contrib that the core has."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrated

OURS = "from tfmigrate_runtime.estimator import Estimator\nEstimator(f)\n"
V1 = "import tensorflow.compat.v1 as tf\n"


@pytest.mark.parametrize(
    "text",
    [
        V1 + "tf.train.get_global_step()\n" + OURS,
        V1 + "tf.contrib.framework.list_variables(d)\n" + OURS,
        # tf.metrics takes labels before predictions.
        V1 + "tf.contrib.metrics.streaming_accuracy(p, l)\n" + OURS,
        V1 + "tf.contrib.metrics.streaming_accuracy(p, labels=l)\n" + OURS,
        V1 + "tf.contrib.metrics.streaming_accuracy(**arguments)\n" + OURS,
        V1 + "f(tf.contrib.metrics.streaming_accuracy)\n" + OURS,
        V1 + "tf.contrib.metrics.streaming_covariance(predictions=p, labels=l)\n" + OURS,
        # Nothing else of it is migrated.
        V1 + "tf.contrib.framework.get_global_step()\n",
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            V1 + "tf.contrib.framework.get_or_create_global_step()\n",
            V1 + "tf.train.get_or_create_global_step()\n",
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
    check(before + OURS, after + OURS)


def test_imports_that_serve_others_stay() -> None:
    text = (
        V1 + "from tensorflow.contrib import framework\n"
        "framework.get_global_step()\nframework.list_variables(d)\n" + OURS
    )
    assert "from tensorflow.contrib import framework\ntf.train.get_global_step()\n" in migrated(
        text
    )
    assert len(found(text, "TFM702")) == 1


def test_each_use_of_a_metric_is_told_or_migrated() -> None:
    text = (
        V1 + "tf.contrib.metrics.streaming_auc(predictions=p, labels=l)\n"
        "tf.contrib.metrics.streaming_auc(p, l)\n" + OURS
    )
    (finding,) = found(text, "TFM702")
    assert finding.line == 3
