"""Which files are migrated: those of TensorFlow 1.x, and none that runs under TensorFlow 2."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrate_tree, migrated

SESSION = "import tensorflow as tf\ndef f():\n  return tf.Session()\n"


@pytest.mark.parametrize(
    "body",
    [
        "tf.get_variable('v', [1])\n",
        "tf.contrib.gan.gan_train(x)\n",
        "train = tf.train\ntrain.AdamOptimizer()\n",
        "tf.enable_eager_execution()\n",
        "assert tf.__version__ >= '1.4'\ntf.Session()\n",
        "if tf.__version__ < '1.4':\n  raise ImportError('too old')\ntf.Session()\n",
        # It reaches compat.v1 as TensorFlow 1.13 could already.
        "tf.compat.v1.logging.set_verbosity(0)\ntf.Session()\n",
        "try:\n  tf.Session()\nexcept tf.errors.OutOfRangeError:\n  pass\n",
        "try:\n  tf.Session()\nexcept Exception as e:\n  stop(e)\n",
        "tf.newaxis\ntf.losses.get_losses()\n",
    ],
)
def test_file_of_tensorflow_1(body: str) -> None:
    after = migrated("import tensorflow as tf\n" + body)
    assert after.startswith("import tensorflow.compat.v1 as tf\n")


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow.compat.v1 as tf\ntf.Session()\n",
        "import tensorflow as tf\ntf.compat.v1.Session()\n",
        "import tensorflow as tf\ntf1 = tf.compat.v1\ntf1.Session()\n",
        "import tensorflow as tf\ntf = tf.compat.v1\ntf.Session()\n",
        "from tensorflow import compat\ncompat.v1.Session()\n",
        "import tensorflow as tf\nif hasattr(tf, 'compat'):\n  tf = tf.compat.v1\ntf.Session()\n",
        "try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
        "  import tensorflow as tf\ntf.Session()\n",
        "import tensorflow as tf\nif tf.__version__.startswith('1'):\n  tf.Session()\n",
        "import tensorflow as tf\nold = int(tf.__version__.split('.')[0]) < 2\n"
        "def f():\n  return tf.Session() if old else None\n",
        "import tensorflow as tf\ndef is_old():\n  return tf.__version__ < '2'\n"
        "if is_old():\n  tf.set_random_seed(1)\nelse:\n  tf.random.set_seed(1)\n",
        "import tensorflow as tf\ndef f():\n  if tf.__version__ >= '2':\n    return 1\n"
        "  return tf.Session()\n",
        "import tensorflow as tf\nif hasattr(tf, 'Session'):\n  tf.Session()\n",
        "import tensorflow as tf\ntry:\n  tf.contrib.slim\nexcept AttributeError:\n  pass\n",
        "try:\n  from tensorflow.contrib import gan\nexcept ImportError:\n  gan = None\n",
        "try:\n  from tensorflow.contrib import gan\nexcept:\n  gan = None\n",
        "import tensorflow as tf\ntf.random.set_seed(1)\ntf.nn.dropout(x, 0.1)\n",
        "import tensorflow as tf\nclass M(tf.keras.Model):\n  def call(self, x):\n"
        "    with tf.GradientTape() as tape:\n      return tape\n",
    ],
)
def test_file_that_runs_under_tensorflow_2(text: str) -> None:
    check_unchanged(text)
    assert found(text, "TFM701") == []


def test_helpers_of_tensorflow_1_keep_their_meaning() -> None:
    helper = "import tensorflow as tf\ndef net(x):\n  return tf.nn.dropout(x, 0.9)\n"
    changed, told = migrate_tree(
        {
            "train.py": SESSION + "import net\n",
            "net.py": helper,
            "other.py": helper,
            "same.py": "import tensorflow as tf\nimport train\ntf.matmul(a, b)\n",
        }
    )
    assert sorted(changed) == ["net.py", "train.py"]
    assert changed["net.py"] == helper.replace("tensorflow as", "tensorflow.compat.v1 as")
    assert {f.code for f in told} == {"TFM701"}


def test_helper_that_a_program_of_tensorflow_2_imports_too_stays() -> None:
    files = {
        "train.py": SESSION + "import net\n",
        "modern.py": "import tensorflow as tf\nimport net\ntf.optimizers.Adam()\n",
        "net.py": "import tensorflow as tf\ndef net(x):\n  return tf.nn.dropout(x, 0.1)\n",
    }
    changed, _ = migrate_tree(files)
    assert sorted(changed) == ["train.py"]


def test_file_of_both_generations_is_told_and_left() -> None:
    text = SESSION + "def g():\n  return tf.optimizers.Adam()\n"
    check_unchanged(text)
    (finding,) = found(text, "TFM708")
    assert (finding.line, finding.column, finding.severity.value) == (5, 10, "manual")
    # Either is spelt out: it is of one generation then.
    check_unchanged(text.replace("tf.Session", "tf.compat.v1.Session"))
    after = migrated(text.replace("tf.optimizers", "tf.compat.v2.optimizers"))
    assert after.startswith("import tensorflow.compat.v1 as tf\n")


def test_file_of_both_generations_holds_its_program_back() -> None:
    text = (
        "import tensorflow as tf\ntf.optimizers.Adam()\n"
        "opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())\n"
        "est = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(f))\n"
    )
    check_unchanged(text)
    assert found(text, "TFM708")
