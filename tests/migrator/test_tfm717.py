"""TFM717: an import of a package that is in no TensorFlow."""

from __future__ import annotations

import pytest
from support import found, migrated

CODE = "TFM717"


@pytest.mark.parametrize(
    "line",
    [
        "import tensorflow.keras",
        "from tensorflow.contrib import learn",
        "from tensorflow.python.ops import math_ops",
        "from tensorflow.core.framework import graph_pb2",
        "from tensorflow import models",  # a name, not a package
        "from .tensorflow.models import x",
        "# from tensorflow.models.rnn import ptb",
        "try:\n  from tensorflow.models.rnn import ptb\nexcept ImportError:\n  ptb = None",
    ],
)
def test_packages_that_are_there_or_others_matter(line: str) -> None:
    assert found(f"import tensorflow as tf\n{line}\n", CODE) == []


def test_uses_of_what_cannot_be_imported_are_not_reported_again() -> None:
    text = "import tensorflow as tf\nfrom tensorflow.models.rnn import ptb\nptb.x, tf.models.y\n"
    assert len(found(text, CODE)) == 1
    assert [f.message for f in found(text, "TFM720")] == ["tf.models is not in TensorFlow 2.21"]
    assert not found(text.replace(", tf.models.y", ""), "TFM720")


@pytest.mark.parametrize(
    ("line", "package"),
    [
        ("from tensorflow.models.rnn.ptb import reader", "tensorflow.models"),
        ("import tensorflow.models.image.cifar10 as c", "tensorflow.models"),
        ("from tensorflow.nonsense import a, b", "tensorflow.nonsense"),
    ],
)
def test_a_package_that_is_not(line: str, package: str) -> None:
    told = found(f"import tensorflow as tf\n{line}\n", CODE)
    assert {f.message for f in told} == {
        f"{package} is in neither TensorFlow 1.15 nor TensorFlow 2"
    }
    assert {f.severity.value for f in told} == {"manual"}


def test_the_rest_of_the_file_is_migrated() -> None:
    text = "import tensorflow as tf\nfrom tensorflow.models.rnn import ptb\n\nx = tf.Session()\n"
    after = migrated(text)
    assert "import tensorflow.compat.v1 as tf" in after
    assert "from tensorflow.models.rnn import ptb\n" in after
