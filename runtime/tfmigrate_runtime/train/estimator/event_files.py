"""Reading back what evaluations wrote to their event files."""

from __future__ import annotations

from collections.abc import Iterator

import tensorflow.compat.v1 as tf


def scalars(pattern: str) -> Iterator[tuple[int, dict[str, float]]]:
    """Yields the scalar summaries of event files.

    Args:
        pattern: a glob pattern for event files; no match is no error.

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
