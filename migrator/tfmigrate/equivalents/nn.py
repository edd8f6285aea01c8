"""tf.contrib.nn."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.nn"
# The functions of before 1.0 took logits before labels (contrib/nn/python/ops/cross_entropy.py).
NAMES: Mapping[str, Equivalent] = {
    "conv1d_transpose": Equivalent("nn.conv1d_transpose"),
    "deprecated_flipped_sigmoid_cross_entropy_with_logits": Equivalent(
        "nn.sigmoid_cross_entropy_with_logits",
        ("logits", "targets", "name"),
        {"targets": "labels"},
    ),
    "deprecated_flipped_softmax_cross_entropy_with_logits": Equivalent(
        "nn.softmax_cross_entropy_with_logits", ("logits", "labels", "dim", "name")
    ),
    "deprecated_flipped_sparse_softmax_cross_entropy_with_logits": Equivalent(
        "nn.sparse_softmax_cross_entropy_with_logits", ("logits", "labels", "name")
    ),
}
MISSING: Mapping[str, Missing] = {
    "nth_element": Missing("it has no public name", "use tf.sort(x)[..., n]"),
}
