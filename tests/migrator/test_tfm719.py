"""TFM719: what Python 3 lacks of Python 2, in files that it can parse."""

from __future__ import annotations

import pytest
from support import found


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("x = cmp(1, 2)", "cmp"),
        ("x = apply(f, [1])", "apply"),
        ("x = intern('a')", "intern"),
        ("x = map(int, [1])[0]", "map()[...]"),
        ("x = zip([1], [2])[-1][0]", "zip()[...]"),
        ("x = filter(None, y)[:2]", "filter()[...]"),
        ("x = range(3) + [1]", "range() + ..."),
        ("x = [0] + range(3)", "range() + ..."),
        ("x = map(int, y) + y", "map() + ..."),
        ("x = y[: len(y) / 2]", "`/` of integers"),
        ("x = y[a / 2 :, 0]", "`/` of integers"),
        ("for i in range(len(y) / 2): pass", "`/` of integers"),
    ],
)
def test_lists_and_quotients(line: str, name: str) -> None:
    (finding,) = found(f"import tensorflow as tf\ntf.placeholder(tf.float32)\n{line}\n", "TFM719")
    assert finding.line == 3
    assert finding.message == f"only Python 2 has {name}"


@pytest.mark.parametrize(
    "line",
    [
        "x = list(map(int, [1]))[0]",
        "x = range(3)[1]",
        "x = range(3) + numpy.ones(3)",
        "x = y[: len(y) // 2]",
        "x = y[a / b]",
        "x = len(y) / 2",
        "def f(map): return map(1)[0]",
        "from __future__ import division\nx = y[: len(y) / 2]",
        "from functools import reduce, cmp_to_key as cmp\nreduce(cmp, y)",
    ],
)
def test_no_lists_and_quotients(line: str) -> None:
    assert not found(f"{line}\nimport tensorflow as tf\ntf.placeholder(tf.float32)\n", "TFM719")
