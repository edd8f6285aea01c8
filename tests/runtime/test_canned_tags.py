"""Ready-made models write summaries with the tags that those of TensorFlow 1.15 have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator

# Recorded with TensorFlow 1.15.5, of training and of evaluation.
TAGS = {
    "DNNLinearCombinedClassifier": (
        """
        average_loss dnn/dnn/hiddenlayer_0/activation
        dnn/dnn/hiddenlayer_0/fraction_of_zero_values dnn/dnn/logits/activation
        dnn/dnn/logits/fraction_of_zero_values linear/bias linear/fraction_of_zero_weights
        linear/linear/activation linear/linear/fraction_of_zero_values loss
        """,
        """
        accuracy accuracy_baseline auc auc_precision_recall average_loss checkpoint_path
        label/mean loss precision prediction/mean recall
        """,
    ),
    "LinearClassifier": (
        """
        average_loss linear/bias linear/fraction_of_zero_weights loss
        """,
        """
        accuracy accuracy_baseline auc auc_precision_recall average_loss checkpoint_path
        label/mean loss precision prediction/mean recall
        """,
    ),
    "DNNRegressor": (
        """
        average_loss dnn/dnn/hiddenlayer_0/activation
        dnn/dnn/hiddenlayer_0/fraction_of_zero_values dnn/dnn/logits/activation
        dnn/dnn/logits/fraction_of_zero_values loss
        """,
        """
        average_loss checkpoint_path label/mean loss prediction/mean
        """,
    ),
    "BaselineClassifier": (
        """
        average_loss loss
        """,
        """
        accuracy accuracy_baseline auc auc_precision_recall average_loss checkpoint_path
        label/mean loss precision prediction/mean recall
        """,
    ),
}


def _model(name: str, folder: str) -> Any:
    columns = [tf.feature_column.numeric_column("x", shape=(2,))]
    if name == "DNNLinearCombinedClassifier":
        return estimator.DNNLinearCombinedClassifier(
            folder,
            linear_feature_columns=columns,
            dnn_feature_columns=columns,
            dnn_hidden_units=[4],
        )
    if name == "DNNRegressor":
        return estimator.DNNRegressor([4], columns, folder, dropout=0.1, batch_norm=True)
    if name == "LinearClassifier":
        return estimator.LinearClassifier(columns, folder)
    return estimator.BaselineClassifier(folder)


def _tags(folder: Path) -> list[str]:
    events = [e for file in folder.glob("events*") for e in tf.train.summary_iterator(str(file))]
    return sorted({value.tag for event in events for value in event.summary.value})


_ALONE = ("DNNRegressor", "LinearClassifier")  # whose lines no other test of `make test` reaches


@pytest.mark.parametrize(
    "name",
    [
        "DNNLinearCombinedClassifier",
        *[n for n in TAGS if n in _ALONE],
        *(
            pytest.param(n, marks=pytest.mark.long)
            for n in TAGS
            if "Combined" not in n and n not in _ALONE
        ),
    ],
)
def test_tags(name: str, tmp_path: Path) -> None:
    rows = np.random.RandomState(0).rand(8, 2).astype(np.float32)
    labels = rows[:, :1] if name == "DNNRegressor" else (rows[:, 0] > 0.5).astype(np.int64)

    def batches() -> Any:
        return tf.data.Dataset.from_tensor_slices(({"x": rows}, labels)).batch(4).repeat()

    model = _model(name, str(tmp_path))
    model.train(batches, steps=2)
    model.evaluate(batches, steps=1)

    of_training, of_evaluation = TAGS[name]
    assert _tags(tmp_path) == sorted(of_training.split())
    assert _tags(tmp_path / "eval") == sorted(of_evaluation.split())
