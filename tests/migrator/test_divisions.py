from __future__ import annotations

import ast

import pytest

from tfmigrate.py2.divisions import Kind, divisions, with_floor_divisions


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("1 / 2", Kind.INTEGER),
        ("len(x) / 4", Kind.INTEGER),
        ("(len(x) - 1) * 3 / -int(y)", Kind.INTEGER),
        ("a = 3\nb = a / 2", Kind.INTEGER),
        ("def f():\n    n = 10\n    return n / 2", Kind.INTEGER),
        ("x / 255.", Kind.FLOAT),
        ("1.0 * x / y", Kind.FLOAT),
        ("float(x) / y", Kind.FLOAT),
        ("import math\nx / math.sqrt(2)", Kind.FLOAT),
        ("from time import time\n(time() - start) / steps", Kind.FLOAT),
        ("RATE = 1e-3\nx / RATE", Kind.FLOAT),
        ("import numpy as np\nx * np.pi / 180", Kind.FLOAT),
        ("import numpy as np\nnp.float32(x) / n", Kind.FLOAT),
        ("x.astype('float32') * 2 / n", Kind.FLOAT),
        ("import numpy as np\nx.astype(np.float32) / 255", Kind.FLOAT),
        ("x.astype(float) / 255", Kind.FLOAT),
        ("import tensorflow as tf\ntf.cast(x, tf.float32) / tf.cast(y, tf.float32)", Kind.FLOAT),
        ("import tensorflow as tf\ntf.cast(x, dtype=tf.float32) / y", Kind.FLOAT),
        ("import tensorflow as tf\ntf.to_float(x) / y", Kind.FLOAT),
        ("import numpy as np\nnp.array(x, dtype=np.float32) / 255", Kind.FLOAT),
        ("import numpy as np\nnp.random.rand(3) / n", Kind.FLOAT),
        ("import numpy as np\n(batch_size * 1) / np.average(seconds)", Kind.FLOAT),
        ("import numpy as np\nnp.hanning(n)[:, None] / scale", Kind.FLOAT),
        ("import tensorflow as tf\ntf.cast(x, tf.int32) / y", Kind.UNKNOWN),
        ("import numpy as np\nnp.array(x, dtype=np.int32) / 255", Kind.UNKNOWN),
        ("make(dtype=float) / 255", Kind.UNKNOWN),
        ("x.astype('int32') / 255", Kind.UNKNOWN),
        ("x.astype(y) / 255", Kind.UNKNOWN),
        ("import numpy as np\nnp.abs(x) / 255", Kind.UNKNOWN),
        ("range(x / y)", Kind.INTEGER),
        ("z[-x / 2 :]", Kind.INTEGER),
        ("n = x / y\nfor i in range(1, n): print(n)", Kind.INTEGER),
        ("n = x / y\nrange(int(n))", Kind.UNKNOWN),
        ("n = x / y\nn = f(n)\nrange(n)", Kind.INTEGER),
        ("def f(n): n = x / y\nrange(n)", Kind.UNKNOWN),
        ("range(1.0 * x / y)", Kind.FLOAT),
        ("x / y", Kind.UNKNOWN),
        ("def f(n=2):\n    return 1 / n", Kind.UNKNOWN),
        ("a = 3\na = x\na / 2", Kind.UNKNOWN),
        ("a = 3\nfor a in x: a / 2", Kind.UNKNOWN),
        ("def len(x): return 2.\nlen(x) / 4", Kind.UNKNOWN),
        ("n = 6\nn /= 4", Kind.UNKNOWN),
        ("1 / 2 ** n", Kind.UNKNOWN),
        ("'a' / 2", Kind.UNKNOWN),
        ("x = x / 2\n", Kind.UNKNOWN),
    ],
)
def test_what_a_division_divides(code: str, kind: Kind) -> None:
    (found,) = divisions(ast.parse(code))
    assert found.kind is kind


def test_true_division_that_the_file_imports_is_left_alone() -> None:
    code = "'''doc'''\nfrom __future__ import absolute_import, division\nx = 1 / 2\n"
    assert divisions(ast.parse(code)) == []


def test_the_operators_of_integers_are_doubled_where_they_stand() -> None:
    code = "'\u00e9/'; x = (7 # a / b\r\n  ) / (2) / 3 + y / 2.\nlen(a)/ 2; 9 / z; 5 /2\n"
    found = divisions(ast.parse(code))
    new = with_floor_divisions(code, [d for d in found if d.kind is Kind.INTEGER])
    assert new == (
        "'\u00e9/'; x = (7 # a / b\r\n  ) // (2) // 3 + y / 2.\nlen(a)// 2; 9 / z; 5 //2\n"
    )
