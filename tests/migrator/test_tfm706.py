"""Packages of tf.contrib become the runtime's, and one that was never public."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrate_tree, migrated

TF = "import tensorflow as tf\n"
V1 = "import tensorflow.compat.v1 as tf\n"
INSTANCE = "get_optimizer_instance('Adam', learning_rate=0.1)\ntf.to_float(1)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.python.estimator.canned.optimizers import get_optimizer_instance\n"
            + INSTANCE,
            "from tfmigrate_runtime.optimizers import get_optimizer_instance\n" + INSTANCE,
        ),
        (
            f"from tensorflow.python.estimator.canned import optimizers\noptimizers.{INSTANCE}",
            f"from tfmigrate_runtime import optimizers\noptimizers.{INSTANCE}",
        ),
        (
            "from tensorflow.contrib import seq2seq as s2s\ns2s.sequence_loss(x, y, z)\n",
            "from tfmigrate_runtime import seq2seq as s2s\ns2s.sequence_loss(x, y, z)\n",
        ),
        (
            "from tensorflow.contrib import nccl\nnccl.all_sum(tensors)\n",
            "from tfmigrate_runtime import nccl\nnccl.all_sum(tensors)\n",
        ),
        (
            "from tensorflow.contrib.nccl.ops import gen_nccl_ops\ngen_nccl_ops.nccl_reduce(x)\n",
            "from tfmigrate_runtime.nccl import gen_nccl_ops\ngen_nccl_ops.nccl_reduce(x)\n",
        ),
    ],
)
def test_imports_become_the_runtimes(before: str, after: str) -> None:
    before, after = (text.replace("\n", "\ny = ", 1) for text in (before, after))
    before, after = (text.replace("\ntf.to_float", "\nz = tf.to_float") for text in (before, after))
    check(TF + before, V1 + after)
    assert not found(TF + before, "TFM602")


def test_a_private_name_that_copies_of_dynamic_rnn_call() -> None:
    text = f"{TF}from tensorflow.python.ops import rnn_cell_impl\nf = rnn_cell_impl._like_rnncell\n"
    assert "f = rnn._like_rnncell\n" in migrated(text)


def test_the_other_private_names_of_estimators_are_told() -> None:
    text = "from tensorflow.python.estimator.canned import dnn\ndnn.x\n"
    assert [f.line for f in found(TF + text, "TFM602")] == [2]
    text = "from tensorflow.python.estimator.canned import head\nhead.x\n"
    (told,) = found(TF + text, "TFM602")
    assert told.line == 3
    assert told.message.startswith("tensorflow.python.estimator.canned.head.x ")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import tf_slim", "from tfmigrate_runtime import slim as tf_slim"),
        ("import tf_slim.nets", "from tfmigrate_runtime import slim as tf_slim"),
    ],
)
def test_tf_slim_under_its_own_name(before: str, after: str) -> None:
    rest = "\n\ndef f(x):\n  return tf_slim.flatten(x)\n"
    check(before + rest, after + rest)


def test_tf_slim_as_a_package_of_the_program_stays() -> None:
    files = {"tf_slim/__init__.py": "", "tf_slim/layers.py": "def flatten(x):\n  return x\n"}
    use = "import tf_slim\nfrom tf_slim import layers\ntf_slim.layers\nlayers.flatten(1)\n"
    changed, findings = migrate_tree({**files, "use.py": use})
    assert (changed, findings) == ({}, [])


def test_tf_slim_itself_becomes_the_runtimes() -> None:
    check(
        """\
        import tensorflow.compat.v1 as tf
        import tf_slim as slim
        from tf_slim.nets import vgg

        def f(x):
          slim.utils.convert_collection_to_dict('end_points')
          return vgg.vgg_16(slim.conv2d(x, 3, [3, 3]))
        """,
        """\
        import tensorflow.compat.v1 as tf
        from tfmigrate_runtime import slim
        from tfmigrate_runtime.slim.nets import vgg

        def f(x):
          slim.utils.convert_collection_to_dict('end_points')
          return vgg.vgg_16(slim.conv2d(x, 3, [3, 3]))
        """,
    )


def test_a_module_of_the_same_letters_is_no_alias_of_contrib() -> None:
    check_unchanged("import contrib\nc = contrib\nc.layers.flatten(x)\n")


@pytest.mark.parametrize("module", ["ops.cudnn_rnn_ops", "layers.cudnn_rnn"])
def test_constants_of_cudnn_by_their_deep_paths(module: str) -> None:
    package, _, name = module.rpartition(".")
    check(
        f"""\
        from tensorflow.contrib.cudnn_rnn.python.{package} import {name} as names
        from tensorflow.contrib.cudnn_rnn.python.{module} import CUDNN_RNN_BIDIRECTION

        def f():
          return names.CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION
        """,
        """\
        from tfmigrate_runtime import cudnn_rnn as names
        from tfmigrate_runtime.cudnn_rnn import CUDNN_RNN_BIDIRECTION

        def f():
          return names.CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION
        """,
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from tensorflow.contrib.nccl import *\ny = all_sum(broadcast(1))\n",
            "from tfmigrate_runtime.nccl import all_sum, broadcast\ny = all_sum(broadcast(1))\n",
        ),
        (  # both have arg_scope: the last import binds it
            "from tensorflow.contrib.framework import *\nfrom tensorflow.contrib.slim import *\n"
            "def f(x):\n  with arg_scope([conv2d]): return conv2d(x, xrange(3)), is_tensor(x)\n",
            "from tfmigrate_runtime.slim import arg_scope, conv2d\n"
            "def f(x):\n  with arg_scope([conv2d]): return conv2d(x, xrange(3)), tf.is_tensor(x)\n",
        ),
        ("from tensorflow.contrib.gan import *\ny = len([1])\n", "y = len([1])\n"),
    ],
)
def test_a_star_import_becomes_one_of_the_names_that_are_used(before: str, after: str) -> None:
    result = migrated(f"{TF}{before}z = tf.to_float(1)\n")
    assert (
        result.replace("\ntf.disable_v2_behavior()\n\n", "") == f"{V1}{after}z = tf.to_float(1)\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "from tensorflow.contrib.layers import *\nfrom numpy import *\nf(stack)\n",
        "from tensorflow.contrib.layers import *\nif f:\n  def conv2d(x): pass\nconv2d(1)\n",
        "from tensorflow.contrib.layers import *\nprint(of_another_version)\n",
        "if f:\n  from tensorflow.contrib.layers import *\n",
    ],
)
def test_star_imports_whose_names_are_unclear_are_reported(text: str) -> None:
    (finding,) = found(TF + text, "TFM702")
    assert finding.message == (
        "tf.contrib.layers.* is not in TensorFlow 2: which names this file and others take from it "
        "cannot be determined"
    )


def test_names_that_other_files_take_through_a_star_import() -> None:
    files = {
        "nets.py": "from tensorflow.contrib.layers import *\n",
        "one.py": "import tensorflow as tf\nfrom nets import *\nconv2d(tf.to_float(1), 3)\n",
        "two.py": "import tensorflow as tf\nimport nets\nnets.flatten(tf.to_float(1))\n",
        "three.py": "import tensorflow as tf\nfrom nets import dropout\ndropout(tf.to_float(1))\n",
    }
    texts, _ = migrate_tree(files)
    assert texts["nets.py"] == "from tfmigrate_runtime.layers import conv2d, dropout, flatten\n"
