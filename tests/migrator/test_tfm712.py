"""TFM712: names that numpy has dropped."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from support import check_unchanged, found, migrated

from tfmigrate.tables.numpy_names import BUILT_IN, REMOVED, RENAMED

HEAD = "import numpy as np\nimport tensorflow as tf\np = tf.placeholder(tf.float32)\n"
BYTES = "import io\nr = open(p, 'rb').read()\n"


def _after(line: str) -> str:
    return migrated(HEAD + line + "\n").rpartition("float32)\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = y.astype(np.float)", "x = y.astype(float)"),
        ("x = np.zeros(3, dtype=np.int)", "x = np.zeros(3, dtype=int)"),
        ("x = [np.bool, np.object, np.str, np.long]", "x = [bool, object, str, int]"),
        ("x = -np.Inf", "x = -np.inf"),
        ("x = np.product(y.shape[1:])", "x = np.prod(y.shape[1:])"),
        ("x = np.float_(3)", "x = np.float64(3)"),
        ("y = np.ones(3)\nx = y[0].tostring()", "y = np.ones(3)\nx = y[0].tobytes()"),
        ("print(y.shape, y.tostring())", "print(y.shape, y.tobytes())"),
        (
            "def f(y):\n    y = g(y)\n    y = np.asarray(y)\n    return y.tostring()",
            "def f(y):\n    y = g(y)\n    y = np.asarray(y)\n    return y.tobytes()",
        ),
        (
            "y = np.ones(3)\ny = y / 2\nz = y\ny = z * 3\nx = y.tostring()",
            "y = np.ones(3)\ny = y / 2\nz = y\ny = z * 3\nx = y.tobytes()",
        ),
        (
            "x = np.load(f, encoding='latin1')",
            "x = np.load(f, encoding='latin1', allow_pickle=True)",
        ),
        ("x = np.load(f).item()", "x = np.load(f, allow_pickle=True).item()"),
        ("x = np.load(f)\nx = x[()]", "x = np.load(f, allow_pickle=True)\nx = x[()]"),
        ("x = np.asscalar(a + b)", "x = (a + b).item()"),
        ("x = np.asfarray(r)[:k]", "x = np.asarray(r, dtype=float)[:k]"),
        ("x = np.cast[np.int64]((r - 1) / 2)", "x = np.array((r - 1) / 2, dtype=np.int64)"),
        ("x = np.cast['int32'](r)[0]", "x = np.array(r, dtype='int32')[0]"),
        ("x = np.reshape(a, newshape=[2, -1])", "x = np.reshape(a, [2, -1])"),
        ("x = np.reshape(newshape=s, a=f(b), order='F')", "x = np.reshape(f(b), s, order='F')"),
        ("x = np.msort(a)", "x = np.sort(a, axis=0)"),
        ("x = np.fromstring(b'abcd', np.uint8)", "x = np.frombuffer(b'abcd', np.uint8).copy()"),
        (
            "for r in tf.python_io.tf_record_iterator(p):\n    x = np.fromstring(r, np.uint8)",
            "for r in tf.python_io.tf_record_iterator(p):\n"
            "    x = np.frombuffer(r, np.uint8).copy()",
        ),
        (
            "x = np.fromstring(e.bytes_list.value[0], dtype=np.float32, sep='')",
            "x = np.frombuffer(e.bytes_list.value[0], dtype=np.float32).copy()",
        ),
        (
            "x = np.fromstring(string=b'abcd', dtype=np.uint8)",
            "x = np.frombuffer(buffer=b'abcd', dtype=np.uint8).copy()",
        ),
        ("x = np.zeros(3, np.float).tostring()", "x = np.zeros(3, float).tobytes()"),
        (
            BYTES + "x = f(np.fromstring(\n    r,  # raw\n    dtype=np.uint8))[1:]",
            BYTES + "x = f(np.frombuffer(\n    r,  # raw\n    dtype=np.uint8).copy())[1:]",
        ),
    ],
)
def test_names_that_are_gone(before: str, after: str) -> None:
    assert _after(before) == after


@pytest.mark.parametrize(
    "line",
    [
        "x = np.float32(1) + np.int64(2) + np.inf",
        "x = np.fromstring('1 2', sep=' ')",
        "class Text:\n    def tostring(self):\n        return ''\nx = Text().tostring()",
        "from lxml import etree\nx = etree.tostring(y)",
        "import other\nx = other.tostring()",
        "x = y.np.float",
        "np.float = float",
        "def f(float):\n    return np.float",
        "import numpy as np\nx = np.load(f)['arr_0'], np.load(f).tolist()",
        "import numpy as np\nx = np.load(f, None, True, encoding='bytes').item()",
    ],
)
def test_other_names(line: str) -> None:
    assert line in migrated(f"{line}\n{HEAD}")


def test_other_ways_to_import_it_and_files_of_no_program() -> None:
    text = migrated("import numpy\nimport tensorflow as tf\nx = tf.Session(), numpy.float\n")
    assert "x = tf.Session(), float\n" in text
    text = migrated("import tensorflow as tf\nx = tf.Session().run(y).tostring()\n")
    assert "tf.Session().run(y).tobytes()" in text
    check_unchanged("import numpy as np\nx = np.float\n")
    check_unchanged("import numpy as np\nimport tensorflow as tf\nx = tf.function(f), np.float\n")


@pytest.mark.parametrize(
    "line",
    [
        "x = y.tostring()",
        "x = np.fromstring(*arguments)",
        "x = np.fromstring(raw, np.uint8)",
        "x = np.fromstring('abcd', np.uint8)",
        "x = np.fromstring(open(p).read(), np.uint8)",
        "x = np.fromstring(b'1', np.uint8, sep=separator)",
        "x = np.in1d(a, b)",
        "x = np.NINF",
        "from numpy import NaN\nx = NaN",
    ],
)
def test_what_it_cannot_know_is_reported(line: str) -> None:
    assert line in migrated(HEAD + line)
    (finding,) = [f for f in found(HEAD + line, "TFM712") if f.severity.value == "manual"]
    assert finding.action


def test_its_message_names_what_it_replaces() -> None:
    (finding,) = found(HEAD + "x = np.int, np.NaN, np.int", "TFM712")
    assert finding.message == "removed from NumPy: np.int, np.NaN -> replacements (3 places)"


def test_new_names_are_there() -> None:
    assert all(hasattr(np, name) for name in RENAMED.values())
    assert all(hasattr(builtins, name) for name in BUILT_IN.values())


def test_names_that_are_reported_are_gone() -> None:
    if np.lib.NumpyVersion(np.__version__) >= "2.4.0":
        assert not [name for name in REMOVED if hasattr(np, name)]


def test_names_of_numpy_lib() -> None:
    head = "import numpy as np\nfrom numpy.lib import pad\nimport tensorflow as tf\ntf.Session()\n"
    text = head + "x = np.lib.pad(np.lib.stride_tricks.as_strided(a), 1)\ny = pad(x, 1)\n"
    assert "x = np.pad(np.lib.stride_tricks.as_strided(a), 1)\n" in migrated(text)
    left = [f for f in found(text, "TFM712") if f.severity.value == "manual"]
    assert [f.message for f in left] == ["np.lib.pad was removed from NumPy"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.array([[1, 2], [3]])", "np.array([[1, 2], [3]], dtype=object)"),
        ("np.array([(a, b), [c]])", "np.array([(a, b), [c]], dtype=object)"),
        ("np.asarray([1, [2, 3]])", "np.asarray([1, [2, 3]], dtype=object)"),
        (
            "np.array([[[1]], [[2, 3]]], copy=True)",
            "np.array([[[1]], [[2, 3]]], copy=True, dtype=object)",
        ),
    ],
)
def test_arrays_of_ragged_lists(before: str, after: str) -> None:
    assert migrated(f"{HEAD}x = {before}\n").endswith(f"x = {after}\n")


@pytest.mark.parametrize(
    "code",
    [
        "np.array([[1, 2], [3, 4]])",
        "np.array([[1, 2], [3]], object)",
        "np.array([[1, 2], [3]], dtype=np.float32)",
        "np.array([[1, 2], [*x]])",
        "np.array([a, [1, 2]])",
        "np.array([1, 2])",
        "np.array(x)",
        "np.array([])",
    ],
)
def test_other_arrays_stay(code: str) -> None:
    assert migrated(f"{HEAD}x = {code}\n").endswith(f"x = {code}\n")
