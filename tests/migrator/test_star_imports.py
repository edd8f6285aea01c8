"""Names that a file takes from the program's own modules by ``import *``."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import migrate_tree
from test_cli import put, tfmigrate
from test_doctor import interpreter

COMMON = "import numpy as np\nimport tensorflow as tf\nfrom tensorflow.contrib import layers\n"
MAIN = """
    from common import *

    def model_fn(features, labels, mode):
      logits = layers.fully_connected(tf.mul(features, 2), np.int(3))
      step = tf.contrib.framework.get_or_create_global_step()
      optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
      loss = tf.reduce_mean(logits)
      train_op = optimizer.minimize(loss, global_step=step)
      return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    model = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))
    """


def _migrated(files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Returns the new texts of files, and the codes of what is left."""
    changed, found = migrate_tree({name: f"# tensorflow\n{text}" for name, text in files.items()})
    return changed, [finding.code for finding in found if finding.severity.value == "manual"]


def test_every_rule_resolves_them() -> None:
    changed, manual = _migrated({"common.py": COMMON, "main.py": MAIN.replace("\n    ", "\n")})

    assert manual == []
    assert (
        "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import layers\n"
        in changed["common.py"]
    )
    main = changed["main.py"]
    assert "layers.fully_connected(tf.multiply(features, 2), int(3))" in main
    assert "step = tf.train.get_or_create_global_step()" in main
    assert "optimizer = tf.train.AdamOptimizer()" in main
    assert "import tensorflow" not in main  # it has it from common.py
    assert "strategy = tf.distribute.MirroredStrategy()" in main


def test_through_another_module() -> None:
    files = {
        "common.py": COMMON,
        "middle.py": "from common import *\n",
        "main.py": "from middle import *\nx = tf.mul(1, 2)\n",
    }
    changed, manual = _migrated(files)

    assert "x = tf.multiply(1, 2)\n" in changed["main.py"]
    assert set(changed) == {"common.py", "main.py"}
    assert manual == []


@pytest.mark.parametrize(
    "common",
    [
        "import tensorflow as _tf\n",
        "import tensorflow as tf\n__all__ = ['other']\n",
    ],
)
def test_names_that_are_not_exported(common: str) -> None:
    use = "_tf" if "_tf" in common else "tf"
    changed, _ = _migrated(
        {"common.py": common, "main.py": f"from common import *\n{use}.mul(1, 2)\n"}
    )

    assert changed == {}


def test_underscore_names_that_all_lists() -> None:
    files = {
        "common.py": "import tensorflow as _tf\n__all__ = ['_tf']\n",
        "main.py": "from common import *\nx = _tf.mul(1, 2)\n",
    }
    changed, _ = _migrated(files)

    assert "x = _tf.multiply(1, 2)\n" in changed["main.py"]


def test_a_name_that_the_file_binds_itself() -> None:
    files = {"common.py": COMMON, "main.py": "from common import *\nimport tf\nx = tf.mul(1, 2)\n"}
    changed, _ = _migrated(files)

    assert set(changed) == {"common.py"}


def test_doctor_looks_them_up(tmp_path: Path) -> None:
    python = interpreter(
        tmp_path,
        "names = json.load(sys.stdin)['names']\n"
        "missing = [a if a == 'no_such' else '' for m, i, a in names]\n"
        "print(json.dumps({'versions': {'tensorflow': '2.99'}, 'missing': missing}))\n",
    )
    put(tmp_path / "common.py", "import tensorflow as tf\n")
    put(tmp_path / "main.py", "from common import *\ntf.no_such()\n")
    done = tfmigrate("doctor", ".", "--python", python, folder=tmp_path)

    assert done.returncode == 1
    assert "no_such" in done.stdout


def test_a_package_that_is_assigned_below_a_star_import() -> None:
    files = {
        "common.py": "# tensorflow\nimport numpy as np\n",
        "net.py": "import tensorflow as tf\nfrom common import *\nslim = tf.contrib.slim\n\n"
        "def net(x):\n  return slim.fully_connected(tf.contrib.slim.flatten(x), 3)\n",
    }
    changed, manual = _migrated(files)

    assert "from common import *\nfrom tfmigrate_runtime import slim\n\n" in changed["net.py"]
    assert "return slim.fully_connected(slim.flatten(x), 3)" in changed["net.py"]
    assert manual == []


def test_a_package_that_is_used_before_it_is_assigned() -> None:
    files = {
        "net.py": "import tensorflow as tf\nfrom common import *\nx = tf.contrib.slim.flatten(a)\n"
        "slim = tf.contrib.slim\ny = slim.flatten(x)\n"
    }
    changed, _ = _migrated(files)

    assert "from tfmigrate_runtime import slim as tf_slim\n" in changed["net.py"]
    assert "x = tf_slim.flatten(a)\nslim = tf_slim\n" in changed["net.py"]


def test_names_taken_one_by_one_and_through_their_module() -> None:
    main = (
        "from common import tf, np as numpy, layers as L\nimport common as c\n\ndef f(x):\n"
        "  y = tf.mul(x, numpy.int(3)) + c.tf.sub(x, 1) + c.layers.flatten(x)\n"
        "  step = tf.contrib.framework.get_or_create_global_step()\n  return L.flatten(y)\n"
    )
    changed, manual = _migrated({"common.py": COMMON, "main.py": main})

    assert manual == []
    after = changed["main.py"]
    assert "y = tf.multiply(x, int(3)) + tf.subtract(x, 1) + layers.flatten(x)\n" in after
    assert "step = tf.train.get_or_create_global_step()\n" in after
    assert "return L.flatten(y)\n" in after
    assert "import tensorflow" not in after  # it has it from common.py
    assert changed["common.py"].startswith("# tensorflow\nimport numpy as np\nimport tensorflow.c")


