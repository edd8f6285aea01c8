"""TFM705: names and argument orders of TensorFlow before 1.0."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrated, run

OURS = "from tfmigrate_runtime.estimator import Estimator\nEstimator(f)\n"
V1 = "import tensorflow.compat.v1 as tf\n"


@pytest.mark.parametrize(
    "text",
    [
        # compat.v1 has these.
        "tf.initialize_all_variables()\n",
        "tf.nn.dropout(x, keep_prob=0.5)\n",
        "tf.reduce_sum(x, reduction_indices=1, keep_dims=True)\n",
        "tf.concat([a, b], 1)\n",
        "tf.concat(values, axis)\n",
        "tf.concat(values, axis=1)\n",
        "tf.concat(*arguments)\n",
        # No version takes these.
        "tf.concat([a, b], concat_dim=1)\n",
        "tf.split(x, split_dim=1, num_split=2)\n",
        "tf.split(x, 2, 1)\n",
        "tf.split(x, num, axis=0)\n",
        "tf.split(x, 2)\n",
        "tf.reverse(x, [1])\n",
        "tf.reverse(x, flags)\n",
        "tf.image.resize_images(x, [4, 4], 1)\n",
        "tf.image.resize_images(x, size, method, align_corners)\n",
        "tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)\n",
        "tf.nn.softmax_cross_entropy_with_logits(x, y, 1, 'name', too, many)\n",
        # No name of TensorFlow's.
        "mul(x, y)\n",
    ],
)
def test_left_alone(text: str) -> None:
    check_unchanged(V1 + text + OURS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.mul(x, y=z)\n", "tf.multiply(x, y=z)\n"),
        (
            "tf.contrib.linalg.LinearOperatorTriL(x).to_dense()\n",
            "tf.linalg.LinearOperatorLowerTriangular(x).to_dense()\n",
        ),
        ("tf.contrib.linalg.LinearOperatorDiag(x)\n", "tf.linalg.LinearOperatorDiag(x)\n"),
        ("f = tf.sub\nf(x, y)\n", "f = tf.subtract\nf(x, y)\n"),
        ("tf.concat_v2([a, b], 1, name='n')\n", "tf.concat([a, b], 1, name='n')\n"),
        ("tf.concat(-1, values)\n", "tf.concat(values, -1)\n"),
        ("tf.concat(axis, [a, b])\n", "tf.concat([a, b], axis)\n"),
        ("tf.concat(0, [a,  # the first\n    b])\n", "tf.concat([a,  # the first\n    b], 0)\n"),
        ("tf.split(1, num, x, name='s')\n", "tf.split(x, num, 1, name='s')\n"),
        ("tf.split(0, n, value=x)\n", "tf.split(axis=0, num_or_size_splits=n, value=x)\n"),
        ("tf.reverse(x, dims=[True, False])\n", "tf.reverse(x, axis=[0])\n"),
        (
            "tf.image.resize_images(f(x), h, new_width=9, align_corners=True)\n",
            "tf.image.resize_images(f(x), [h, 9], align_corners=True)\n",
        ),
        (
            "tf.nn.softmax_cross_entropy_with_logits(x, labels=y)\n",
            "tf.nn.softmax_cross_entropy_with_logits(logits=x, labels=y)\n",
        ),
        (
            "tf.scalar_summary(f'{name}/x', tf.pack([x, y]), ['key'])\n",
            "tf.summary.scalar(f'{name}/x', tf.stack([x, y]), collections=['key'])\n",
        ),
    ],
)
def test_becomes_that_of_today(before: str, after: str) -> None:
    check(V1 + before + OURS, V1 + after + OURS)


def test_imports_of_early_names() -> None:
    before = "from tensorflow import pack, float32, mul\nmul(pack([x]), y)\nfloat32\n"
    check(
        before + OURS,
        "from tensorflow.compat.v1 import float32\nimport tensorflow.compat.v1 as tf\n"
        "tf.multiply(tf.stack([x]), y)\nfloat32\n" + OURS,
    )


@pytest.mark.parametrize(
    "call", ["tf.scalar_summary(['a', 'b'], x)", "tf.select(*parts)", "f(tf.scalar_summary)"]
)
def test_what_nobody_knows_is_told(call: str) -> None:
    (finding,) = found(V1 + call + "\n" + OURS, "TFM705")
    assert finding.severity.value == "manual"
    assert "was removed in TensorFlow 1.0" in finding.message


def test_names_that_later_releases_lack() -> None:
    before = (
        "import tensorflow as tf\nfrom tensorflow import flags\n"
        "tf.logging._logger.setLevel(10)\ntf.logging._logger.propagate = False\n"
        "def f(x):\n  try:\n    tf.placeholder(x)\n  except flags.FlagsError:\n"
        "    raise tf.app.flags.FlagsError('x')\n"
    )
    after = (
        "import tensorflow.compat.v1 as tf\n"
        "tf.get_logger().setLevel(10)\ntf.get_logger().propagate = False\n"
        "def f(x):\n  try:\n    tf.placeholder(x)\n  except tf.flags.Error:\n"
        "    raise tf.app.flags.Error('x')\n"
    )
    check(before, after)


@pytest.mark.parametrize("name", ["sampled_softmax_loss", "nce_loss"])
def test_arguments_that_1_0_swapped(name: str) -> None:
    call = f"tf.nn.{name}(w, b, x, y, 64, n)"
    named = "weights=w, biases=b, inputs=x, labels=y, num_sampled=64, num_classes=n"
    text = "import tensorflow as tf\n{}\n\n\ndef f(w, b, x, y, n):\n  tf.Session()\n  return {}\n"
    for early in ("z = tf.mul(2, 3)", "z = tf.concat(0, [1, 2])"):
        after = " ".join(migrated(text.format(early, call)).split())
        assert named in after
    assert call in migrated(text.format("z = tf.multiply(2, 3)", call))


@pytest.mark.parametrize(
    "later",
    [
        "tf.contrib.rnn.core_rnn_cell.GRUCell(3)",
        "import tensorflow.contrib.rnn.python.ops.core_rnn_cell as c\nc._linear([], 2, True)",
    ],
)
def test_arguments_that_1_0_swapped_in_programs_of_1_0_and_later(later: str) -> None:
    text = f"import tensorflow as tf\n{later}\nx = tf.placeholder(1)\n"
    call = "tf.nn.sampled_softmax_loss(w, b, y, x, 3, 9)\n"
    assert migrated(text + call).endswith(call)


def test_sparse_split() -> None:
    check(
        f"{V1}tf.sparse_split(1, 2, x)\n{OURS}",
        f"{V1}tf.sparse_split(axis=1, num_split=2, sp_input=x)\n{OURS}",
    )
    check_unchanged(f"{V1}tf.sparse_split(sp_input=x, num_split=2, axis=1)\n{OURS}")


def test_methods_of_tensor_arrays() -> None:
    text = "import tensorflow as tf\nimport struct\n\n\ndef f(x, m):\n"
    text += "  a = tf.TensorArray(tf.float32, 3).unpack(x)\n  tf.Session()\n"
    text += "  return a.pack(), struct.unpack(m), m.pack(side=1), m.unpack('f', x)\n"
    after = migrated(text)
    assert "tf.TensorArray(tf.float32, 3).unstack(x)" in after
    assert "return a.stack(), struct.unpack(m), m.pack(side=1), m.unpack('f', x)" in after


@pytest.mark.parametrize("caught", ["", " AttributeError", " Exception"])
def test_names_that_the_program_has_a_replacement_for(caught: str) -> None:
    text = (
        "import tensorflow as tf\ntf.placeholder(1)\ntry:\n  show = tf.image_summary\n"
        f"except{caught}:\n  show = tf.summary.image\n"
    )
    assert found(text, "TFM705") == []


@pytest.mark.parametrize(
    ("early", "is_told"),
    [
        ("tf.mul(1, 2)", True),
        ("tf.contrib.rnn.core_rnn_cell.GRUCell(3)", True),
        ("from tensorflow.contrib.rnn.python.ops.core_rnn_cell import _linear; _linear()", False),
        ("tf.Session()", False),
    ],
)
def test_layers_of_one_cell(early: str, is_told: bool) -> None:
    text = f"import tensorflow as tf\n{early}\ntf.Session()\ncell = tf.contrib.rnn.GRUCell(3)\n"
    told = found(f"{text}tf.contrib.rnn.MultiRNNCell([cell] * 2)\n", "TFM705")
    assert [f.line for f in told if f.severity.value == "manual"] == [5] * is_told
    each = found(f"{text}tf.contrib.rnn.MultiRNNCell([cell for _ in range(2)])\n", "TFM705")
    assert not [f for f in each if f.severity.value == "manual"]


LOSS = """import tensorflow as tf

