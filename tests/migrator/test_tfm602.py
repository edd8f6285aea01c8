"""TFM602: names of tf.estimator that the runtime does not have."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf.estimator.Estimator(f)\n",
        "import tensorflow as tf\ntf.estimator.export.PredictOutput(x)\n",
        "import tensorflow as tf\ntf.estimator.ModeKeys.TRAIN\n",
        "import tensorflow as tf\ntf.estimator.inputs.numpy_input_fn(x)\n",
        "import tensorflow as tf\n# tf.estimator.KMeans\nx = 'tf.estimator.KMeans'\n",
        "import other as tf\ntf.estimator.KMeans()\n",
        "from tensorflow.python.estimator.run_config import RunConfig\nRunConfig()\n",
        "from estimator import *\n",
        "from .estimator import *\n",
    ],
)
def test_nothing_to_report(text: str) -> None:
    assert not found(text, "TFM602")


@pytest.mark.parametrize(
    ("text", "line", "column", "name"),
    [
        (
            "import tensorflow as tf\nx = tf.estimator.KMeans()\n",
            2,
            5,
            "KMeans",
        ),
        (
            "from tensorflow.estimator import KMeans as D\nD()\n",
            2,
            1,
            "KMeans",
        ),
        (
            "import tensorflow as tf\ntf.estimator.export.FinalExporter()\n",
            2,
            1,
            "export.FinalExporter",
        ),
        (
            "import tensorflow as tf\ntf.compat.v1.estimator.BoostedTrees()\n",
            2,
            1,
            "BoostedTrees",
        ),
        ("from tensorflow.estimator import *\n", 1, 1, "import *"),
        ("from tensorflow_estimator.python.estimator import util\n", 1, 51, "private"),
        ("import tensorflow_estimator.python.estimator as e\n", 1, 8, "private"),
        ("from tensorflow.python.estimator.canned import metric_keys\n", 1, 48, "private"),
    ],
)
def test_reported_and_left(text: str, line: int, column: int, name: str) -> None:
    check_unchanged(text)
    check_unchanged(text, unsafe=True)
    (finding,) = found(text, "TFM602")
    assert (finding.line, finding.column, finding.applied) == (line, column, False)
    assert finding.severity.value == "manual"
    assert name in finding.message
    assert finding.action


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("EVAL", "TensorFlow 1.15 does not have it either"),
        ("BoostedTreesClassifier", "rewrite the model"),
    ],
)
def test_what_no_tensorflow_has_is_to_be_corrected(name: str, action: str) -> None:
    (finding,) = found(f"import tensorflow as tf\ntf.estimator.{name}\n", "TFM602")
    assert finding.action.startswith(action)


def test_import_that_is_never_used_is_reported() -> None:
    assert found("from tensorflow.estimator import KMeans\n", "TFM602")


def test_import_of_the_package_is_migrated_all_the_same() -> None:
    text = "from tensorflow import estimator\nestimator.KMeans()\n"
    assert migrated(text).startswith("from tfmigrate_runtime import estimator\n")
    assert [f.line for f in found(text, "TFM602")] == [2]


def test_does_not_hold_the_rest_of_the_file_back() -> None:
    text = "import tensorflow as tf\ntf.estimator.KMeans()\ntf.estimator.ModeKeys\n"
    assert "\nestimator.ModeKeys\n" in migrated(text)
