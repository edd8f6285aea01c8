"""TFM726: metrics of eager programs keep the names that TensorFlow 1.x reported them by."""

from __future__ import annotations

import pytest
from support import found, migrated

CODE = "TFM726"
EAGER = """\
import tensorflow as tf
tf.enable_eager_execution()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
"""


@pytest.mark.parametrize(
    "text",
    [
        "model.compile('sgd', 'mse', metrics=['acc', 'mean_absolute_error', 'AUC'])",
        "model.compile('sgd', 'mse', metrics=[tf.keras.metrics.AUC()])",
        "model.compile('sgd', 'mse', metrics=None, weighted_metrics=[])",
        "model.compile('sgd', loss='mae')",
        "other.compile(metrics=['accuracy'])",
        "names = ['acc']\nmodel.compile('sgd', 'mse', metrics=names)",
    ],
)
def test_what_has_the_same_name_stays(text: str) -> None:
    assert found(f"{EAGER}{text}\n", CODE) == []


@pytest.mark.parametrize(
    "text",
    [
        # TFM701 switches these to graphs with TensorFlow 1.x behavior, where Keras 2 has the names.
        "import tensorflow as tf\nmodel = tf.keras.Sequential()\n",
        # Programs of compat.v1 and of TensorFlow 2 may have run there, with its names.
        EAGER.replace("import tensorflow as", "import tensorflow.compat.v1 as"),
        "import tensorflow as tf\nmodel = tf.keras.Sequential()\n@tf.function\ndef f(): pass\n",
    ],
)
def test_other_programs_stay(text: str) -> None:
    assert found(f"{text}model.compile('sgd', 'mse', metrics=['accuracy'])\n", CODE) == []


def test_names_are_written_as_they_were_reported() -> None:
    text = (
        "class Net(tf.keras.Model):\n  pass\n"
        'Net().compile("sgd", "mse", ["accuracy", MAE])\n'
        "model.compile('sgd', 'mse', metrics={'a': 'mse', 'b': ['MAE', tf.keras.metrics.AUC()]})\n"
    )
    new = migrated(EAGER + text)
    assert 'compile("sgd", "mse", ["acc", MAE])' in new
    assert "{'a': 'mean_squared_error', 'b': ['mean_absolute_error', " in new


def test_programs_with_estimators() -> None:
    text = (
        "import tensorflow as tf\nmodel = tf.keras.Sequential()\n"
        "model.compile('sgd', 'mse', metrics=['accuracy'])\n"
        "tf.estimator.LinearRegressor([])\ntf.global_variables()\n"
    )
    assert "metrics=['acc']" in migrated(text)


@pytest.mark.parametrize(
    "text",
    [
        "names = ['accuracy']\nmodel.compile('sgd', 'mse', metrics=names)",
        "model.compile('sgd', 'mse', weighted_metrics=['accuracy'])",
    ],
)
def test_what_is_left_is_reported(text: str) -> None:
    (finding,) = found(f"{EAGER}{text}\n", CODE)
    assert finding.severity.value == "manual"
