"""tf.contrib.nn."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.nn"
# The flipped ones have the order of TensorFlow before 1.0 (contrib/nn/python/ops/cross_entropy.py).
NAMES: Mapping[str, Equivalent] = {
    "conv1d_transpose": Equivalent("nn.conv1d_transpose"),
    "deprecated_flipped_sigmoid_cross_entropy_with_logits": Equivalent(
        "nn.sigmoid_cross_entropy_with_logits", ("logits", "targets", "name"), {"targets": "labels"}
    ),
    "deprecated_flipped_softmax_cross_entropy_with_logits": Equivalent(
        "nn.softmax_cross_entropy_with_logits", ("logits", "labels", "dim", "name")
    ),
    "deprecated_flipped_sparse_softmax_cross_entropy_with_logits": Equivalent(
        "nn.sparse_softmax_cross_entropy_with_logits", ("logits", "labels", "name")
    ),
}
_RARE = "TensorFlow 2 has no function with the same random draws"
MISSING: Mapping[str, Missing] = {
    "alpha_dropout": Missing(_RARE, "use tf.keras.layers.AlphaDropout"),
    "nth_element": Missing("it is no longer public", "use tf.raw_ops.NthElement(input=x, n=n)"),
    "rank_sampled_softmax_loss": Missing(_RARE, "use tf.nn.sampled_softmax_loss"),
    "sampled_sparse_softmax_loss": Missing(_RARE, "use tf.nn.sampled_softmax_loss"),
    "scaled_softplus": Missing("it was only in tf.contrib", "implement it with tf.nn.softplus"),
}
