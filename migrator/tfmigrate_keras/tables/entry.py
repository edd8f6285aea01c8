"""What a function of TensorFlow 1.x becomes in Keras 3, and its arguments: data/vocabulary.txt."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from tfmigrate.tables.listed import sections

_LIST = ("vocabulary", "tfmigrate_keras")


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


def entries(title: str) -> dict[str, Entry]:
    """Returns the entries of a section, by the name in TensorFlow 1.x ("tensorflow.abs")."""
    return {name: _entry(text) for name, text in texts(title).items()}


def templates(title: str) -> dict[str, tuple[str, Entry]]:
    """Returns the code, with places for parameters, that the names of a section become."""
    known = entries(title).items()
    return {name: (entry.target, replace(entry, target="")) for name, entry in known}


def texts(title: str) -> dict[str, str]:
    """Returns what is behind the arrows of a section, by the name in TensorFlow 1.x."""
    became = sections(*_LIST)[title].became
    return {f"tensorflow.{old}": new for old, new in became.items()}


def options_of(words: list[str]) -> dict[str, list[str]]:
    """Returns the words behind the first one of each option ("adds from_logits=True")."""
    return {key: values for key, *values in map(str.split, words)}


def _entry(text: str) -> Entry:
    target, signature, *words = text.split(" | ")
    options = options_of(words)
    return Entry(
        target if target != "=" else "",
        tuple(_parameters(signature)),
        tuple(options.get("adds", ())),
        dict(pair.split("=") for pair in options.get("defaults", ())),
    )


def _parameters(signature: str) -> Iterator[Parameter]:
    for word in signature.split():
        old, equals, values = word.partition("=")
        if word.startswith("@"):
            yield from _parameters(sections(*_LIST)["signatures"].others[word[1:]])
        elif word.endswith("-"):
            yield Parameter(word[:-1], "")
        elif equals:
            yield Parameter(old, "", values=tuple(values.split(",")))
        else:
            old, _, new = word.rstrip("!").partition(":")
            yield Parameter(old, new or old, plain=word.endswith("!"))
