"""What each name of TensorFlow 1.x is in TensorFlow 2."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tfmigrate.families.tf1.core_names import core_name, missing, simple_core_name
from tfmigrate.model.statuses import Status
from tfmigrate.resolve.canonical import canonical
from tfmigrate.rulekit.registry import rules
from tfmigrate.tables import symbol_table
from tfmigrate.tables.chains import and_above
from tfmigrate.tables.runtime_api import PACKAGES

_ROOT = "tensorflow"


@dataclass(frozen=True)
class Symbol:
    """A name of TensorFlow 1.x and its state in TensorFlow 2.

    Attributes:
        name: the public name ("tensorflow.contrib.layers.flatten").
        status: where it is now.
        equivalent: its replacement ("tensorflow.compat.v1.train.get_global_step"); "" for none.
        rule: the code of the rule that migrates or reports it.
        advice: the reason and what to do, one line; "" for nothing.
    """

    name: str
    status: Status
    equivalent: str
    rule: str
    advice: str = ""


def symbol(qualified: str) -> Symbol | None:
    """Returns the state of a name of TensorFlow 1.x.

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
    simple = simple_core_name(name)
    for package in PACKAGES:
        if simple is None and package.offers_qualified(name):
            target = package.target + name.removeprefix(package.source)
            return Symbol(name, Status.RUNTIME, target, _rule(name, Status.RUNTIME))
    if name in _rules(Status.RUNTIME):
        return Symbol(name, Status.RUNTIME, "", _rule(name, Status.RUNTIME))
    if (new_name := core_name(name)) is not None:
        core = f"tensorflow.compat.v1.{new_name}"
        return Symbol(name, Status.CORE, core, _rule(name, Status.CORE))
    return None


def _kept(name: str, below: str) -> Symbol | None:
    place = f"v1-{symbol_table.NEWEST}"
    places = symbol_table.places_of(below)
    equivalent = f"tensorflow.compat.v1.{below}"
    if f"{place}:keras2" in places:
        advice = "needs the package tf-keras, and TF_USE_LEGACY_KERAS=1 in the environment"
        return Symbol(name, Status.KERAS_2, equivalent, _rule(name, Status.KERAS_2), advice)
    if place in places or f"{place}:keras3" in places:
        return Symbol(name, Status.COMPAT_V1, equivalent, _rule(name, Status.COMPAT_V1))
    return None


def _gone(name: str, below: str) -> Symbol | None:
    reported = missing(name)
    advice = f"{reported.reason}; {reported.action}" if reported else ""
    rule = _rule(name, Status.GONE)
    if rule or reported or symbol_table.is_found(below, symbol_table.OLD):
        return Symbol(name, Status.GONE, "", rule or rule_of_unknown(), advice)
    return None


@cache
def rule_of_unknown() -> str:
    """Returns the code of the rule that reports the names which no other rule does."""
    return next(rule.code for rule in rules() if rule.missing is not None)


def _rule(name: str, status: Status) -> str:
    """Returns the code of the rule for a name, or for the nearest package above it."""
    known = _rules(status)
    return next((known[above] for above in and_above(name) if above in known), "")


@cache
def _rules(status: Status) -> Mapping[str, str]:
    """Returns the codes of rules by the names that they migrate, or report, with that status."""
    return {name: rule.code for rule in rules() for name in rule.symbols.get(status, ())}
