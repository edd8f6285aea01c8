"""Names that Python 3.7 reserved: ``self.async(x)`` is ``self.async_(x)``."""

import io
import tokenize

from tfmigrate.files.logical_lines import split_lines
from tfmigrate.files.quiet_parse import quiet_parse

_RESERVED = ("async", "await")
_STATEMENTS = ("def", "for", "with")


def without_reserved_names(text: str) -> str:
    """Returns a text in which functions and variables that it defines have no reserved names.

    Arguments by name, and what other code may define, keep their names, which do not parse.
    """
    try:
        quiet_parse(text)
    except SyntaxError:
        return _renamed(text)
    return text


def _renamed(text: str) -> str:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return text
    defined: set[str] = set()
    foreign: set[str] = set()
    places = []
    for before, token, after in zip(tokens[:1] + tokens, tokens, tokens[1:], strict=False):
        if token.string not in _RESERVED or after.string in _STATEMENTS:
            continue
        places.append(token)
        if before.string in ("(", ",") and after.string == "=":
            foreign.add(token.string)
        elif before.string == "def" or after.string == "=":
            defined.add(token.string)
    lines = split_lines(text)
    for token in reversed(places):
        if token.string in defined - foreign:
            row, column = token.end
            lines[row - 1] = f"{lines[row - 1][:column]}_{lines[row - 1][column:]}"
    return "".join(lines)
