"""Members and arguments of Keras 2 that Keras 3 lacks.

The table is data/keras_members.txt, made by scripts/tables/list_keras_members.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from tfmigrate.tables.listed import listed, sections

_KERAS_2 = "express it in another way, or stay with Keras 2 (tf-keras, TF_USE_LEGACY_KERAS=1)"


_Moved = Mapping[int, tuple[str, str]]


@dataclass(frozen=True)
class Lost:
    """Members of a class that Keras 3 lacks.

    Attributes:
        members: all of them.
        hooks: those that Keras 2 calls itself, so that subclasses override them.
    """

    members: frozenset[str]
    hooks: frozenset[str]


def lost_members(kind: str) -> Mapping[str, Lost]:
    """Returns the members that are lost, by the name of the class below Keras ("models.Model").

    Args:
        kind: where: "lost" in Keras 3, "lost-in-2" in ``tf.compat.v1.keras``, "lost-in-graphs"
            there where TensorFlow 2's behavior is disabled.
    """
    return _table().lost[kind]


def taken_arguments() -> Mapping[str, frozenset[str]]:
    """Returns all arguments that Keras 3 takes, of those that took others in Keras 2.

    They are found by their names below Keras ("layers.Dense", "Model.fit").
    """
    return _table().takes


def moved_arguments(keras_3: bool, is_package: bool = False) -> Mapping[str, _Moved]:
    """Returns by position, from 0, the argument in Keras 2 and the other one that it is now.

    Args:
        keras_3: whether in Keras 3; in ``tf.compat.v1.keras``, from TensorFlow 1.15, otherwise.
        is_package: whether of names of the package keras, which had an order of its own up to 2.2.
    """
    if not keras_3:
        return _table().moved["moved-in-2"]
    return _table().moved["moved-since-2.2" if is_package else "moved"]


def advice(owner: str, name: str) -> str:
    """Returns what to do about a lost member of a class, or a lost argument (without an owner)."""
    known = sections("keras_advice")
    if not owner:
        return known["arguments"].others.get(name, "remove it, or pass what replaced it in Keras 3")
    kinds = [owner.rpartition(".")[2]]
    if owner.startswith("callbacks."):
        kinds.append("Callback")
    elif owner.startswith("optimizers."):
        kinds.append("Optimizer")
    elif owner.startswith("metrics."):
        kinds.append("Metric")
    else:
        kinds += ["Model", "Layer"]
    of_members = known["members"].others
    return next(filter(None, (of_members.get(f"{kind}.{name}") for kind in kinds)), _KERAS_2)


@dataclass(frozen=True)
class _Table:
    """The table, by names below Keras; ``data/keras_members.txt`` says what is what."""

    lost: dict[str, dict[str, Lost]] = field(default_factory=dict)
    takes: dict[str, frozenset[str]] = field(default_factory=dict)
    moved: dict[str, dict[str, _Moved]] = field(default_factory=dict)


@cache
def _table() -> _Table:
    table = _Table()
    for line in listed("keras_members"):
        heading, _, below = line.partition(": ")
        kind, *names = heading.split()
        words = below.split()
        if kind == "takes":
            table.takes.update(dict.fromkeys(names, frozenset(words)))
        elif kind.startswith("moved"):
            places = dict(map(_position, words))
            table.moved.setdefault(kind, {}).update(dict.fromkeys(names, places))
        else:
            members = frozenset(word.lstrip("*") for word in words)
            hooks = frozenset(word[1:] for word in words if word.startswith("*"))
            table.lost.setdefault(kind, {}).update(dict.fromkeys(names, Lost(members, hooks)))
    return table


def _position(word: str) -> tuple[int, tuple[str, str]]:
    """Returns what "2:metrics>loss_weights" says."""
    position, _, names = word.partition(":")
    old, _, new = names.partition(">")
    return int(position), (old, new)
