"""Event files: what evaluations wrote to them is read, and they are written by eager programs."""

import contextlib
from collections.abc import Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches


def let_eager_programs_write() -> None:
    """Lets programs make a FileWriter outside of graphs, as ``tf.train.ProfilerHook`` does.

    TensorFlow 2 refuses it there. A writer belongs to no graph but the one that it is given.
    """
    patches.wrap_once(tf.summary.FileWriter, "__init__", _made_in_a_graph)


def _made_in_a_graph(own: Any, *arguments: Any, **options: Any) -> None:
    with tf.Graph().as_default() if tf.executing_eagerly() else contextlib.nullcontext():
        own(*arguments, **options)


def scalars(pattern: str) -> Iterator[tuple[int, dict[str, float]]]:
    """Yields the scalar summaries of event files.

    Args:
        pattern: a glob pattern for event files; no match is not an error.

    Yields:
        The global step and the values by tag, one pair for each event with scalars; files in the
        order of their names, which begin with the time they were opened.
    """
    for path in sorted(tf.gfile.Glob(pattern)):
        for event in tf.train.summary_iterator(path):
            values = {
                value.tag: value.simple_value
                for value in event.summary.value
                if value.HasField("simple_value")
            }
            if values:
                yield event.step, values
