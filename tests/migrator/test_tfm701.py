"""TFM701: import tensorflow.compat.v1."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrate_tree, migrated

LEGACY = "from tfmigrate_runtime import estimator\nestimator.Estimator(f)\n"

KERAS_2 = 'os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")'


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\ntf.keras.layers.Dense(1)\n" + LEGACY,
        "import tensorflow as tf\ntf.compat.v1.layers.dense(1)\n" + LEGACY,
        "import tensorflow as tf\ntf.matmul(a, b)\n" + LEGACY,
        "import tensorflow as tf\n# tf.layers.dense\nx = 'tf.layers.dense'\n" + LEGACY,
        "import tensorflow.compat.v1 as tf\ntf.layers.dense(1)\n" + LEGACY,
        "from tensorflow.compat import v1 as tf\ntf.layers.dense(1)\n" + LEGACY,
        "from tensorflow.compat.v1 import layers\nlayers.dense(1)\n" + LEGACY,
        "import tensorflow.compat.v2 as tf\ntf.layers.dense(1)\n" + LEGACY,
        "import tensorflow as tf\nimport tensorflow.compat.v1 as tf1\ntf1.layers.x\n" + LEGACY,
        "import tensorflow_hub as tf\ntf.layers.dense(1)\n" + LEGACY,
        "import mine.tensorflow as tf\ntf.layers.dense(1)\n" + LEGACY,
        "from .tensorflow import layers\nlayers.dense(1)\n" + LEGACY,
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import tensorflow as tf\ntf.layers.x\n",
            "import tensorflow.compat.v1 as tf\ntf.layers.x\n",
        ),
        (
            "import tensorflow\ntensorflow.layers.x\n",
            "import tensorflow.compat.v1 as tensorflow\ntensorflow.layers.x\n",
        ),
        (
            "import numpy as np, tensorflow as tf, os\ntf.layers.x\n",
            "import numpy as np, tensorflow.compat.v1 as tf, os\ntf.layers.x\n",
        ),
        (
            "from tensorflow import layers, keras\nlayers.x\n",
            'import os\n\nos.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n\n'
            "from tensorflow import keras\nfrom tensorflow.compat.v1 import layers\nlayers.x\n",
        ),
        (
            "from tensorflow import layers as l, losses\nl.x\n",
            "from tensorflow.compat.v1 import layers as l, losses\nl.x\n",
        ),
        (
            "from tensorflow import (  # both\n    layers,  # one\n    losses)  # two\nlayers.x\n",
            "from tensorflow.compat.v1 import (  # both\n    layers,  # one\n    losses)  # two\n"
            "layers.x\n",
        ),
        (
            "from tensorflow.train import AdamOptimizer, Saver\nAdamOptimizer()\n",
            "from tensorflow.compat.v1.train import AdamOptimizer, Saver\nAdamOptimizer()\n",
        ),
        (
            "import tensorflow.losses as losses\nlosses.get_losses()\n",
            "import tensorflow.compat.v1.losses as losses\nlosses.get_losses()\n",
        ),
        (
            "try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\ntf.layers.x\n",
            "try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n  tf = None\n"
            "tf.layers.x\n",
        ),
        (
            "def f():\n  import tensorflow as tf  # late\n  tf.layers.x\n",
            "def f():\n  import tensorflow.compat.v1 as tf  # late\n  tf.layers.x\n",
        ),
        (
            "if a: import tensorflow as tf\ntf.layers.x\n",
            "if a: import tensorflow.compat.v1 as tf\ntf.layers.x\n",
        ),
        (
            "import os; import tensorflow as tf; tf.layers.x\n",
            "import os; import tensorflow.compat.v1 as tf; tf.layers.x\n",
        ),
        (
            "import tensorflow as tf\nfrom tensorflow.python.ops import math_ops\ntf.layers.x\n",
            "import tensorflow.compat.v1 as tf\nfrom tensorflow.python.ops import math_ops\n"
            "tf.layers.x\n",
        ),
        (
            "import tensorflow \\\n    as tf\ntf.layers.x\n",
            "import tensorflow.compat.v1 as tf\ntf.layers.x\n",
        ),
        (
            "import tensorflow as tf\nlayers = tf.layers\nlayers.dense(1)\n",
            "import tensorflow.compat.v1 as tf\nlayers = tf.layers\nlayers.dense(1)\n",
        ),
        (
            "import tensorflow as tf\nif a:\n  tf = None\ntf.layers.x\n",
            "import tensorflow.compat.v1 as tf\nif a:\n  tf = None\ntf.layers.x\n",
        ),
    ],
)
def test_import_forms(before: str, after: str) -> None:
    check(before + LEGACY, after + LEGACY)


def test_strings_comments_and_the_body_stay() -> None:
    body = (
        "# import tensorflow as tf\nx = 'import tensorflow as tf'\n'''tf.layers'''\ntf.layers.x\n"
    )
    after = migrated("import tensorflow as tf\n" + body + LEGACY)
    assert after == "import tensorflow.compat.v1 as tf\n" + body + LEGACY


def test_finding_says_where() -> None:
    text = "import os, tensorflow as tf\ntf.layers.x\n" + LEGACY
    (finding,) = found(text, "TFM701")
    assert (finding.line, finding.column, finding.applied) == (1, 12, True)


MODEL = "import tensorflow as tf\ndef net(x):\n  return tf.layers.dense(x, 1)\n"
TRAIN = "import tensorflow as tf\nimport {}\nest = tf.estimator.Estimator({}.net)\n"
SHIFTED = MODEL.replace("import tensorflow as tf", "import tensorflow.compat.v1 as tf")


def test_helper_of_a_program_is_changed_and_an_unrelated_file_is_not() -> None:
    changed, _ = migrate_tree(
        {
            "train.py": TRAIN.format("net", "net") + "print(tf)\n",
            "net.py": MODEL,
            "unrelated.py": MODEL.replace("tf.layers.dense(x, 1)", "tf.matmul(x, x)"),
        }
    )
    assert sorted(changed) == ["net.py", "train.py"]
    assert changed["net.py"] == SHIFTED
    # It uses nothing that left TensorFlow, so its import means the same in both.
    assert changed["train.py"].startswith("import tensorflow as tf\nfrom tfmigrate_runtime")


@pytest.mark.parametrize(
    ("call", "changes"),
    [
        ("tf.reduce_sum(x)", False),
        ("tf.reduce_mean(x, axis=1, keepdims=True)", False),
        ("tf.argmax(x, 1)", False),
        ("tf.reduce_mean(x, keep_dims=True)", True),
        ("tf.reduce_sum(*x)", True),
        ("map(tf.reduce_sum, x)", True),
        ("tf.nn.dropout(x, 0.5)", True),
    ],
)
def test_helper_of_a_program_is_changed_only_if_a_call_differs(call: str, changes: bool) -> None:
    helper = f"import tensorflow as tf\ndef net(x):\n  return {call}\n"
    train = "import tensorflow as tf\nimport net\nnet.net(tf.placeholder(tf.float32))\n"
    changed, _ = migrate_tree({"train.py": train, "net.py": helper})
    assert ("net.py" in changed) == changes


def test_helper_through_a_package_that_does_not_name_the_library() -> None:
    changed, _ = migrate_tree(
        {
            "train.py": TRAIN.format("nets", "nets"),
            "nets/__init__.py": "from .deep import net\n",
            "nets/deep/__init__.py": "from nets.deep.dense import net\n",
            "nets/deep/dense.py": MODEL,
        }
    )
    assert changed["nets/deep/dense.py"] == SHIFTED


def test_importer_of_an_estimator_file_is_changed() -> None:
    changed, _ = migrate_tree(
        {
            "main.py": "import tensorflow as tf\nimport build\ntf.app.run(build.main)\n",
            "build.py": "import tensorflow as tf\nmodel = tf.estimator.Estimator(f)\n",
        }
    )
    assert changed["main.py"].startswith("import tensorflow.compat.v1 as tf\n")


def test_migrated_helper_is_stable_in_the_migrated_program() -> None:
    files = {"train.py": TRAIN.format("net", "net"), "net.py": MODEL}
    changed, _ = migrate_tree(files)
    again, told = migrate_tree(files | changed)
    assert again == {}
    assert told == []


def test_a_device_setter_needs_graph_mode_also_without_a_main_block() -> None:
    text = (
        "import tensorflow as tf\n\n"
        "with tf.device(tf.train.replica_device_setter(cluster=c)):\n"
        "  model = tf.estimator.Estimator(f)\n"
    )
    assert "\n\ntf.disable_eager_execution()\n" in migrated(text)
    inside = text.replace("with tf", "def build():\n  with tf").replace("  model", "    model")
    assert "disable_eager_execution" not in migrated(inside)


def test_session_programs_have_the_shapes_and_variables_of_tensorflow_1() -> None:
    text = (
        "import tensorflow as tf\n\n"
        "with tf.device(tf.train.replica_device_setter(cluster=c)):\n"
        "  x = tf.placeholder(tf.float32, [None, 5])\n"
        "  w = tf.get_variable('w', [x.get_shape()[1].value, 1])\n"
        "with tf.Session() as session:\n"
        "  session.run(w)\n"
    )
    assert "\n\ntf.disable_v2_behavior()\n" in migrated(text)


@pytest.mark.parametrize("method", ["make_one_shot_iterator", "make_initializable_iterator"])
def test_methods_of_datasets_of_tensorflow_1(method: str) -> None:
    text = f"import tensorflow as tf\nx = tf.data.Dataset.range(3).{method}()\n"
    assert migrated(text).startswith("import tensorflow.compat.v1 as tf")
    for other in (
        f"import tensorflow as tf\nx = tf.Variable(3).{method}()\n",
        f"import tensorflow.compat.v1 as tf\nx = tf.data.Dataset.range(3).{method}()\n",
        f"import tensorflow as tf\nx = tf.compat.v1.data.{method}(tf.data.Dataset.range(3))\n",
    ):
        assert "import tensorflow.compat.v1" not in migrated(other).replace(other, "")


HELD = """\
class Writer(object):
  def __init__(self, path):
    import tensorflow as tf
    self.tf = tf

  def write(self, values):
    return {line}
