"""Passes go on until another run would change nothing; what never ends is taken back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import source

from tfmigrate.engine import migration
from tfmigrate.engine.migration import Migration, migrate
from tfmigrate.engine.options import Options
from tfmigrate.engine.second_run import Pass, settled
from tfmigrate.model.edits import Code, ReplaceExpression, ReplaceStatement
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.rulekit.registry import Rule

FILE = Path("/nowhere/a.py")


def rule(check: Callable[[Program], Iterator[Draft]]) -> Callable[[], list[Rule]]:
    return lambda: [Rule("TFM999", "a-rule", Severity.FIXED, "2.16", "A rule.", check)]


def names(program: Program, name: str) -> Iterator[tuple[object, ast.Name]]:
    for module in program.modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and node.id == name:
                yield module, node


def replacing(old: str, new: str, group: str = "all") -> Callable[[Program], Iterator[Draft]]:
    def check(program: Program) -> Iterator[Draft]:
        for module, node in names(program, old):
            edits = (ReplaceExpression(node, Code(new)),)
            yield Draft("TFM998", module, node, Severity.FIXED, old, edits=edits, group=group)

    return check


def migrated(*texts: str) -> Migration:
    files = [source(FILE.with_name(f"{index}.py"), text) for index, text in enumerate(texts)]
    return migrate(files, Options())


def test_a_rule_that_is_done_after_one_run_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration, "rules", rule(replacing("old", "new")))
    assert list(migrated("old = 1\nprint(old)\n").texts.values()) == ["new = 1\nprint(new)\n"]


def test_a_rule_that_never_ends_changes_nothing_and_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(migration, "rules", rule(replacing("old", "old + old")))
    result = migrated("print(old)\n")
    assert result.texts == {}
    assert [(f.code, f.severity, f.applied) for f in result.findings] == [
        ("TFM900", Severity.MANUAL, False),
        ("TFM998", Severity.MANUAL, False),
    ]
    assert "a second run would change it again" in result.findings[0].message
    assert result.findings[1].action == "resolve TFM900 at 0.py:1:1 first"


def test_other_files_keep_their_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(program: Program) -> Iterator[Draft]:
        yield from replacing("bad", "bad + bad", "bad")(program)
        yield from replacing("worse", "best", "bad")(program)
        yield from replacing("good", "fine", "good")(program)

    monkeypatch.setattr(migration, "rules", rule(check))
    result = migrated("print(bad)\n", "print(worse)\n", "print(good)\n")
    assert result.texts == {FILE.with_name("2.py"): "print(fine)\n"}


def test_rules_that_undo_each_other_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(program: Program) -> Iterator[Draft]:
        old, new = list(names(program, "old")), list(names(program, "new"))
        yield from replacing("old", "new")(program) if old else replacing("new", "old")(program)
        assert old or new

    monkeypatch.setattr(migration, "rules", rule(check))
    result = migrated("print(old)\n")
    assert result.texts == {}
    assert not any(finding.applied for finding in result.findings)


def test_a_change_that_makes_another_file_change_is_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second file is touched only once the first one is changed."""

    def check(program: Program) -> Iterator[Draft]:
        yield from replacing("old", "new")(program)
        if not list(names(program, "old")):
            yield from replacing("waiting", "touched", "waiting")(program)

    monkeypatch.setattr(migration, "rules", rule(check))
    result = migrated("print(old)\n", "print(waiting)\n")
    assert list(result.texts.values()) == ["print(new)\n", "print(touched)\n"]
    assert [(f.path, f.message, f.applied) for f in result.findings] == [
        ("0.py", "old", True),
        ("1.py", "waiting", True),
    ]


def test_one_run_does_what_several_did_and_reports_it_at_the_original_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def check(program: Program) -> Iterator[Draft]:
        for module, node in names(program, "first"):
            statement = module.statement(node)
            edits = (ReplaceStatement(statement, (Code("x = 0"), Code("y = 0"), Code("second"))),)
            yield Draft("TFM997", module, node, Severity.FIXED, "first", edits=edits)
        yield from replacing("second", "third")(program)
        yield from replacing("third", "done")(program)
        if list(names(program, "done")):
            for module, node in names(program, "left"):
                yield Draft("TFM996", module, node, Severity.MANUAL, "left", "look")

    monkeypatch.setattr(migration, "rules", rule(check))
    result = migrated("import a\nfirst  # comment\nprint(left)\n")
    (text,) = result.texts.values()
    assert text == "import a\nx = 0  # comment\ny = 0\ndone\nprint(left)\n"
    assert [(f.line, f.message, f.applied) for f in result.findings] == [
        (2, "first", True),
        (2, "second", True),
        (2, "third", True),
        (3, "left", False),
    ]


def test_what_a_later_pass_does_is_no_longer_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(program: Program) -> Iterator[Draft]:
        first = list(names(program, "old"))
        yield from replacing("old", "new")(program)
        for module, node in names(program, "waiting"):
            if first:
                yield Draft("TFM997", module, node, Severity.MANUAL, "waiting", "look")
        if not first:
            yield from replacing("waiting", "touched")(program)
        for module, node in names(program, "left"):
            yield Draft("TFM996", module, node, Severity.MANUAL, "left", "look")

    monkeypatch.setattr(migration, "rules", rule(check))
    result = migrated("print(old)\nprint(waiting)\nprint(left)\n")
    assert [(f.line, f.message, f.applied) for f in result.findings] == [
        (1, "old", True),
        (2, "waiting", True),
        (3, "left", False),
    ]


def test_a_file_that_has_to_stay_stays_in_every_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(program: Program) -> Iterator[Draft]:
        yield from replacing("old", "new")(program)
        yield from replacing("new", "done")(program)
        yield from replacing("alone", "alone2", "")(program)

    monkeypatch.setattr(migration, "rules", rule(check))
    files = [source(FILE.with_name(f"{n}.py"), "print(old)\n") for n in range(2)]
    files.append(source(FILE.with_name("2.py"), "print(alone)\n"))
    result = migrate(files, Options(), unwritable={files[0].path: "it is read-only"})
    assert result.texts == {files[2].path: "print(alone2)\n"}


def test_a_conversion_that_is_not_done_in_one_run_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("fissix", reason="--py2 needs fissix")
    monkeypatch.setattr(migration, "rules", rule(replacing("raw", "print >> raw")))
    file = source(FILE, "print >>raw, 1\n")
    result = migrate([file], Options(py2=True))
    assert result.texts == {}
    assert not any(finding.applied for finding in result.findings)


def test_what_cannot_be_read_again_is_not_written() -> None:
    file = source(FILE, "x = 1\n")
    (module,), _ = migration.parsed([file])
    text = "# coding: latin-1\nx = 'é'\n"
    again = Pass({}, lambda place: [])
    found = settled([module], {FILE: text + "\0"}, lambda files: again, set())
    ((blamed, reason),) = found.unstable
    assert blamed is module
    assert "cannot be read back (the file contains a NUL byte" in reason
