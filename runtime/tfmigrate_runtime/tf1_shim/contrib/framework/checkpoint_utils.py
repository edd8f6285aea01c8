"""What tf.contrib.framework had for checkpoints, with the arguments that it had there."""

from typing import Any

import tensorflow.compat.v1 as tf


def init_from_checkpoint(checkpoint_dir: str, assignment_map: Any) -> None:
    """Is tf.train.init_from_checkpoint, with the names that its arguments had here."""
    tf.train.init_from_checkpoint(checkpoint_dir, assignment_map)


def list_variables(checkpoint_dir: str) -> list[tuple[str, list[int]]]:
    """Is tf.train.list_variables: names and shapes of a checkpoint's variables."""
    variables: list[tuple[str, list[int]]] = tf.train.list_variables(checkpoint_dir)
    return variables


def load_checkpoint(filepattern: str) -> Any:
    """Is tf.train.load_checkpoint: a reader of a checkpoint."""
    return tf.train.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: str, name: str) -> Any:
    """Is tf.train.load_variable: a variable of a checkpoint, as an array."""
    return tf.train.load_variable(checkpoint_dir, name)
