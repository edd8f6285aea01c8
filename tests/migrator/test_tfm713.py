"""TFM713: imports of tf.contrib that nothing uses."""

from __future__ import annotations

import pytest
from support import check, found, migrate_tree

TF = "import tensorflow as tf\n"
V1 = "import tensorflow.compat.v1 as tf\n"
BODY = "def build():\n  return tf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    "statement",
    [
        "from tensorflow.contrib import gan\ngan.gan_train(x)\n",
        "from tensorflow.contrib import gan\n__all__ = ['gan']\n",
        "from tensorflow.contrib import gan\nglobals()['gan']\n",
        "try:\n  from tensorflow.contrib import gan\nexcept ImportError:\n  pass\n",
        "import tensorflow.contrib.gan\n",
        # The runtime has it: the import becomes the runtime's.
        "from tensorflow.contrib import slim\n",
    ],
)
def test_left_to_others(statement: str) -> None:
    assert not found(TF + statement + BODY, "TFM713")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from tensorflow.contrib import gan\n", ""),
        ("import tensorflow.contrib.gan as gan\n", ""),
        ("from tensorflow.contrib.estimator import TowerOptimizer\n", ""),
    ],
)
def test_goes(before: str, after: str) -> None:
    check(TF + before + BODY, V1 + after + BODY)
    assert not found(TF + before + BODY, "TFM702")


def test_a_local_variable_of_its_name_is_no_use() -> None:
    local = "\ndef f(x):\n  gan = x\n  return gan\n"
    check(f"{TF}from tensorflow.contrib import gan\n{BODY}{local}", f"{V1}{BODY}{local}")


@pytest.mark.parametrize(
    "other",
    ["from model import gan\n", "import model\nmodel.gan.x\n", "import model as m\nm.gan\n"],
)
def test_names_that_other_files_take_stay(other: str) -> None:
    files = {"model.py": f"{TF}from tensorflow.contrib import gan\n{BODY}", "main.py": TF + other}
    changed, told = migrate_tree(files)
    assert "import gan" in changed["model.py"]
    assert "model.py" in [f.path for f in told if f.code == "TFM702"]
    init = {"model/__init__.py": files["model.py"]}
    assert "import gan" in migrate_tree(init)[0]["model/__init__.py"]


def test_the_blank_line_above_an_import_that_is_removed() -> None:
    check(
        """
        from __future__ import print_function

        import tensorflow as tf
        from tensorflow.contrib import gan
        import os

        x = tf.contrib.layers.flatten(os.x)
        """,
        """
        from __future__ import print_function

        from tfmigrate_runtime import layers
        import os

        x = layers.flatten(os.x)
        """,
    )
