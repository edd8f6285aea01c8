"""TFM737: arrays of pairs whose lengths may differ."""

from __future__ import annotations

import pytest
from support import found, migrate_tree, migrated

from tfmigrate.scan.helper_files import has_removed_names

CODE = "TFM737"
PROGRAM = """\
import numpy as np
import tensorflow as tf

def batches(data, size):
  {body}

def main(x, y, op):
  with tf.Session() as sess:
    for batch in batches({given}, 8):
      sess.run(op, {{op: batch}})
"""


@pytest.mark.parametrize(
    ("body", "given"),
    [
        ("return np.array(data)", "x"),
        ("return np.array(data, dtype=object)", "list(zip(x, y))"),
        ("return np.array(size)", "list(zip(x, y))"),
        ("return mine.array(data)", "list(zip(x, y))"),
        ("zip = min\n  return np.array(zip(data, size))", "x"),
        ("return np.array([data])", "list(zip(x, y))"),
        ("return np.array_split(data, 3)", "x"),
        ("sets = {'a': size}\n  return np.array(sets['a'])", "list(zip(x, y))"),
        ("size = []\n  size = sorted(size)\n  return np.array(size)", "x"),
        ("size = sorted(data)\n  data = list(size)\n  return np.array(data)", "x"),
    ],
)
def test_other_arrays(body: str, given: str) -> None:
    assert not found(PROGRAM.format(body=body, given=given), CODE)


@pytest.mark.parametrize(
    ("body", "given"),
    [
        ("data = {}array(data)\n  return data[:size]", "list(zip(x, y))"),
        ("return {}asarray(data)", "list(zip(x, y))"),
        ("return {}array(list(zip(data, size)))", "x"),
        ("return {}array(sorted(zip(data, size)))", "x"),
        ("pairs = list(zip(data, size))\n  return {}array(pairs)", "x"),
        ("sets = {{'a': list(zip(data, size))}}\n  return {}array(sets['a'])", "x"),
    ],
)
def test_pairs(body: str, given: str) -> None:
    text = migrated(PROGRAM.format(body=body.format("np."), given=given))
    assert body.format("arrays.") in text
    assert "from tfmigrate_runtime import arrays\n" in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("np.array_split(data, 3)", "np.array_split(arrays.array(data), 3)"),
        ("np.random.permutation(data)[:size]", "np.random.permutation(arrays.array(data))[:size]"),
    ],
)
def test_functions_that_make_arrays(before: str, after: str) -> None:
    text = migrated(PROGRAM.format(body=f"return {before}", given="list(zip(x, y))"))
    assert f"return {after}\n" in text


READS = """\
import numpy as np
import tensorflow as tf

def batch_iter(data, size):
  data = np.array(data)
  yield data
"""
TRAINS = """\
import tensorflow as tf
import data_helpers

def main(x, y, op):
  with tf.Session() as sess:
    for batch in data_helpers.batch_iter(list(zip(x, y)), 8):
      sess.run(op, {op: batch})
"""


def test_called_from_another_file() -> None:
    texts, _ = migrate_tree({"train.py": TRAINS, "data_helpers.py": READS})
    assert "data = arrays.array(data)" in texts["data_helpers.py"]


def test_files_without_tensorflow_are_read() -> None:
    assert has_removed_names(b"import numpy as np\ndata = np.array(data)\n")
    assert not has_removed_names(b"import numpy as np\ndata = np.array([1, 2])\n")
