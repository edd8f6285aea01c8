"""Conditions on versions, evaluated for TensorFlow 2.16 to 2.21."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import check_unchanged, findings, run, source

from tfmigrate.resolve.guards import is_dead, is_guarded
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.versions import truth

HEAD = """\
import sys
import six
import tensorflow as tf
from distutils.version import LooseVersion
from packaging import version

def later_than(number):
    return LooseVersion(tf.__version__) >= LooseVersion(number)

def is_tf2():
    if tf.__version__.startswith('2'):
        return True
    return False

def older(a, b):
    '''Compares two versions.'''
    a, b = a.split('.'), b.split('.')
    return int(a[0]) < int(b[0])

major, minor = tf.__version__.split('.')[:2]
NUMBERS = [int(part) for part in tf.VERSION.split('.')]
"""


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("later_than('1.8.0')", True),
        ("not later_than('2.0')", False),
        ("is_tf2()", True),
        ("older(tf.__version__, '2.0.0')", False),
        ("tf.__version__ < '1.5'", False),
        ("tf.version.VERSION.startswith('2.')", True),
        ("int(major) < 2", False),
        ("NUMBERS[0] == 1", False),
        ("tuple(map(int, tf.__version__.split('.')[:2])) >= (1, 13)", True),
        ("float(tf.__version__[:3]) < 1.4", False),
        ("version.parse(tf.__version__).major >= 2", True),
        ("version.parse('1.13') <= version.parse(tf.__version__) < version.parse('3')", True),
        ("flag and tf.__version__.startswith('1.')", False),
        ("flag or later_than('1.0')", True),
        ("hasattr(tf, 'contrib')", False),
        ("hasattr(tf.nn, 'relu')", True),
        ("getattr(tf, 'contrib', None) is None", True),
        ("sys.version_info[0] < 3", False),
        ("six.PY3", True),
        # Not the same on all versions, or unknown.
        ("sys.version_info >= (3, 12)", None),
        ("later_than('2.18')", None),
        ("hasattr(tf, 'Session')", None),
        ("flag and later_than('1.0')", None),
        ("tf.executing_eagerly()", None),
        ("unknown(tf.__version__)", None),
    ],
)
def test_truth_of_a_condition(test: str, expected: bool | None) -> None:
    text = f"{HEAD}if {test}:\n    tf.first()\nelse:\n    tf.second()\n"
    module = Module(source(Path("/nowhere/program.py"), text))
    condition = module.tree.body[-1]
    assert isinstance(condition, ast.If)
    assert truth(module, condition.test) is expected
    first, second = condition.body[0], condition.orelse[0]
    if expected is not None:
        assert (is_guarded(module, first), is_dead(module, first)) == (not expected,) * 2
        assert (is_guarded(module, second), is_dead(module, second)) == (expected,) * 2


@pytest.mark.parametrize(
    "text",
    [
        "if hasattr(tf, 'contrib'):\n  f = tf.contrib.layers.flatten\nelse:\n  f = None\n",
        "try:\n  f = tf.contrib.layers.flatten\nexcept AttributeError:\n  f = None\n",
        "if tf.__version__ < '2':\n  from tensorflow.contrib import gan\n",
        "if tf.__version__ < '2':\n  tf.contrib.gan.x()\n  tf.Session()\n",
    ],
)
def test_nothing_is_said_of_what_tensorflow_2_does_not_reach(text: str) -> None:
    text = "import tensorflow as tf\n" + text
    check_unchanged(text)
    assert findings(text) == []


def test_dead_code_stays_in_a_file_of_tensorflow_1() -> None:
    dead = "if hasattr(tf, 'contrib'):\n  f = tf.contrib.layers.flatten\n"
    result = run("import tensorflow as tf\ntf.Session()\n" + dead)
    assert dead in result.texts[Path("/nowhere/program.py")]
    assert [f.code for f in result.findings] == ["TFM701"]
