"""The text of hyperparameters, "a=1,b=[2,3],c[1]=4" (contrib/training hparam.py, parse_values)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

# One name, perhaps with an index, and what follows its "=": one value, or a list in brackets.
_ASSIGNMENT = re.compile(
    r"(?P<name>[a-zA-Z][\w\.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])($|,\s*)"
)
_BOOLS = {"true": True, "True": True, "false": False, "False": False}


def parse_values(
    values: str, type_map: Mapping[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Reads hyperparameters from text.

    Args:
        values: assignments with commas between them.
        type_map: the types of the hyperparameters, or of the elements of their lists.
        ignore_unknown: whether names that have no type are passed over.

    Returns:
        By name: a value, a list, or for assignments with an index a dictionary of index and value.

    Raises:
        ValueError: it cannot be read, a name is unknown, or something is assigned twice.
    """
    found: dict[str, Any] = {}
    position = 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        name = match["name"]
        if name in type_map:
            _assign(found, match, _reader(name, type_map[name], values), values)
        elif not ignore_unknown:
            raise ValueError(f"Unknown hyperparameter type for {name}")
    return found


def _assign(
    found: dict[str, Any], match: re.Match[str], read: Callable[[str, str], Any], values: str
) -> None:
    """Adds what one assignment says."""
    name, index = match["name"], match["index"]
    if match["value"] is None:
        if index is not None:
            raise ValueError("Assignment of a list to a list index.")
        listed = match["values"]
        elements = [part for part in re.split("[ ,]", listed) if part]
        if name in found:
            raise _assigned_twice(name, values)
        found[name] = [read(element, listed) for element in elements]
        return
    value = read(match["value"], match["value"])
    if index is None:
        if name in found:
            raise _assigned_twice(name, values)
        found[name] = value
        return
    of_list = found.setdefault(name, {})
    if not isinstance(of_list, dict):
        raise _assigned_twice(name, values)
    if int(index) in of_list:
        raise _assigned_twice(f"{name}[{index}]", values)
    of_list[int(index)] = value


def _reader(name: str, kind: type, values: str) -> Callable[[str, str], Any]:
    """Returns what reads one value; the second text is what its error shows."""

    def read(text: str, shown: str) -> Any:
        try:
            if kind is not bool:
                return kind(text)
            return _BOOLS[text] if text in _BOOLS else bool(int(text))
        except ValueError:
            # A bool in a list shows itself, others the whole list (hparam.py, parse_bool).
            shown = text if kind is bool else shown
            raise ValueError(
                f"Could not parse hparam '{name}' of type '{kind.__name__}' "
                f"with value '{shown}' in {values}"
            ) from None

    return read


def _assigned_twice(name: str, values: str) -> ValueError:
    return ValueError(f"Multiple assignments to variable '{name}' in {values}")
