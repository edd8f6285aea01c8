"""Which files are parsed: never one too few."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfmigrate.rulekit.registry import Example, rules
from tfmigrate.scan.imports_of_bytes import imported
from tfmigrate.scan.prefilter import Concern, concern

FIXTURES = Path(__file__).parents[2] / "fixtures"
ORIGINALS = sorted(FIXTURES.glob("*/*/original.py"))
EXAMPLES = [
    (rule.code, example)
    for rule in rules()
    for example in rule.examples
    if "tensorflow" in example.before
]


@pytest.mark.parametrize("path", ORIGINALS, ids=lambda path: path.parent.name)
def test_originals_of_fixtures_are_parsed(path: Path) -> None:
    assert concern(path.read_bytes()) is Concern.OWN


@pytest.mark.parametrize(("code", "example"), EXAMPLES)
def test_examples_of_rules_are_parsed(code: str, example: Example) -> None:
    assert concern(example.before.encode()) is Concern.OWN, code


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow",
        "import os, tensorflow as tf",
        "import \\\n  tensorflow as tf",
        "import os, \\\n  tensorflow as tf",
        "if True: import tensorflow as tf",
        "x = 1; import tensorflow as tf",
        "from tensorflow import train",
        "from tensorflow.contrib import learn",
        "from tensorflow.contrib.learn import *",
        "import tensorflow.python.framework.ops",  # binds tensorflow
        "import tensorflow_core as tf",
        "\ufeffimport tensorflow as tf",
        "from tensorflow import *",
        "from tensorflow.python.framework import common_shapes\ncommon_shapes.no_outputs",
        "from tensorflow.python.framework import common_shapes as c\nd = c\nd.no_outputs",
        "from tensorflow.python.framework.common_shapes import (\n  no_outputs)",
        "from tensorflow.python.estimator import estimator\nestimator.Estimator",
        "from tensorflow.python.estimator.estimator import Estimator",
        "from tensorflow.python.training import device_setter\ndevice_setter.replica_device_setter",
        "'tensorflow'\nstrategy.experimental_run_v2(step)",
        "'tensorflow'\nclass TowerOptimizer: pass",
        "import tflearn",
        "from tensor2tensor.utils import registry",
    ],
)
def test_what_may_concern_a_rule(text: str) -> None:
    assert concern(text.encode() + b"\n") is Concern.OWN
    assert concern(text.encode().replace(b"\n", b"\r\n")) is Concern.OWN


@pytest.mark.parametrize(
    "text",
    [
        "import torch",
        "# tensorflow",
        "def f():\n  '''Like tensorflow.train, import it.'''",
        'def f():\n  """Example:\n\n  import tensorflow as tf\n  """',
        "from tensorflow.python.ops import array_ops\narray_ops.concat",
        "from tensorflow.core.framework import graph_pb2",
        "import tensorflow.python.framework.dtypes as dtypes",
        "from tensorflow.python.ops.array_ops import *",
        "from tensorflow.python.framework import ops\nops.convert_to_tensor",
        "'no_outputs'\nfrom tensorflow.python.framework import common_shapes",
        "tensorflow_like = 1",
        "from compat import tensorflow",  # some other package's
        "# as in tflearn\nimport numpy",
        "import sonnet",  # its second version is for TensorFlow 2
    ],
)
def test_what_concerns_no_rule(text: str) -> None:
    assert concern(text.encode() + b"\n") is Concern.NONE


def test_what_concerns_a_rule_in_some_programs_only() -> None:
    text = b"from tensorflow.python.platform import flags\nflags.DEFINE_string('v', '', '')\n"
    assert concern(text) is Concern.BESIDE


def test_of_notebooks_only_the_name_is_asked() -> None:
    assert (
        concern(b'{"cells": [{"source": ["import tensorflow as tf\\n"]}]}', notebook=True)
        is Concern.OWN
    )
    assert concern(b'{"cells": []}', notebook=True) is Concern.NONE


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b, c as d", ["a.b", "c"]),
        ("from . import x", [".x"]),
        ("from ..p.q import (x as y,  # because\n  z,\n)", ["..p.q.x", "..p.q.z"]),
        ("from.a import*", [".a.*"]),
        ("from . a import b", [".a.b"]),
        ("try: import a\nexcept E: import b;import c", ["a", "b", "c"]),
        ("import a # import b\nx = 'import c'\n", ["a"]),
        ("'''\nimport a\n'''\nimport b", ["b"]),
        ("r'\\'\nimport a", ["a"]),
        ("from a \\\n  import \\\n  b", ["a.b"]),
        ("import a\rimport b\r\nimport c\n", ["a", "b", "c"]),
        ("x = important\nfrom_a = importer\n", []),
        ("yield from imports", []),
        ('"""not closed\nimport a', []),
        ("import caf\u00e9 as x", ["caf\u00e9"]),
        ("from caf\u00e9.b import c", ["caf\u00e9.b.c"]),
        ("\ufeffimport a", ["a"]),
        ("x = f'{y['z']}'; import a", ["a"]),
    ],
)
def test_imports_are_found_without_parsing(text: str, names: list[str]) -> None:
    found = imported(text.encode())
    assert ["." * clause.level + ".".join(clause.parts) for clause in found] == names


def test_what_an_import_binds() -> None:
    found = imported(b"import a.b\nimport a.b as c\nfrom a import d, e as f\n")
    assert [(clause.bound, clause.plain) for clause in found] == [
        ("a", True),
        ("c", True),
        ("d", False),
        ("f", False),
    ]