@pytest.mark.parametrize(
    ("take", "name"),
    [
        ("from common import tf", "tf"),
        ("import common", "common.tf"),
        ("import common as c", "c.tf"),
    ],
)
def test_names_that_are_gone_are_reported_where_they_are_read(take: str, name: str) -> None:
    files = {
        "common.py": "import tensorflow as tf\ntf.placeholder(tf.float32)\n",
        "main.py": f"# tensorflow\n{take}\n{name}.contrib.nothing()\n"
        f"{name}.nn.rnn_cell._no_such_name(1)\n",
    }
    _, found = migrate_tree(files)
    told = [(f.line, f.code) for f in found if f.path == "main.py" and not f.applied]
    assert told == [(3, "TFM702"), (4, "TFM720")]


def test_modules_that_take_names_from_each_other() -> None:
    files = {
        "a.py": "# tensorflow\nfrom b import tf, np\nx = tf.mul(1, 2)\n",
        "b.py": "# tensorflow\nfrom a import tf\nfrom a import np\ny = tf.mul(1, 2)\n",
    }
    assert _migrated(files) == ({}, [])


def test_own_functions_are_not_taken_for_packages() -> None:
    files = {
        "common.py": "import tensorflow as tf\ndef layers(x):\n  return tf.placeholder(x)\n",
        "main.py": "import tensorflow as tf\nfrom common import layers, tf as t2\n"
        "layers.flatten(1)\ntf.placeholder(1)\nt2.mul(1, 2)\n",
    }
    changed, _ = _migrated(files)
    assert changed["main.py"].endswith(
        "from common import layers, tf as t2\n\ntf.disable_v2_behavior()\n\nlayers.flatten(1)\n"
        "tf.placeholder(1)\nt2.multiply(1, 2)\n"
    )


GIVES = (
    "import tensorflow as tf\nfrom tensorflow.contrib import rnn as cells\n"
    "framework = tf.contrib.framework\n\ndef cell(n):\n"
    "  framework.get_or_create_global_step()\n  return cells.GRUCell(n)\n"
)


def test_names_that_a_module_loses_are_not_imported_from_it() -> None:
    main = (
        "import tensorflow as tf\nfrom common import cells\nfrom common import framework, cell\n\n"
        "def f(n):\n  framework.get_or_create_global_step()\n  return cells.LSTMCell(n), cell(n)\n"
    )
    changed, manual = _migrated({"common.py": GIVES, "main.py": main})

    assert manual == []
    assert "cells" not in changed["common.py"]
    assert "import common\nfrom common import cell\n\n" in changed["main.py"]
    assert "tf.nn.rnn_cell.LSTMCell(n), cell(n)\n" in changed["main.py"]


def test_names_that_code_reads_stay_in_their_module() -> None:
    main = "import tensorflow as tf\nfrom common import cells\n\nclass A:\n  cells = cells\n"
    changed, manual = _migrated({"common.py": GIVES, "main.py": main + "tf.placeholder(1)\n"})

    assert manual == []
    assert "from tfmigrate_runtime import rnn as cells\n" in changed["common.py"]
    assert "from common import cells\n" in changed["main.py"]


def test_files_that_do_not_name_tensorflow(tmp_path: Path) -> None:
    files = {
        "common.py": "import tensorflow as tf\nimport numpy as np\nx = np.int(tf.mul(1, 2))\n",
        "net.py": "from common import tf\n\ndef f(x):\n  return tf.sub(x, 1)\n",
        "data.py": "from common import np\n\ndef g(x):\n  return np.zeros(x)\n",
    }
    for name, text in files.items():
        put(tmp_path / name, text)
    tfmigrate(".", folder=tmp_path)

    assert "import numpy as np\n" in (tmp_path / "common.py").read_text()  # data.py takes it
    assert "return tf.subtract(x, 1)\n" in (tmp_path / "net.py").read_text()


def test_all_names_of_tensorflow() -> None:
    text = "from tensorflow import *\n\n\ndef f(x):\n  return mul(placeholder(float32), one(x))\n"
    changed, manual = _migrated({"main.py": text, "other.py": "import tensorflow as tf\n"})
    assert sorted(changed) == ["main.py"]
    assert "from tensorflow.compat.v1 import *\n" in changed["main.py"]
    assert "return tf.multiply(placeholder(float32), one(x))" in changed["main.py"]
    assert manual == []


def test_a_file_of_tensorflow_2_that_takes_all_names_stays() -> None:
    text = "from tensorflow import *\n\n\n@function\ndef f(x):\n  return matmul(x, range(3))\n"
    assert _migrated({"main.py": text}) == ({}, [])


def test_all_names_of_tensorflow_through_an_own_package() -> None:
    files = {
        "own/__init__.py": "from tensorflow import *\nfrom .more import thing\n",
        "own/more.py": "import own as tf\n\n\ndef thing():\n  return tf.placeholder(tf.float32)\n",
        "main.py": "import own as tf\ns = tf.Session()\ntf.contrib.foo.bar(s)\n",
        "main2.py": "from own import *\ns = Session()\n",
    }
    changed, manual = _migrated(files)
    # compat.v1 exports a __path__, which is not a package's own.
    assert changed["own/__init__.py"].splitlines()[1:4] == [
        "_own_path = __path__",
        "from tensorflow.compat.v1 import *",
        "__path__ = _own_path",
    ]
    assert "disable_v2_behavior()" in changed["main.py"]
    assert "disable_v2_behavior()" in changed["main2.py"]
    assert manual == ["TFM702"]
