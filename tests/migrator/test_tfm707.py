"""TFM707: names of tensorflow.python that TensorFlow 2 no longer has."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrated

V1 = "import tensorflow.compat.v1 as tf\n"


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow.python.ops import math_ops\nmath_ops.reduce_sum(x)\n",
        "from tensorflow.python.platform import gfile\ngfile.Exists(p)\n",
        "from tensorflow.python.training import checkpoint_management as m\n"
        "m.checkpoint_exists(p)\n",
        "from tensorflow.python.client import device_lib\ndevice_lib.list_local_devices()\n",
        "from mine.python.framework import ops\nops.Tensor\n",
        "try:\n  from tensorflow.python.util import memory\nexcept ImportError:\n  pass\n",
    ],
)
def test_what_is_still_there_stays(text: str) -> None:
    check_unchanged(text)
    assert found(text, "TFM707") == found(text, "TFM720") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            V1 + "from tensorflow.python.framework.ops import Tensor as T\nf(T, T.get_shape)\n",
            V1 + "f(tf.Tensor, tf.Tensor.get_shape)\n",
        ),
        (
            V1 + "from tensorflow.python import pywrap_tensorflow\n"
            "pywrap_tensorflow.NewCheckpointReader(p)\n",
            V1 + "tf.train.NewCheckpointReader(p)\n",
        ),
        (
            V1 + "tf.pywrap_tensorflow.NewCheckpointReader(p)\n",
            V1 + "tf.train.NewCheckpointReader(p)\n",
        ),
        (
            "from tensorflow.python.ops import array_ops, math_ops\n"
            "math_ops.add(array_ops.stack(x), array_ops.shape(x))\n",
            "from tensorflow.python.ops import array_ops, math_ops\n" + V1 + ""
            "math_ops.add(tf.stack(x), array_ops.shape(x))\n",
        ),
        (
            "import tensorflow as tf\nfrom tensorflow.python.ops import random_ops\n"
            "tf.random.set_seed(1)\nrandom_ops.random_crop(x)\n",
            "import tensorflow as tf\ntf.random.set_seed(1)\ntf.compat.v1.random_crop(x)\n",
        ),
        (V1 + "from tensorflow.python.util import memory\ntf.add\n", V1 + "tf.add\n"),
        (
            V1 + "from tensorflow.python.layers.normalization import BatchNormalization as B\n"
            "B.call\n",
            'import os\n\nos.environ.setdefault("TF_USE_LEGACY_KERAS", "1")\n\n'
            + V1
            + "tf.layers.BatchNormalization.call\n",
        ),
        (
            V1 + "from tensorflow.python.framework import tensor_shape as s\n"
            "f(s.scalar(), s.vector(3), s.matrix(cols=n + 1, rows=len(x)), s.unknown_shape())\n",
            V1 + "from tensorflow.python.framework import tensor_shape as s\n"
            "f(tf.TensorShape([]), tf.TensorShape([3]), tf.TensorShape([len(x), n + 1]), "
            "s.unknown_shape())\n",
        ),
        (
            V1 + "from tensorflow.python.framework import tensor_shape\n"
            "tf.random_uniform(tensor_shape.scalar(), minval=1.0)\n",
            V1 + "tf.random_uniform(tf.TensorShape([]), minval=1.0)\n",
        ),
        # The package itself has names of the top level.
        (
            "from tensorflow.python import Session, placeholder\nSession().run(placeholder(1))\n",
            V1 + "\ntf.disable_v2_behavior()\n\ntf.Session().run(tf.placeholder(1))\n",
        ),
        (
            "from tensorflow.python.estimator.inputs import numpy_io\nnumpy_io.numpy_input_fn(x)\n",
            "from tfmigrate_runtime.estimator import inputs as numpy_io\n"
            "numpy_io.numpy_input_fn(x)\n",
        ),
    ],
)
def test_becomes_public(before: str, after: str) -> None:
    check(before, after)


def test_what_never_was_public_is_told() -> None:
    text = (
        "from tensorflow.python.framework import ops\n"
        "from tensorflow.python.training import tracking\n"
        "import tensorflow.python.tpu.tpu_config\n"
        "ops.register_dense_tensor_like_type(t)\ntracking.base.Trackable()\n"
    )
    told = found(text, "TFM707")
    assert [(f.line, f.column, f.severity.value) for f in told] == [
        (3, 8, "manual"),
        (4, 1, "manual"),
        (5, 1, "manual"),
    ]
    assert all(f.action for f in told)
    check_unchanged(text)


@pytest.mark.parametrize(
    "use", ["map(s.vector, x)", "s.matrix(*x)", "s.vector(a, b)", "s.matrix(2)"]
)
def test_a_function_of_shapes_that_is_passed_on_is_told(use: str) -> None:
    text = f"from tensorflow.python.framework import tensor_shape as s\n{use}\n"
    assert [f.severity.value for f in found(text, "TFM707")] == ["manual"]
    check_unchanged(text)


def test_a_function_that_was_renamed_when_it_became_public() -> None:
    before = "from tensorflow.python.util import nest\nnest.is_sequence(x)\nnest.flatten(x)\n"
    assert "tf.nest.is_nested(x)\nnest.flatten(x)\n" in migrated(V1 + before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.python.training import training_ops",
            "from tensorflow.python.ops import gen_training_ops as training_ops",
        ),
        (
            "import tensorflow.python.training.training_ops as training_ops",
            "from tensorflow.python.ops import gen_training_ops as training_ops",
        ),
    ],
)
def test_a_module_whose_functions_another_one_has(before: str, after: str) -> None:
    use = "training_ops.apply_adam(v, m, n)\n"
    check(f"{V1}{before}\n{use}", f"{V1}{after}\n{use}")


def test_functions_of_such_a_module() -> None:
    old = "from tensorflow.python.training.training_ops import apply_adam as a\n"
    new = "from tensorflow.python.ops.gen_training_ops import apply_adam as a\n"
    check(f"{V1}{old}a(v)\n", f"{V1}{new}a(v)\n")


def test_a_star_import_of_the_package_is_reported() -> None:
    (left,) = found("from tensorflow.python import *\nx = placeholder(float32)\n", "TFM707")
    assert (left.line, left.severity.value) == (1, "manual")
    assert not found("from tensorflow.python.ops.math_ops import *\n", "TFM707")


def test_imports_that_bind_a_name_in_branches_stay() -> None:
    text = (
        f"{V1}if new:\n"
        "  from tensorflow.python.training.tracking.tracking import AutoTrackable as A\n"
        "else:\n  from program import A\nclass B(A): pass\n"
    )
    (left,) = found(text, "TFM707")
    assert (left.line, left.severity.value) == (3, "manual")
    assert "AutoTrackable as A" in migrated(text)
    assert "AutoTrackable" not in migrated(text.replace("class B(A)", "class B"))


def test_decorators_without_effect_are_to_be_removed() -> None:
    text = "from tensorflow.python.framework import ops\n@ops.RegisterShape('A')\ndef f(op): pass\n"
    (left,) = found(V1 + text, "TFM707")
    assert left.action == "remove it: this decorator had no effect in TensorFlow 1.x"
