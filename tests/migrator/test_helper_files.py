"""Modules of a program that do not name TensorFlow, and Python 2 in files that Python 3 parses."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import check_unchanged, findings, found, migrated
from test_cli import put, tfmigrate

MAIN = "import helper\nimport tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
HEAD = "import tensorflow as tf\np = tf.placeholder(tf.float32)\n"


def _run(folder: Path, files: dict[str, str], *options: str) -> str:
    for name, text in files.items():
        put(folder / name, text)
    done = tfmigrate(".", "--no-cache", *options, folder=folder)
    return done.stdout + done.stderr


def test_modules_that_a_program_imports_are_part_of_it(tmp_path: Path) -> None:
    files = {
        "main.py": MAIN,
        "helper.py": "import numpy as np\nimport deeper\nx = np.int(3)\n",
        "deeper.py": "from collections import Mapping\nfrom scipy import misc\nmisc.imread('a')\n",
        "elsewhere.py": "import numpy as np\nx = np.int(3)\nimport time\ntime.clock()\n",
    }
    shown = _run(tmp_path, files)

    assert (tmp_path / "helper.py").read_text().endswith("x = int(3)\n")
    assert (tmp_path / "deeper.py").read_text().startswith("from collections.abc import Mapping\n")
    assert "deeper.py:3:1  TFM721  manual   scipy.misc.imread is not in current SciPy" in shown
    assert (tmp_path / "elsewhere.py").read_text() == files["elsewhere.py"]
    assert "elsewhere" not in shown


@pytest.mark.parametrize(
    "loads",
    [
        "for n in ['helper']: __import__(n, globals(), locals(), level=1)\n",
        "import importlib\nimportlib.import_module('.' + NAME, __name__)\n",
        "import pkgutil\nfor m in pkgutil.iter_modules(__path__): load(m)\n",
    ],
)
def test_modules_that_a_package_loads_by_names_are_part_of_it(tmp_path: Path, loads: str) -> None:
    main = MAIN.replace("import helper", "import package")
    helper = "import numpy as np\nx = np.int(3)\n"
    files = {"main.py": main, "package/__init__.py": loads, "package/helper.py": helper}
    files["other/__init__.py"] = "__import__('os')\n"
    files["other/helper.py"] = helper
    files["second.py"] = MAIN.replace("import helper", "import other")
    _run(tmp_path, files)
    assert (tmp_path / "package/helper.py").read_text().endswith("x = int(3)\n")
    assert (tmp_path / "other/helper.py").read_text() == helper


def test_modules_that_name_tensorflow_in_a_text_only_are_part_of_it(tmp_path: Path) -> None:
    about = '"""See github.com/tensorflow/models."""\n'
    files = {
        "main.py": MAIN,
        "helper.py": about + "x = [i for i in xrange(3)]\n",
        "model.py": "import tensorflow as tf\ndef f():\n  return tf.placeholder(tf.float32)\n",
        "start.py": about + "import model\nif __name__ == '__main__':\n  model.f()\n",
    }
    shown = _run(tmp_path, files)

    assert "helper.py:2:17  TFM719  manual   only Python 2 has xrange" in shown
    assert "disable_v2_behavior" in (tmp_path / "start.py").read_text()


def test_modules_in_python_2_are_reported_and_converted(tmp_path: Path) -> None:
    files = {"main.py": MAIN, "helper.py": "print 'loaded'\n"}

    assert "helper.py:1:1  TFM900" in _run(tmp_path, files)
    _run(tmp_path, files, "--py2")
    assert (tmp_path / "helper.py").read_text() == "print('loaded')\n"


@pytest.mark.parametrize(
    "line",
    [
        "x = xrange(3)",
        "x = {}.iteritems()",
        "x = d.has_key('a')",
        "x = reduce(f, y)",
        "x = file('a')",
        "x = unicode(y)",
        "x = raw_input()",
    ],
)
def test_python_2_that_parses(line: str) -> None:
    (finding,) = found(HEAD + line + "\n", "TFM719")
    assert (finding.line, finding.action) == (3, "convert the file with --py2")
    after = migrated(HEAD + line + "\n", py2=True)
    assert after.count("functools import reduce") == line.count("reduce")
    assert found(after, "TFM719") == []


@pytest.mark.parametrize(
    "lines",
    [
        "from six.moves import xrange\nx = xrange(3)",
        "import six\nx = six.iteritems(y)",
        "try:\n  unicode\nexcept NameError:\n  unicode = str",
        "import sys\nif sys.version_info[0] < 3:\n  x = unicode(y)",
        "class Own:\n  def has_key(self, key):\n    return True\nOwn().has_key(1)",
        "from functools import reduce\nx = reduce(f, y)",
        "from helpers import *\nx = xrange(3)",
    ],
)
def test_what_python_3_has(lines: str) -> None:
    assert found(f"{HEAD}{lines}\n", "TFM719") == []


def test_what_python_cannot_compile_is_not_migrated() -> None:
    text = f"'one'\n'two'\nfrom __future__ import print_function\n{HEAD}"

    check_unchanged(text)
    assert findings(text) == [("TFM900", 3)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from sklearn.externals import joblib", "import joblib"),
        ("import xml.etree.cElementTree as ET", "import xml.etree.ElementTree as ET"),
        ("from PIL import Image\nx = Image.ANTIALIAS", "from PIL import Image\nx = Image.LANCZOS"),
    ],
)
def test_names_of_other_packages(before: str, after: str) -> None:
    assert migrated(f"{before}\n{HEAD}").startswith(after)
    assert [f for f in findings(f"{before}\n{HEAD}") if f[0] == "TFM721"] == []


@pytest.mark.parametrize(
    "line",
    [
        "from sklearn.cross_validation import train_test_split",
        "import scipy.misc\nscipy.misc.imsave('a', p)",
        "from distutils.version import LooseVersion",
        "import cgi",
    ],
)
def test_names_of_other_packages_that_are_reported(line: str) -> None:
    assert [f.severity.value for f in found(f"{HEAD}{line}\n", "TFM721")] == ["manual"]


def test_methods_of_test_cases() -> None:
    after = migrated(
        f"{HEAD}class A(tf.test.TestCase):\n  def test(self):\n    self.assertEquals(1, 1)\n"
    )
    assert "self.assertEqual(1, 1)" in after
    check_unchanged("class A(B):\n  def test(self):\n    self.assertEquals(1, 1)\n")


@pytest.mark.parametrize(
    "added",
    [
        "sys.path.insert(0, 'lib/deep')",
        "sys.path.append(os.path.join(ROOT, 'lib', 'deep'))",
        "sys.path.append('./../lib/deep')",
        "sys.path.extend(['nowhere', 'lib/deep'])",
    ],
)
def test_helpers_in_folders_that_a_file_adds_to_the_path(added: str, tmp_path: Path) -> None:
    files = {
        "train/main.py": f"import os, sys\n{added}\nimport own\n{HEAD}own.f(p)\n",
        "lib/deep/own.py": "import numpy as np\n\n\ndef f(x):\n  return np.Inf\n",
        "lib/deep/other.py": "import numpy as np\nnp.Inf\n",
    }
    _run(tmp_path, files)
    assert "np.inf" in (tmp_path / "lib/deep/own.py").read_text()
    assert "np.Inf" in (tmp_path / "lib/deep/other.py").read_text()


def test_scripts_that_cannot_be_parsed_are_named_for_what_they_start(tmp_path: Path) -> None:
    model = "import tensorflow as tf\n\n\ndef f():\n  return tf.placeholder(tf.float32)\n"
    files = {"main.py": "import model\nprint 'start'\nmodel.f()\n", "model.py": model}
    shown = _run(tmp_path, files)
    assert "cannot parse main.py, which may start model.py: convert to Python 3" in shown
    assert "found no script" not in shown
    assert "found no script" not in _run(tmp_path, files, "--py2")
    put(tmp_path / "model.py", model)
    assert "found no script that runs model.py" in _run(tmp_path, {"main.py": "print 'start'\n"})
