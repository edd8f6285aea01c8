"""What became of the names of TensorFlow 1.x."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tfmigrate import symbol_table
from tfmigrate.core_names import core_name, missing
from tfmigrate.names import canonical
from tfmigrate.runtime_api import PACKAGES

_ROOT = "tensorflow"
# Where the names of a package are migrated by other rules than the general one.
_RULES = {
    "tensorflow.estimator": "TFM601",
    "tensorflow.contrib.estimator.replicate_model_fn": "TFM201",
    "tensorflow.contrib.estimator.TowerOptimizer": "TFM202",
    "tensorflow.contrib.learn.Experiment": "TFM102",
    "tensorflow.contrib.learn.learn_runner": "TFM102",
    "tensorflow.contrib.learn": "TFM101",
    "tensorflow.contrib.layers.optimize_loss": "TFM104",
    "tensorflow.contrib.training.HParams": "TFM103",
}


class Status(Enum):
    """What became of a name of TensorFlow 1.x."""

    COMPAT_V1 = "compat.v1"
    """It is in tf.compat.v1, as it was."""
    KERAS_2 = "tf-keras"
    """It is in tf.compat.v1 with Keras 2: package tf-keras, TF_USE_LEGACY_KERAS=1."""
    CORE = "core"
    """tf.compat.v1 has it under another name."""
    RUNTIME = "runtime"
    """tfmigrate_runtime has it."""
    GONE = "gone"
    """Nothing in TensorFlow or tfmigrate_runtime stands for it."""


@dataclass(frozen=True)
class Symbol:
    """A name of TensorFlow 1.x and what became of it.

    Attributes:
        name: the public name ("tensorflow.contrib.layers.flatten").
        status: what became of it.
        equivalent: what stands for it now ("tensorflow.compat.v1.train.get_global_step"); "" for
            nothing.
        rule: the code of the rule that migrates it, or that reports it.
        advice: what else there is to know, and what to do, one line; "" for nothing.
    """

    name: str
    status: Status
    equivalent: str
    rule: str
    advice: str = ""


def symbol(qualified: str) -> Symbol | None:
    """Returns what became of a name of TensorFlow 1.x.

    Args:
        qualified: the name in any spelling ("tensorflow.contrib.learn.python.learn.Experiment").

    Returns:
        What is known; None where TensorFlow 1.15 had no such name and no table knows it.
    """
    name = canonical(qualified)
    below = name.removeprefix(_ROOT).lstrip(".")
    if not name.startswith(_ROOT + "."):
        return None
    return _replaced(name) or _kept(name, below) or _gone(name, below)


def _replaced(name: str) -> Symbol | None:
    for package in PACKAGES:
        if package.offers_qualified(name):
            target = package.target + name.removeprefix(package.source)
            return Symbol(name, Status.RUNTIME, target, _rule(name, "TFM706"))
    if name in _RULES:
        return Symbol(name, Status.RUNTIME, "", _RULES[name])
    found = core_name(name)
    if found is not None:
        rule = "TFM703" if name.startswith("tensorflow.contrib.") else "TFM705"
        return Symbol(name, Status.CORE, f"tensorflow.compat.v1.{found}", rule)
    return None


def _kept(name: str, below: str) -> Symbol | None:
    place = f"v1-{symbol_table.NEWEST}"
    places = symbol_table.places_of(below)
    equivalent = f"tensorflow.compat.v1.{below}"
    if f"{place}:keras2" in places:
        advice = "needs the package tf-keras, and TF_USE_LEGACY_KERAS=1 in the environment"
        return Symbol(name, Status.KERAS_2, equivalent, "TFM701", advice)
    if place in places or f"{place}:keras3" in places:
        return Symbol(name, Status.COMPAT_V1, equivalent, "TFM701")
    return None


def _gone(name: str, below: str) -> Symbol | None:
    reported = missing(name)
    advice = f"{reported.reason}; {reported.action}" if reported else ""
    for prefix, rule in (("contrib.", "TFM702"), ("examples.", "TFM704"), ("python.", "TFM707")):
        if (below + ".").startswith(prefix):
            return Symbol(name, Status.GONE, "", _rule(name, rule), advice)
    if reported or symbol_table.is_found(below, symbol_table.OLD):
        return Symbol(name, Status.GONE, "", "", advice)
    return None


def _rule(name: str, otherwise: str) -> str:
    parts = name.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((_RULES[prefix] for prefix in prefixes if prefix in _RULES), otherwise)
