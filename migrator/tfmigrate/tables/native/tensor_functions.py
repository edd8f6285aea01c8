"""Functions of tensors in training steps: what TensorFlow 2 calls them, and their arguments.

The signatures are those of ``entry.py``; functions that ``kept.py`` names are not repeated.
"""

from __future__ import annotations

from tfmigrate.tables.native.entry import Entry, entry

_SAME = """
    matmul nn.relu nn.softmax nn.sigmoid nn.relu6 nn.elu nn.selu nn.softplus nn.softsign nn.tanh
    nn.log_softmax nn.bias_add nn.l2_loss
    nn.leaky_relu add_n pow sin cos floor negative stop_gradient norm truediv minimum maximum
    clip_by_norm clip_by_global_norm global_norm math.abs math.exp math.sqrt math.square math.tanh
    math.sigmoid math.reduce_mean math.reduce_sum math.reduce_max math.add math.multiply
    math.subtract math.divide tensordot einsum nn.zero_fraction zeros ones eye
"""
SAME = frozenset(f"tensorflow.{name}" for name in _SAME.split())
"""Functions that TensorFlow 2 has by the same names with the same arguments."""

OTHERWISE = frozenset(("tensorflow.where", "tensorflow.cond", "tensorflow.constant"))
"""Functions that ``kept.py`` names and that compute or check something else in TensorFlow 2."""

_LABELS = "_sentinel=None labels logits name-"
FUNCTIONS: dict[str, Entry] = {
    **{
        f"tensorflow.nn.softmax_cross_entropy_with_logits{version}": entry(
            "tf.nn.softmax_cross_entropy_with_logits",
            "_sentinel=None labels logits dim:axis axis name-",
        )
        for version in ("", "_v2")
    },
    "tensorflow.nn.sparse_softmax_cross_entropy_with_logits": entry(
        "tf.nn.sparse_softmax_cross_entropy_with_logits", _LABELS
    ),
    "tensorflow.nn.sigmoid_cross_entropy_with_logits": entry(
        "tf.nn.sigmoid_cross_entropy_with_logits", _LABELS
    ),
    "tensorflow.nn.in_top_k": entry("tf.math.in_top_k", "predictions targets k name-"),
    "tensorflow.nn.embedding_lookup": entry(
        "tf.nn.embedding_lookup",
        "params! ids! partition_strategy- name- validate_indices- max_norm=None",
    ),
    "tensorflow.nn.conv2d": entry(
        "tf.nn.conv2d",
        "input! filter:filters! strides! padding! use_cudnn_on_gpu- data_format dilations name-",
    ),
    **{
        f"tensorflow.nn.{name}": entry(
            f"tf.nn.{name}", "value:input! ksize! strides! padding! data_format name-"
        )
        for name in ("max_pool", "avg_pool")
    },
    "tensorflow.rsqrt": entry("tf.math.rsqrt", "x! name-"),
    "tensorflow.constant": entry("tf.constant", "value! dtype shape name- verify_shape=False"),
    "tensorflow.nn.l2_normalize": entry("tf.nn.l2_normalize", "x! axis epsilon name- dim:axis"),
    **{
        f"tensorflow.reduce_{name}": entry(
            f"tf.reduce_{name}",
            "input_tensor! axis! keepdims! name- reduction_indices:axis keep_dims:keepdims",
        )
        for name in ("sum", "mean", "max", "min", "prod", "all", "any")
    },
    **{
        f"tensorflow.arg{name}": entry(
            f"tf.arg{name}", "input! axis! name- dimension:axis output_type"
        )
        for name in ("max", "min")
    },
    "tensorflow.expand_dims": entry("tf.expand_dims", "input! axis! name- dim:axis", axis="0"),
    "tensorflow.squeeze": entry("tf.squeeze", "input! axis! name- squeeze_dims:axis"),
    "tensorflow.concat": entry("tf.concat", "values! axis! name-"),
    "tensorflow.random_normal": entry(
        "tf.random.normal", "shape! mean! stddev! dtype! seed! name-"
    ),
    "tensorflow.truncated_normal": entry(
        "tf.random.truncated_normal", "shape! mean! stddev! dtype! seed! name-"
    ),
    "tensorflow.random_uniform": entry(
        "tf.random.uniform", "shape! minval! maxval! dtype! seed! name-"
    ),
}
"""By the name of a function of TensorFlow 1.x."""

TEMPLATES: dict[str, tuple[tuple[str, ...], str]] = {
    "tensorflow.nn.dropout": (("x", "keep_prob"), "tf.nn.dropout({0}, rate=1 - {1})"),
    "tensorflow.nn.xw_plus_b": (("x", "weights", "biases"), "tf.matmul({0}, {1}) + {2}"),
    "tensorflow.to_float": (("x",), "tf.cast({0}, tf.float32)"),
    "tensorflow.to_int32": (("x",), "tf.cast({0}, tf.int32)"),
    "tensorflow.to_int64": (("x",), "tf.cast({0}, tf.int64)"),
    "tensorflow.losses.mean_squared_error": (
        ("labels", "predictions"),
        "tf.reduce_mean(tf.square({1} - {0}))",
    ),
    "tensorflow.losses.sparse_softmax_cross_entropy": (
        ("labels", "logits"),
        "tf.reduce_mean(\n    "
        "tf.nn.sparse_softmax_cross_entropy_with_logits(labels={0}, logits={1}))",
    ),
    "tensorflow.losses.softmax_cross_entropy": (
        ("onehot_labels", "logits"),
        "tf.reduce_mean(\n    tf.nn.softmax_cross_entropy_with_logits(labels={0}, logits={1}))",
    ),
    "tensorflow.losses.sigmoid_cross_entropy": (
        ("multi_class_labels", "logits"),
        "tf.reduce_mean(\n    tf.nn.sigmoid_cross_entropy_with_logits(labels={0}, logits={1}))",
    ),
}
"""Functions without a successor: their parameters, and what they compute."""

LABELS_OF = frozenset(
    (
        "tensorflow.nn.softmax_cross_entropy_with_logits",
        "tensorflow.losses.softmax_cross_entropy",
    )
)
"""Functions that take no gradient of their labels, which TensorFlow 2 does."""
LOOKUPS = ("tensorflow.nn.embedding_lookup", "tensorflow.gather")
"""Functions with gradients of single rows."""
