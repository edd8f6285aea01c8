"""The words of rules for the search before parsing, read from their files without importing them.

Importing all rules takes longer than searching a thousand files.
"""

import ast
import re
from functools import cache
from importlib import resources

from tfmigrate.scan import plugins

_DECLARED = re.compile(
    r"^(?P<name>WORDS|MODULES|MODULES_BESIDE) = (?P<value>\([^()]*\))$", re.MULTILINE
)


@cache
def words() -> tuple[bytes, ...]:
    """Returns the words that matter to a rule in every file that names TensorFlow."""
    return tuple(word.encode() for word in _declared("WORDS"))


def modules() -> tuple[str, ...]:
    """Returns the internal modules of TensorFlow whose names a rule is about."""
    return _declared("MODULES")


def modules_beside() -> tuple[str, ...]:
    """Returns those that count only if a rule applies to another file of the program."""
    return _declared("MODULES_BESIDE")


def _declared(name: str) -> tuple[str, ...]:
    return tuple(
        value for declared_name, values in _all() for value in values if declared_name == name
    )


@cache
def _all() -> tuple[tuple[str, tuple[str, ...]], ...]:
    files = [f for f in resources.files("tfmigrate.rules").iterdir() if f.name.endswith(".py")]
    own = [file.read_text("utf-8") for file in sorted(files, key=lambda file: file.name)]
    return tuple(
        (match["name"], ast.literal_eval(match["value"]))
        for text in (*own, *plugins.texts())
        for match in _DECLARED.finditer(text)
    )
