"""Continuation lines stay below what they were aligned with."""

from __future__ import annotations

import pytest
from support import check

from tfmigrate.rewrite.realign import realigned


def test_arguments_below_the_first_one_of_a_call_that_gets_shorter() -> None:
    check(
        """\
        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow as tf
        x = tf.contrib.rnn.static_rnn(cell, inputs,
                                      # the type
                                      dtype=tf.float32,
                                      scope=name(1,
                                                 2))
        y = 1
        """,
        """\
        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow.compat.v1 as tf
        x = tf.nn.static_rnn(cell, inputs,
                             # the type
                             dtype=tf.float32,
                             scope=name(1,
                                        2))
        y = 1
        """,
    )


SAME = [
    ("aa(\n    b,\n    c)", "a(\n    b,\n    c)"),  # a hanging indentation
    ("aa(b,\n    c)", "a(b,\n    c)"),  # below no argument
    ("x = 1 + \\\n    2", "xx = 1 + \\\n    2"),
    ("aa('''b\n   c''')", "a('''b\n   c''')"),
    ("aa(b)\n   # comment", "a(b)\n   # comment"),
    ("aa(b,\n\tc)", "a(b,\n\tc)"),
    ("aa(b(c,\n     d))", "a(c, e,\n     d)"),
    ("if x:\n  y = 1 + \\\n\t2", "y = 1 + \\\n\t2"),
    ("if x:\n  y = 'a\\\n  b'", "y = 'a\\\n  b'"),
    ("if x:\n  yy = 1 + \\\n    2", "if x:\n  y = 1 + \\\n    2"),
]
MOVED = [
    ("aa(b,\n   c)", "a(b,\n   c)", "a(b,\n  c)"),
    ("a(b,\n  c)", "aaa(b,\n  c)", "aaa(b,\n    c)"),
    ("aa(b,\n   c)", "a(b,\n   c,\n   d)", "a(b,\n  c,\n  d)"),
    ("aa([b,\n    c],\n   d)", "a([b,\n    c],\n   d)", "a([b,\n   c],\n  d)"),
    ("aa(b,\n   'c'\n   'd'\n   )", "a(b,\n   'c'\n   'd'\n   )", "a(b,\n  'c'\n  'd'\n  )"),
    ("aa(b\n  )", "a(b\n  )", "a(b\n )"),
    ("aa({b:\n    '''c\n    d'''})", "a({b:\n    '''c\n    d'''})", "a({b:\n   '''c\n    d'''})"),
    ("aa(b,  # (\n   c)", "a(b,  # (\n   c)", "a(b,  # (\n  c)"),
    ("if aa(b,\n      c):\n  d", "if a(b,\n      c):\n  d", "if a(b,\n     c):\n  d"),
    (
        "with aa(b(c,\n          d)):\n  e",
        "f = bbb(c,\n          d)\ne",
        "f = bbb(c,\n        d)\ne",
    ),
    ("if x:\n  y = 1 + \\\n      2", "y = 1 + \\\n      2", "y = 1 + \\\n    2"),
    ("if x:\n  y(1, \\\n    2,\n    3)", "y(1, \\\n    2,\n  3)", "y(1, \\\n  2,\n  3)"),
    (
        "if x:\n  y = 1 + \\\n      2 + \\\n      3",
        "y = 1 + \\\n      2 + \\\n      3",
        "y = 1 + \\\n    2 + \\\n    3",
    ),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_what_was_not_aligned_stays(old: str, new: str) -> None:
    assert realigned(old, new) == new


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("old", "new", "wanted"), MOVED)
def test_what_was_aligned_is_aligned(old: str, new: str, wanted: str, newline: str) -> None:
    old, new, wanted = (text.replace("\n", newline) for text in (old, new, wanted))
    assert realigned(old, new) == wanted


def test_an_untouched_text_is_untouched() -> None:
    text = "a(b,\n     c)\n"
    assert realigned(text, text) == text
