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
    assert "export_saved_model" in finding.action


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


@pytest.mark.parametrize(
    ("test", "dead"),
    [
        ("'mul' in dir(tf)", "y = tf.mul(1, 2)"),
        ("'concat_v2' in dir(tf)", "y = tf.concat_v2([x, x], 1)"),
        ("'batch_matmul' in tf.__dict__", "y = tf.batch_matmul(x, x)"),
        ("'mul' in vars(tf).keys()", "y = tf.mul(1, 2)"),
        ("not 'multiply' in dir(tf)", "y = tf.mul(1, 2)"),
        ("'multiply' not in dir(tf)", "y = tf.mul(1, 2)"),
        ("hasattr(tf, 'mul')", "y = tf.mul(1, 2)"),
    ],
)
def test_names_of_tensorflow_that_a_program_looks_for(test: str, dead: str) -> None:
    text = f"{HEAD}if {test}:\n  {dead}\nelse:\n  y = tf.sub(1, 2)\n"
    after = migrated(text)

    assert dead in after
    assert "y = tf.subtract(1, 2)" in after
    assert not findings(text)


@pytest.mark.parametrize("test", ["'multiply' in dir(tf)", "'python' in dir(tf)", "'a' in dir(os)"])
def test_code_that_may_be_reached_is_rewritten(test: str) -> None:
    assert "y = tf.multiply(1, 2)" in migrated(f"import os\n{HEAD}if {test}:\n  y = tf.mul(1, 2)\n")


def test_imports_that_are_never_reached_stay_and_the_others_are_renamed() -> None:
    old = "  from tensorflow.contrib import slim\n  from tensorflow.contrib.foo import layers\n"
    text = f"{HEAD}import six\nif tf.__version__ < '1':\n{old}elif six.PY2:\n{old}else:\n"
    text += "  from tensorflow.contrib import slim\nslim.fully_connected(x, 1)\n"
    after = migrated(text)

    assert after.count(old) == 2
    assert "else:\n  from tfmigrate_runtime import slim\n" in after
    assert not findings(text)


@pytest.mark.parametrize("head", ["if flag():\n", "try:\n"])
def test_each_branch_imports_its_own(head: str) -> None:
    other = "else:\n" if head.startswith("if") else "except ValueError:\n"
    line = "  from tensorflow.contrib import slim\n"
    after = migrated(f"{HEAD}{head}{line}{line}{other}{line}slim.fully_connected(x, 1)\n")

    ours = "  from tfmigrate_runtime import slim\n"
    assert f"{head}{ours}{other}{ours}" in after


@pytest.mark.parametrize("absent", ["None", "False"])
def test_what_stands_for_a_failed_import(absent: str) -> None:
    text = "import tensorflow as tf\ntry:\n  from tensorflow.contrib import tpu\n"
    text += f"except ImportError:\n  tpu = {absent}\nc = tpu.RunConfig(model_dir='a')\n"

    assert "c = estimator.tpu.RunConfig(model_dir='a')" in migrated(text)
    assert not findings(text)


def test_an_assignment_is_not_replaced_by_an_import_that_may_not_run() -> None:
    text = "try:\n  slim = tf.contrib.slim\nexcept AttributeError:\n  import tf_slim as slim\n"
    after = migrated(f"{HEAD}{text}y = slim.flatten(x)\n")

    assert after.startswith(
        "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import slim\n"
    )
    text = "if flag():\n  from tensorflow.contrib import slim\n"
    after = migrated(f"{HEAD}{text}y = tf.contrib.slim.flatten(x)\n")
    assert after.startswith(
        "import tensorflow.compat.v1 as tf\nfrom tfmigrate_runtime import slim\n"
    )


def test_what_runs_where_nothing_was_missing_is_not_guarded() -> None:
    text = "def seed(i):\n  try:\n    import tensorflow as tf\n  except ImportError:\n    pass\n"
    text += "  else:\n    tf.set_random_seed(i)\n    tf.contrib.layers.flatten(i)\n"
    after = migrated(text)

    assert "    import tensorflow.compat.v1 as tf\n" in after
    assert after.endswith("  else:\n    tf.set_random_seed(i)\n    layers.flatten(i)\n")
    for module, lines in (("tensorflow.contrib import nothing", []), ("six import moves", [8])):
        text = f"{HEAD}try:\n  from {module}\nexcept ImportError:\n  pass\n"
        text += "else:\n  y = tf.contrib.nothing()\n"
        assert [line for _, line in findings(text) if line > 3] == lines


def test_a_file_that_can_be_imported_without_tensorflow_stays_one() -> None:
    text = "try:\n  import tensorflow as tf\nexcept ImportError:\n  tf = None\n"
    text += "def make():\n  return tf.contrib.layers.flatten(tf.placeholder(tf.float32))\n"

    head = "try:\n  import tensorflow.compat.v1 as tf\n  from tfmigrate_runtime import layers\n"
    assert migrated(text).startswith(f"{head}except")
    # Here it cannot, and the first import may fail.
    text = "try:\n  from tensorflow.contrib import nothing\nexcept ImportError:\n  pass\n"
    text += "import tensorflow as tf\nx = tf.contrib.layers.flatten(tf.placeholder(tf.float32))\n"
    assert "\nfrom tfmigrate_runtime import layers\n" in migrated(text)
