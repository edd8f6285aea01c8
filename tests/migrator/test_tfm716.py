"""TFM716: arrays of one element that are used as numbers."""

from __future__ import annotations

import pytest
from support import check_unchanged, migrated

HEAD = """\
import tensorflow as tf
one = tf.get_variable('one', [1], tf.float32)
kept = tf.Variable(tf.zeros([1, 1]))
listed = tf.Variable([.3], dtype=tf.float32)
constant = tf.Variable(tf.constant(0.1, shape=(1,)))
scalar = tf.Variable(0.0)
several = tf.Variable(tf.zeros([2]))
session = tf.Session()
"""


def _after(lines: str) -> str:
    return migrated(HEAD + lines + "\n").rpartition("tf.Session()\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("w = session.run(one)\nprint('%f' % w)", "w = session.run(one)\nprint('%f' % w.item())"),
        (
            "w, s = session.run([kept, scalar])\nx = '%s %.2f %d%%' % (w, w, s)",
            "w, s = session.run([kept, scalar])\nx = '%s %.2f %d%%' % (w, w.item(), s)",
        ),
        ("w = session.run(listed)\nx = float(w)", "w = session.run(listed)\nx = float(w.item())"),
        ("w = session.run(fetches=constant)\nx = int(w)",
         "w = session.run(fetches=constant)\nx = int(w.item())"),
    ],
)  # fmt: skip
def test_variables_of_one_element(before: str, after: str) -> None:
    assert _after(before) == after


@pytest.mark.parametrize(
    "lines",
    [
        "w = session.run(scalar)\nx = '%f' % w",
        "w = session.run(several)\nx = '%s' % w",
        "w = session.run([one])\nx = '%f' % w",
        "w = session.run(one)\nw = 3.0\nx = float(w)",
        "w = session.run(one)\nx = '%s' % w",
        "w = session.run(one)\nx = '%*f' % (4, w)",
        "w = session.run(one)\nx = '%(w)f' % {'w': w}",
        "def float(x):\n    return x\nw = session.run(one)\nx = float(w)",
        "def show(w):\n    return '%f' % w",
        "w, *more = session.run([one, one])\nx = 3 % w",
    ],
)
def test_other_values(lines: str) -> None:
    assert _after(lines) == lines


def test_the_code_of_no_program_stays() -> None:
    check_unchanged("one = [1]\nw = session.run(one)\nprint('%f' % w)\n")
