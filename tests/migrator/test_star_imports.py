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