def build(w, b, outputs, targets, weights, n):
    softmax_loss_function = None
    if n:
        def sampled_loss({}):
            return tf.nn.sampled_softmax_loss(w, b, {}, n, 40)
        softmax_loss_function = {}
    with tf.Session():
        return {}.sequence_loss(
            outputs, targets, weights, softmax_loss_function=softmax_loss_function)
"""


@pytest.mark.parametrize(
    ("parameters", "order"),
    [("inputs, labels", "logits, labels"), ("labels, inputs", "labels, logits")],
)
@pytest.mark.parametrize("module", ["tf.contrib.legacy_seq2seq", "tf.nn.seq2seq"])
def test_a_sampled_loss_is_called_with_the_names_of_seq2seq(
    parameters: str, order: str, module: str
) -> None:
    after = migrated(LOSS.format(parameters, "inputs, labels", "sampled_loss", module))
    assert f"softmax_loss_function = lambda labels, logits: sampled_loss({order})\n" in after


@pytest.mark.parametrize("parameters", ["labels, logits", "logits, labels", "x, y", "inputs"])
def test_a_sampled_loss_with_those_names_stays(parameters: str) -> None:
    text = LOSS.format(parameters, parameters, "sampled_loss", "tf.contrib.legacy_seq2seq")
    assert "lambda" not in migrated(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("sigmoid_cross_entropy_with_logits(None, y, z)", "(labels=y, logits=z)"),
        (
            "softmax_cross_entropy_with_logits(None, y, z, 1)",
            "(labels=y, logits=z, dim=1)",
        ),
        ("softmax_cross_entropy_with_logits_v2(None, y, logits=z)", "(labels=y, logits=z)"),
        (
            "sparse_softmax_cross_entropy_with_logits(None, labels=y, logits=z)",
            "(labels=y, logits=z)",
        ),
        (
            "sigmoid_cross_entropy_with_logits(_sentinel=None, labels=y, logits=z)",
            "(labels=y, logits=z)",
        ),
    ],
)
def test_entropies_with_their_first_parameter(before: str, after: str) -> None:
    """TensorFlow 1.x takes labels and logits by position after None: no sign of 0.12."""
    other = "tf.nn.sampled_softmax_loss(w, b, y, x, 3, 9)\n"
    text = f"import tensorflow as tf\nx = tf.placeholder(1)\nq = tf.nn.{before}\n{other}"
    new = migrated(text)
    assert f"q = tf.nn.{before.partition('(')[0]}{after}\n{other}" in new


def test_entropies_of_tensorflow_2_with_two_arguments_stay() -> None:
    check_unchanged(
        "import tensorflow as tf\nx = tf.nn.softmax_cross_entropy_with_logits(y, z)\n"
        "w = tf.nn.softmax_cross_entropy_with_logits_v2 = 1\n"
    )


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("functools.partial(tf.concat, 1)", 1),
        ("functools.partial(tf.split, 0, 3)", 1),
        ("functools.partial(tf.concat, axis=1)", 0),
        ("functools.partial(tf.concat, [x, x])", 0),
        ("tf.nn.rnn_cell.BasicLSTMCell(3, 1.0, 4)", 1),
        ("tf.nn.rnn_cell.GRUCell(3, None, tf.nn.relu)", 1),
        ("tf.nn.rnn_cell.BasicLSTMCell(3, 1.0)", 0),
    ],
)
def test_arguments_that_are_not_known_to_be_early(line: str, count: int) -> None:
    text = f"import functools\nimport tensorflow as tf\nx = tf.mul(1, 2)\ny = {line}\n"
    left = [f for f in run(text).findings if f.code == "TFM705" and not f.applied]
    assert len(left) == count


def test_modules_of_tensorflow_0_show_that_a_program_is_older() -> None:
    text = "from tensorflow.models.rnn import rnn_cell\nimport tensorflow as tf\n"
    text += "cell = rnn_cell.MultiRNNCell([rnn_cell.GRUCell(3)] * 2)\ntf.placeholder('float')\n"
    left = [f for f in run(text).findings if f.code == "TFM705" and not f.applied]
    assert [f.line for f in left] == [3]


def test_a_name_that_the_program_sets_itself_stays() -> None:
    text = "import tensorflow as tf\n\ntf.mul = product\nx = tf.placeholder(float)\n"
    after = migrated(text + "y = tf.mul(x, x)\n")
    assert after.endswith("tf.mul = product\nx = tf.placeholder(float)\ny = tf.mul(x, x)\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tf.scalar_summary(b'mean', x)", "tf.summary.scalar('mean', x)"),
        ("tf.scalar_summary(b'a b', x, name='y')", "tf.summary.scalar('a b', x)"),
        (
            "tf.histogram_summary(tag=b'all', values=x)",
            "tf.summary.histogram(name='all', values=x)",
        ),
        ("tf.scalar_summary(tag, x)", "tf.summary.scalar(tag, x)"),
    ],
)
def test_tags_of_bytes_become_texts(before: str, after: str) -> None:
    head = "import tensorflow as tf\nx = tf.placeholder(float)\n"
    assert migrated(f"{head}{before}\n").endswith(f"{after}\n")


@pytest.mark.parametrize("name", ["SparseTensor", "SparseTensorValue"])
def test_the_shape_of_sparse_tensors(name: str) -> None:
    for old, new in [
        ("shape=[3], indices=i, values=v", "dense_shape=[3], indices=i, values=v"),
        ("i, v, shape=[3]", "i, v, dense_shape=[3]"),
        ("indices=i, values=v, dense_shape=[3]", "indices=i, values=v, dense_shape=[3]"),
    ]:
        text = f"import tensorflow as tf\ntf.to_float(1)\nx = tf.{name}({{}})\n"
        assert migrated(text.format(old)).endswith(f"x = tf.{name}({new})\n")
