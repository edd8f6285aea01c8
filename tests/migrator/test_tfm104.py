"""TFM104: the names of tf.contrib.layers."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrate_tree, migrated

OURS = "from tfmigrate_runtime.estimator import Estimator\nEstimator(f)\n"


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow.compat.v1 as tf\ntf.losses.huber_loss(x, y)\n",
        "from mine import layers\nlayers.fully_connected(x, 1)\n" + OURS,
        "from tfmigrate_runtime import layers\nlayers.fully_connected(x, 1)\n" + OURS,
        "import tensorflow.compat.v1 as tf\ntf.contrib.layers.scattered_embedding_column(x)\n"
        + OURS,
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.contrib import layers\nlayers.fully_connected(x, 1)\n",
            "from tfmigrate_runtime import layers\nlayers.fully_connected(x, 1)\n",
        ),
        (
            "import tensorflow.contrib.layers as layers\nlayers.linear(x, 1)\n",
            "from tfmigrate_runtime import layers\nlayers.linear(x, 1)\n",
        ),
        (
            "from tensorflow.contrib.layers import l2_regularizer as l2\nl2(0.1)\n",
            "from tfmigrate_runtime.layers import l2_regularizer as l2\nl2(0.1)\n",
        ),
        (
            "import tensorflow as tf\nlayers = []\ntf.contrib.layers.flatten(x)\n",
            "import tensorflow.compat.v1 as tf\n"
            "from tfmigrate_runtime import layers as tf_layers\n"
            "layers = []\ntf_layers.flatten(x)\n",
        ),
    ],
)
def test_becomes_ours(before: str, after: str) -> None:
    check(f"{before}{OURS}print(tf)\n", f"{after}{OURS}print(tf)\n")


def test_a_module_of_the_program() -> None:
    files = {
        "main.py": "import tensorflow as tf\nimport model\ntf.estimator.Estimator(model.f)\n",
        "model.py": "import tensorflow as tf\ntf.contrib.layers.flatten(x)\n",
        "other.py": "import tensorflow as tf\ntf.contrib.layers.flatten(x)\n",
    }
    changed, _ = migrate_tree(files)
    assert set(changed) == {"main.py", "model.py", "other.py"}
    assert "\nlayers.flatten(x)\n" in changed["model.py"]


def test_what_has_no_equivalent_is_reported() -> None:
    text = (
        "from tensorflow.contrib import layers\n"
        "layers.sequence_input_from_feature_columns(x, [c])\nlayers.flatten(x)\n" + OURS
    )
    (finding,) = found(text, "TFM702")
    assert (finding.line, finding.column) == (2, 1)
    assert "embed_sequence" in (finding.action or "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.contrib.layers.python.layers import feature_column as fc\n"
            "fc.real_valued_column('a')\n",
            "from tfmigrate_runtime import layers as fc\nfc.real_valued_column('a')\n",
        ),
        (
            "from tensorflow.contrib.layers.python.layers import utils\n"
            "utils.smart_cond(a, b, c)\n",
            "from tfmigrate_runtime.layers import utils\nutils.smart_cond(a, b, c)\n",
        ),
        (
            "from tensorflow.contrib.layers.python.layers.regularizers import l2_regularizer\n"
            "l2_regularizer(1.0)\n",
            "from tfmigrate_runtime.layers import l2_regularizer\nl2_regularizer(1.0)\n",
        ),
    ],
)
def test_deep_paths(before: str, after: str) -> None:
    check(f"{before}{OURS}print(tf)\n", f"{after}{OURS}print(tf)\n")


def test_modules_that_stand_beside_their_names() -> None:
    text = migrated(
        "import tensorflow as tf\n"
        "from tensorflow.contrib.layers import feature_column\n"
        "x = tf.placeholder(tf.float32)\n"
        "a = feature_column.real_valued_column('a')\n"
        "b = tf.contrib.layers.feature_column.real_valued_column('b')\n"
    )
    assert "from tfmigrate_runtime import layers as feature_column\n" in text
    assert "a = feature_column.real_valued_column('a')\n" in text
    assert "b = layers.real_valued_column('b')\n" in text
