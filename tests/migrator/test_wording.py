"""Names of local variables, comments and strings for people decide nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest
from long_tail import one_in
from renaming import Renaming, without_wording

from tfmigrate.engine.migration import Migration, migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile
from tfmigrate.model.targets import TARGETS
from tfmigrate.rulekit.registry import rules

ROOT = Path(__file__).parents[2]


def programs() -> dict[str, tuple[str, Options]]:
    """Returns every program of the fixtures, the rules' examples and the symbol cases."""
    found = {}
    for path in sorted((ROOT / "fixtures").rglob("*.py")):
        if "original" in (path.stem, path.parent.stem, path.parent.parent.stem):
            found[str(path.relative_to(ROOT))] = (path.read_text("utf-8"), Options())
    for path in sorted((ROOT / "tests/symbols/cases").glob("*/before.py")):
        found[path.parent.name] = (path.read_text("utf-8"), Options())
    for rule in rules():
        for number, example in enumerate(rule.examples):
            options = Options(
                unsafe=True, coordinator=example.coordinator, target=TARGETS[example.target]
            )
            found[f"{rule.code}-{number}"] = (example.before, options)
    return found


PROGRAMS = programs()


def migration(text: str, options: Options) -> tuple[str, Migration]:
    path = Path("/nowhere/program.py")
    file = SourceFile(path, path.name, text, encoding="utf-8", bom=False)
    result = migrate([file], options)
    return result.texts.get(path, text), result


def told(result: Migration, renaming: Renaming | None = None) -> Sequence[tuple[object, ...]]:
    """Returns the findings, in the old names."""
    undone = renaming.undone if renaming else str
    return [
        (f.code, f.line, f.column, f.severity, f.applied, undone(f.message), undone(f.action))
        for f in result.findings
    ]


def test_there_are_programs() -> None:
    assert len(PROGRAMS) > 180
    changed = [Renaming(text).text != text for text, _ in PROGRAMS.values()]
    assert sum(changed) > len(changed) * 0.6


@pytest.mark.parametrize("name", one_in(3, PROGRAMS))
def test_other_words_change_nothing(name: str) -> None:
    text, options = PROGRAMS[name]
    renaming = Renaming(text)
    if renaming.text == text:
        return
    ast.parse(renaming.text)
    after, result = migration(text, options)
    other, result_of_other = migration(renaming.text, options)
    assert told(result_of_other, renaming) == told(result)
    assert without_wording(renaming.undone(other)) == without_wording(after)
