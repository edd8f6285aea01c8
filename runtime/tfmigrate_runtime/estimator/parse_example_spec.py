"""Specs for ``tf.io.parse_example``, from features, labels and weights."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf


def classifier_parse_example_spec(
    feature_columns: Sequence[Any],
    label_key: str,
    label_dtype: Any = tf.int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> dict[str, Any]:
    """Returns the spec of a classifier's records (``tf.estimator.classifier_parse_example_spec``).

    Args:
        feature_columns: the features, of ``tf.feature_column``.
        label_key: the name of the label, a single value.
        label_dtype: its type: int64 for class numbers, string for names.
        label_default: the label of records without one, None for an error there.
        weight_column: the name or the numeric column of the records' weights, None for none.

    Raises:
        ValueError: the label or the weight is a feature too, or the weight is not a numeric column.
    """
    label = tf.FixedLenFeature((1,), label_dtype, label_default)
    return _with_label_and_weight(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Sequence[Any],
    label_key: str,
    label_dtype: Any = tf.float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """Returns the spec of a regressor's records (``tf.estimator.regressor_parse_example_spec``).

    Args:
        feature_columns: the features, of ``tf.feature_column``.
        label_key: the name of the label, ``label_dimension`` values.
        label_dtype: its type.
        label_default: the label of records without one, None for an error there.
        label_dimension: how many values a label has.
        weight_column: the name or the numeric column of the records' weights, None for none.

    Raises:
        ValueError: as for a classifier.
    """
    label = tf.FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label_and_weight(feature_columns, label_key, label, weight_column)


def _with_label_and_weight(
    feature_columns: Sequence[Any], label_key: str, label: Any, weight_column: Any
) -> dict[str, Any]:
    spec: dict[str, Any] = tf.feature_column.make_parse_example_spec(list(feature_columns))
    if label_key in spec:
        raise ValueError(
            f"label should not be used as feature. label_key: {label_key}, features: {sorted(spec)}"
        )
    spec[label_key] = label
    if weight_column is None:
        return spec
    if isinstance(weight_column, str):
        weight_column = tf.feature_column.numeric_column(weight_column)
    if not isinstance(weight_column, type(tf.feature_column.numeric_column("any"))):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. Given type: "
            f"{type(weight_column)} value: {weight_column}"
        )
    if weight_column.key in spec:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {weight_column.key}, "
            f"features: {sorted(spec)}"
        )
    spec.update(weight_column.parse_example_spec)
    return spec
