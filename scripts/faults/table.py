"""Writes a table between two marks of docs/how_to/clusters.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "clusters.md"


def read_table(name: str) -> list[list[str]]:
    """Returns the cells of the table of a name, without its header."""
    _, _, rest = _PAGE.read_text("utf-8").partition(f"<!-- begin {name} -->\n")
    lines = rest.partition(f"<!-- end {name} -->")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def write_table(name: str, rows: Sequence[Sequence[str]]) -> None:
    """Replaces the table of a name; the first row is the header."""
    header, *rest = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines = [header, "|" + "---|" * len(rows[0]), *rest]
    text = _PAGE.read_text("utf-8")
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
    before, _, other = text.partition(begin)
    _, mark, after = other.partition(end)
    if not mark:
        raise SystemExit(f"{_PAGE} has no marks for {name!r}")
    _PAGE.write_text("".join([before, begin, "\n".join(lines), "\n", end, after]), "utf-8")
