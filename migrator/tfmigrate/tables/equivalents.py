"""Core TensorFlow's equivalents of TensorFlow 1.x names: ``data/equivalents.txt``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from tfmigrate.tables.listed import sections


@dataclass(frozen=True)
class Equivalent:
    """A name of the core, below ``tf.`` (``tensorflow.compat.v1``), that means the same.

    Attributes:
        name: the name ("metrics.accuracy").
        parameters: the old function's, in their order, where the new one orders or names them
            differently; positional arguments become keywords, except those called "", which stay
            positional. () where all arguments can stay as they are.
        renamed: the new name of a parameter, by its old name; None for one without effect, which
            is removed.
        added: arguments that the new one needs to mean the same, as text, by their names; they are
            left out where the call gives them.
        called: whether the old name is what the new one returns when it is called.
    """

    name: str
    parameters: tuple[str, ...] = ()
    renamed: Mapping[str, str | None] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)
    called: bool = False


@dataclass(frozen=True)
class Missing:
    """Why a name, and all below it, has no equivalent.

    Attributes:
        reason: what it was, and why it is gone ("needs TPUs", "is not maintained").
        action: what to do ("use TensorFlow Probability (tfp.distributions)").
    """

    reason: str
    action: str


@dataclass(frozen=True)
class Package:
    """A package of TensorFlow 1.x: what became of its names, by what is behind its own name.

    ``missing`` has "" for those that are not listed.
    """

    names: dict[str, Equivalent]
    missing: dict[str, Missing]


@cache
def packages() -> Mapping[str, Package]:
    """Returns the packages by their names."""
    return {
        name: Package(
            {old: _equivalent(new) for old, new in section.became.items()},
            {old.strip("."): Missing(*why.split(" | ")) for old, why in section.others.items()},
        )
        for name, section in sections("equivalents").items()
    }


@cache
def names() -> Mapping[str, Equivalent]:
    """Returns the equivalents by the old names."""
    of = packages().items()
    return {f"{above}.{name}": new for above, package in of for name, new in package.names.items()}


@cache
def missing() -> Mapping[str, Missing]:
    """Returns why names have no equivalent."""
    return {
        f"{above}.{name}".removesuffix("."): why
        for above, package in packages().items()
        for name, why in package.missing.items()
    }


def _equivalent(text: str) -> Equivalent:
    """Returns what a name has, from what stands behind its arrow."""
    name, *options = text.split(" | ")
    words = {key: values for key, *values in map(str.split, options)}
    renamed = (word.partition("=") for word in words.get("renames", ()))
    return Equivalent(
        name,
        tuple(word if word != "_" else "" for word in words.get("takes", ())),
        {before: after or None for before, _, after in renamed},
        dict(word.split("=") for word in words.get("adds", ())),
        "called" in words,
    )