"""


@pytest.mark.parametrize(
    "line", ["self.tf.Summary(value=[])", "[self.tf.Summary.Value(tag=v) for v in values]"]
)
def test_names_below_an_attribute_of_self(line: str) -> None:
    text = HELD.format(line=line)
    assert migrated(text) == text.replace("tensorflow as", "tensorflow.compat.v1 as")


@pytest.mark.parametrize(
    "line", ["self.tf.compat.v1.Summary()", "self.tf.constant(1)", "self.other.Summary()"]
)
def test_other_names_below_attributes_of_self(line: str) -> None:
    assert migrated(HELD.format(line=line)) == HELD.format(line=line)


@pytest.mark.parametrize(
    "between", ["import numpy as np", "from utils import *", "tf.disable_v2_behavior()"]
)
def test_an_import_of_tensorflow_behind_one_of_compat_is_the_one_that_counts(between: str) -> None:
    text = (
        f"import tensorflow.compat.v1 as tf\n{between}\nimport tensorflow as tf\nx = tf.Session()\n"
    )
    assert migrated(text).count("import tensorflow.compat.v1 as tf\n") == 2
    for unchanged in (
        "import tensorflow as tf\nimport tensorflow.compat.v1 as tf\n",
        "import tensorflow.compat.v1 as tf\nif False:\n    import tensorflow as tf\n",
        "try:\n    import tensorflow.compat.v1 as tf\nexcept E:\n    import tensorflow as tf\n",
    ):
        text = f"{unchanged}tf.disable_v2_behavior()\nx = tf.Session()\n"
        assert migrated(text) == text


def test_an_import_of_os_above_the_switches_stays_where_it_is() -> None:
    text = (
        "import sys\nsys.path.append('..')\nimport os\nimport {0} as tf\n{1}\n"
        "x = tf.layers.dense(tf.placeholder(tf.float32, [None, 2]), 3)\nprint(os.path.join('a'))\n"
    )
    added = f"\n{KERAS_2}\ntf.disable_v2_behavior()\n"
    after = text.format("tensorflow.compat.v1", added)
    check(text.format("tensorflow", ""), after)
