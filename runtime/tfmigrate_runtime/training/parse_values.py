"""Reading "name=value,name=[value,value],name[index]=value"."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

_CLAUSE = re.compile(
    r"""
    (?P<name>[a-zA-Z][\w\.]*)
    (\[\s*(?P<index>\d+)\s*\])?
    \s*=\s*
    (
        (?P<value>[^,\[]*)
        |
        \[(?P<list>[^\]]*)\]
    )
    ($|,\s*)
    """,
    re.VERBOSE,
)
_BOOLEANS = {"true": True, "True": True, "false": False, "False": False}


def parse_values(
    values: str, type_map: Mapping[str, type], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Reads values of hyperparameters (``tf.contrib.training.parse_values``).

    Args:
        values: clauses with commas between them: ``name=value``, ``name=[value,value]`` or
            ``name[index]=value``. A value has no comma and no bracket.
        type_map: the types by name; that of a list's elements for a list. Booleans are true, True,
            false, False or an integer.
        ignore_unknown: whether names without a type are left out.

    Returns:
        By name: a value, a list of values, or a dict of values by index.

    Raises:
        ValueError: a clause cannot be read, its name has no type, its value is not of the type, or
            something is assigned twice.
    """
    results: dict[str, Any] = {}
    position = 0
    while position < len(values):
        if not (match := _CLAUSE.match(values, position)):
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        if (name := match["name"]) not in type_map:
            if ignore_unknown:
                continue
            raise ValueError(f"Unknown hyperparameter type for {name}")
        _add(results, match, type_map[name], values)
    return results


def _add(results: dict[str, Any], match: re.Match[str], kind: type, values: str) -> None:
    """Adds what a clause assigns."""
    name, index = match["name"], match["index"]
    parse = _parser(kind)
    if match["list"] is not None:
        if index is not None:
            raise ValueError("Assignment of a list to a list index.")
        if name in results:
            _refuse_reuse(name, values)
        texts = [text for text in re.split("[ ,]", match["list"]) if text]
        results[name] = [_parsed(parse, text, match["list"], match, kind, values) for text in texts]
        return
    value = _parsed(parse, match["value"], match["value"], match, kind, values)
    if not index:
        if name in results:
            _refuse_reuse(name, values)
        results[name] = value
        return
    by_index = results.setdefault(name, {})
    if not isinstance(by_index, dict):
        _refuse_reuse(name, values)
    if int(index) in by_index:
        _refuse_reuse(f"{name}[{int(index)}]", values)
    by_index[int(index)] = value


def _parsed(
    parse: Callable[[str], Any],
    text: str,
    shown: str,
    match: re.Match[str],
    kind: type,
    values: str,
) -> Any:
    try:
        return parse(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam '{match['name']}' of type '{kind.__name__}' with value "
            f"'{shown}' in {values}"
        ) from None


def _parser(kind: type) -> Callable[[str], Any]:
    if kind is bool:
        return lambda text: _BOOLEANS[text] if text in _BOOLEANS else bool(int(text))
    return kind


def _refuse_reuse(name: str, values: str) -> NoReturn:
    raise ValueError(f"Multiple assignments to variable '{name}' in {values}")
