"""What a function of TensorFlow 1.x becomes in Keras 3, and its arguments.

The arguments are written as the signature of TensorFlow 1.x, one word a parameter, in order:

* ``units``: by the same name
* ``a:b``: by the name b
* ``a!``, ``a:b!``: without a name, if it comes first
* ``a-``: has no effect on the result, left out
* ``a=X,Y``: must be X or Y, left out

A parameter that is not listed is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function of TensorFlow 1.x.

    Attributes:
        old: its name.
        new: its name in Keras; "" where it is left out.
        plain: whether it is passed without its name.
        values: the only values, as code, that it may have; None for all.
    """

    old: str
    new: str
    plain: bool = False
    values: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Entry:
    """What a function of TensorFlow 1.x becomes.

    Attributes:
        target: its name in Keras ("keras.ops.mean").
        parameters: those of TensorFlow 1.x.
        added: arguments that are added ("from_logits=True").
        defaults: values, as code, of arguments that are not given, where Keras has others.
    """

    target: str
    parameters: tuple[Parameter, ...]
    added: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)

    def parameter(self, position: int) -> Parameter | None:
        """Returns the parameter of an argument without a name; None if there is none."""
        return self.parameters[position] if position < len(self.parameters) else None

    def named(self, name: str) -> Parameter | None:
        """Returns the parameter of that name; None if there is none."""
        return next((p for p in self.parameters if p.old == name), None)


def entry(target: str, signature: str, *added: str, **defaults: str) -> Entry:
    """Returns an entry, given the signature as this module's docstring describes it."""
    return Entry(target, _parameters(signature.split()), added, defaults)


def _parameters(words: Sequence[str]) -> tuple[Parameter, ...]:
    return tuple(_parameter(word) for word in words)


def _parameter(word: str) -> Parameter:
    if word.endswith("-"):
        return Parameter(word[:-1], "")
    old, equals, values = word.partition("=")
    if equals:
        return Parameter(old, "", values=tuple(values.split(",")))
    plain = word.endswith("!")
    old, _, new = word.rstrip("!").partition(":")
    return Parameter(old, new or old, plain)
