"""The long lists of ``data/``, which scripts write: an entry a line, comments after ``#``."""

from importlib import resources


def listed(name: str) -> list[str]:
    """Returns the entries of a list; lines that begin with blanks continue the one above."""
    text = resources.files("tfmigrate").joinpath(f"data/{name}.txt").read_text("utf-8")
    lines = text.replace("\n  ", " ").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
