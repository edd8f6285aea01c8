"""Arguments that what replaces a name of TensorFlow 1.x takes differently, or not at all.

The table is data/lost_arguments.txt, made by scripts/tables/list_lost_arguments.py from the
signatures of several TensorFlows 1.x.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tfmigrate.tables.listed import listed

# Functions of tf.contrib.losses whose parameters had other names before TensorFlow 1.0.
_EARLY_LOSSES = (
    "absolute_difference", "compute_weighted_loss", "cosine_distance", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy",
    "softmax_cross_entropy", "sparse_softmax_cross_entropy",
)  # fmt: skip
_EARLY_PARAMETERS = {"weight": "weights", "targets": "labels"}
# TensorFlow 1.15 had left these parameters to the public functions alone.
_REDUCTIONS = ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")
_OF_REDUCTIONS = {"keep_dims": "keepdims", "reduction_indices": "axis"}


@dataclass(frozen=True)
class Following:
    """The parameters after the common ones, of some versions.

    Attributes:
        names: their names.
        by_position: whether the new function takes them by these positions.
    """

    names: tuple[str, ...]
    by_position: bool


@dataclass(frozen=True)
class Lost:
    """How the parameters of a function changed.

    Attributes:
        same: how many arguments by position mean the same; None for all.
        gone: the parameters that are not there any more.
        renamed: the new names of parameters.
        after: what arguments by position follow, by version.
    """

    same: int | None
    gone: frozenset[str]
    renamed: Mapping[str, str]
    after: tuple[Following, ...]


@cache
def lost_arguments() -> dict[str, Lost]:
    """Returns what changed, by the name of TensorFlow 1.x ("tensorflow.nn.top_k")."""
    lost_by_name = {
        f"tensorflow.contrib.{package}.{name}": Lost(None, frozenset(), _EARLY_PARAMETERS, ())
        for package in ("losses", "slim.losses")
        for name in _EARLY_LOSSES
    }
    for name in _REDUCTIONS:
        internal = f"tensorflow.python.ops.math_ops.reduce_{name}"
        lost_by_name[internal] = Lost(None, frozenset(), _OF_REDUCTIONS, ())
    for line in listed("lost_arguments"):
        name, same, *lists, versions = line.split()
        gone, renamed = ([] if part == "-" else part.split(",") for part in lists)
        after = [] if versions == "-" else versions.split(";")
        lost_by_name[f"tensorflow.{name}"] = Lost(
            None if same == "-" else int(same),
            frozenset(gone),
            dict(pair.split("=") for pair in renamed),
            tuple(
                Following(tuple(filter(None, v.lstrip("=").split(","))), v.startswith("="))
                for v in after
            ),
        )
    return lost_by_name


@cache
def lost_by_method() -> dict[str, frozenset[str]]:
    """Returns the parameters that methods of classes lost, by the method's name alone."""
    gone_by_method: dict[str, frozenset[str]] = {}
    for name, lost in lost_arguments().items():
        owner, _, method = name.rpartition(".")
        if owner.rpartition(".")[2][:1].isupper() and lost.gone:
            gone_by_method[method] = gone_by_method.get(method, frozenset()) | lost.gone
    return gone_by_method
