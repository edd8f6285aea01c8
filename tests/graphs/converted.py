"""Programs as ``--target eager`` writes them."""

from __future__ import annotations

from pathlib import Path

from tfmigrate.engine.migration import Migration, migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile
from tfmigrate.model.targets import EAGER, TARGETS


def migration(**files: str) -> Migration:
    """Returns the migration of a program, given the text of each file by its name."""
    sources = [
        SourceFile(Path(f"/nowhere/{name}.py"), f"{name}.py", text, "utf-8", False)
        for name, text in files.items()
    ]
    return migrate(sources, Options(target=TARGETS[EAGER]))


def eager(text: str) -> str:
    """Returns a program of one file, made eager; checks that a second run leaves it."""
    path = Path("/nowhere/program.py")
    new = migration(program=text).texts[path]
    assert migration(program=new).texts == {}, "a second run changed its own output"
    return new
