"""The tensors that name classes in predictions and SavedModels."""

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.export import ClassificationOutput


def checked_vocabulary(vocabulary: Any, classes: int) -> list[str] | None:
    """Returns a label vocabulary as a list.

    Raises:
        TypeError: it is neither a list nor a tuple.
        ValueError: it has another number of labels than there are classes.
    """
    if vocabulary is None:
        return None
    if not isinstance(vocabulary, (list, tuple)):
        raise TypeError(f"label_vocabulary should be a list or tuple. Given: {type(vocabulary)}")
    if len(vocabulary) != classes:
        raise ValueError(
            f"Length of label_vocabulary must be n_classes: {classes}. Given: {len(vocabulary)}"
        )
    return list(vocabulary)


def class_names(vocabulary: Sequence[str] | None, classes: int) -> Any:
    """Returns a string tensor [classes]: the vocabulary, or numbers."""
    return tf.constant(vocabulary or [str(index) for index in range(classes)])


def class_predictions(
    logits: Any, scores: Any, vocabulary: Sequence[str] | None, classes: int
) -> dict[str, Any]:
    """Returns the predicted classes.

    Args:
        logits: float tensor [batch, ...].
        scores: float tensor [batch, classes]; the largest one is the class.
        vocabulary: the names of classes, None for numbers.
        classes: how many there are.
    """
    ids = tf.expand_dims(tf.argmax(scores, axis=-1), axis=-1)
    names = class_names(vocabulary, classes)
    rows = [tf.shape(logits)[0], 1]
    return {
        "class_ids": ids,
        "classes": tf.gather(names, ids),
        "all_class_ids": tf.tile(tf.expand_dims(tf.range(classes), axis=0), rows),
        "all_classes": tf.tile(tf.expand_dims(names, axis=0), rows),
    }


def classification_output(
    scores: Any, vocabulary: Sequence[str] | None, classes: int
) -> ClassificationOutput:
    """Returns the output of a "classify" signature: scores and names [batch, classes]."""
    names = tf.expand_dims(class_names(vocabulary, classes), axis=0)
    return ClassificationOutput(scores, tf.tile(names, [tf.shape(scores)[0], 1]))
