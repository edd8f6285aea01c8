"""The lists of ``data/``, of this package and others: an entry a line, comments after ``#``."""

from dataclasses import dataclass, field
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Section:
    """What a list says of names, below one of its headings.

    Attributes:
        became: what names became, by the old ones, with options behind it.
        others: texts about other names; "" for those that are only listed.
    """

    became: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)


def listed(name: str, package: str = "tfmigrate") -> list[str]:
    """Returns the entries of a list; lines that begin with blanks continue the one above."""
    text = resources.files(package).joinpath(f"data/{name}.txt").read_text("utf-8")
    lines = text.replace("\n  ", " ").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@cache
def sections(name: str, package: str = "tfmigrate") -> dict[str, Section]:
    """Returns what is below each ``[heading]``: ``old old -> new``, ``name: text``, ``name name``.

    A ``*`` in the new name, and ``{name}`` in the text, are the last part of the old one.
    """
    by_title: dict[str, Section] = {}
    for line in listed(name, package):
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
                section.others[old] = text.replace("{name}", last)
    return by_title
