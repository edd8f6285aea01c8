"""A guard of an import is none of its uses, and code that is never reached is not rewritten."""

from __future__ import annotations

import pytest
from support import findings, found, migrated

HEAD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from local_backport import learn", "from tensorflow.contrib import learn"),
        ("from tensorflow.contrib import learn", "from local_backport import learn"),
        ("import backport.learn as learn", "import tensorflow.contrib.learn as learn"),
    ],
)
def test_names_below_a_guarded_import_are_reported(first: str, second: str) -> None:
    text = f"{HEAD}try:\n  {first}\nexcept ImportError:\n  {second}\n"
    text += "m = learn.monitors.ExportMonitor(3)\n"

    (finding,) = found(text, "TFM720")
    assert finding.line == 7
    assert "ExportMonitor is not in" in finding.message
    assert "SessionRunHook" in finding.action


def test_names_of_the_import_that_works_are_not_reported() -> None:
    text = f"{HEAD}try:\n  from tensorflow.contrib import nothing as learn\nexcept ImportError:\n"
    text += "  from local_backport import learn\nm = learn.monitors.ExportMonitor(3)\n"

    assert not [line for _, line in findings(text) if line == 7]


def test_names_after_another_import_of_the_name_are_not_reported() -> None:
    text = f"{HEAD}from tensorflow.contrib import learn\nfrom backport import learn\nlearn.foo()\n"

    assert not [line for _, line in findings(text) if line == 5]


@pytest.mark.parametrize(
    "line",
    [
        "y = tf.mul(1, 2)",
        "y = tf.concat(1, [x, x])",
        "y = tf.contrib.layers.flatten(x)",
        "y = tf.contrib.framework.get_or_create_global_step()",
        "y = tf.test.is_built_with_cuda()",
        "y = tf.nn.softmax_cross_entropy_with_logits(x, x)",
        "y = tf.contrib.nothing()",
        "y = tf.image.resize_images(x, 3, 3)",
    ],
)
@pytest.mark.parametrize("test", ["tf.__version__ <= '0.11'", "tf.__version__ < '1'"])
def test_code_that_is_never_reached_is_not_rewritten(line: str, test: str) -> None:
    text = f"{HEAD}if {test}:\n  {line}\n"

    assert line in migrated(text)
    assert not findings(text)
