"""The lists of ``data/``: an entry a line, comments after ``#``."""

from dataclasses import dataclass, field
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Section:
    """What a list says of names, below one of its headings.

    Attributes:
        became: what names became, by the old ones, with options behind it.
        gone: texts about those that became nothing.
    """

    became: dict[str, str] = field(default_factory=dict)
    gone: dict[str, str] = field(default_factory=dict)


def listed(name: str) -> list[str]:
    """Returns the entries of a list; lines that begin with blanks continue the one above."""
    text = resources.files("tfmigrate").joinpath(f"data/{name}.txt").read_text("utf-8")
    lines = text.replace("\n  ", " ").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@cache
def sections(name: str) -> dict[str, Section]:
    """Returns what is below each ``[heading]`` of a list: ``old old -> new``, ``old old: text``.

    A ``*`` in the new name, and ``{name}`` in the text, are the last part of the old one.
    """
    by_title: dict[str, Section] = {}
    for line in listed(name):
        if line[0] == "[":
            section = by_title[line[1:-1]] = Section()
            continue
        is_there = " -> " in line
        names, _, text = line.partition(" -> " if is_there else ": ")
        for old in names.split():
            last = old.rpartition(".")[2]
            if is_there:
                section.became[old] = text.replace("*", last)
            else:
                section.gone[old] = text.replace("{name}", last)
    return by_title
