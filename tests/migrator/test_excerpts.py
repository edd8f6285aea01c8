"""Rewriting the edited statements of a file alone gives what rewriting all of it gives."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from tfmigrate.files.source import SourceFile
from tfmigrate.model.edits import (
    ChangeImport,
    Code,
    InsertBefore,
    ReplaceExpression,
    ReplaceStatement,
)
from tfmigrate.resolve.module import Module
from tfmigrate.rewrite import transformer as rewriting
from tfmigrate.rewrite.excerpt import Excerpt
from tfmigrate.rewrite.transformer import rewrite

# Each is longer than what is worth leaving out.
LONG = "\n".join(f"{name} = build({name!r}, 'something', other=1)" for name in "abcd")
LAYOUTS = {
    "a comment of a left-out function at the end": """
        import os
        edited(1)
        {long}
        def f():
            return 1
            # further in

        # at the margin
        """,
    "elif": """
        if a:
            {long}
        elif b:
            edited(1)
            {long}
            {long}
        else:
            {long}  # last
        """,
    "decorators": """
        edited(1)
        x = 1
        @decorator(
            1)
        # between
        def f():
            {long}
        @ decorator
        class A: pass
        """,
    "several statements on a line": """
        edited(1); x = 1
        y = 2
        z = 3; {long}
        if a: b = 1
        else: edited(2)
        {long}; t = 1 \\

        u = 1
        """,
    "clauses": """
        try:
            {long}
        except E as e:  # one
            x = 1
            y = edited(2)
            z = 1
            {long}
        finally:
            {long}
            # last
        with a as b:
            {long}
        while edited(3):
            {long}
            def f(x=edited(4)):
                '''Text.'''
                {long}
        """,
    "strings": '''
        edited(1)
        x = 1
        y = """
        tfmigrate: text 0 # no comment
          {long}
        """  # behind
        z = edited(2)
        ''',
    "a form feed": """
        edited(1)
        x = 1
        \f
        {long}
        \f
        y = 1
        """,
}


def source_of(layout: str, indent: str) -> str:
    lines = textwrap.dedent(layout).lstrip("\n").splitlines()
    long = LONG.split("\n")
    found = []
    for line in lines:
        line = line.replace("    ", indent)
        before, place, after = line.partition("{long}")
        found += [before + part for part in long[:-1]] if place and not before.strip() else []
        found.append(before + (long[-1] + after if place else ""))
    return "\n".join(found) + "\n"


def edits_of(module: Module) -> list[list[ReplaceExpression | ReplaceStatement | InsertBefore]]:
    calls = [c for c in module.all(ast.Call) if getattr(c.func, "id", "") == "edited"]
    statements = [module.statement(call) for call in calls]
    new = Code("new({0})", tuple(calls[0].args))
    block = Code("if new:\n    old()")
    return [
        [ReplaceExpression(call, Code("new({0})", tuple(call.args))) for call in calls],
        [ReplaceStatement(statements[0])],
        [ReplaceStatement(statements[0], (new,))],
        [InsertBefore(module.tree.body[-1], block, blank_lines=True)],
    ]


def rewritten(module: Module, edits: list, whole: bool, monkeypatch: pytest.MonkeyPatch) -> str:  # type: ignore[type-arg]
    if whole:
        with monkeypatch.context() as patch:
            patch.setattr(rewriting, "Excerpt", lambda m, text, _: Excerpt(m, text, ()))
            return rewrite(module, edits)
    return rewrite(module, edits)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("indent", ["    ", "  ", "\t"], ids=["four", "two", "tab"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_what_is_left_out_changes_nothing(
    name: str, indent: str, line_end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = source_of(LAYOUTS[name], indent).replace("\n", line_end)
    module = Module(SourceFile(Path("a.py"), "a.py", text, "utf-8", False))
    for edits in edits_of(module):
        given = text.replace("\r", "\n") if line_end == "\r" else text
        try:
            expected = rewritten(module, edits, True, monkeypatch)
        except rewriting.RewriteError:
            continue  # libcst cannot do that in the whole file
        assert rewritten(module, edits, False, monkeypatch) == expected
        assert Excerpt(module, given, edits).restored(Excerpt(module, given, edits).text) == given


def test_most_of_a_file_is_left_out() -> None:
    body = textwrap.indent(LONG, "  ")
    functions = "".join(f"def f{n}():\n{body}\n" for n in range(50))
    module = Module(
        SourceFile(Path("a.py"), "a.py", f"import a\nimport os\n{functions}", "utf-8", False)
    )
    (first, *_) = module.all(ast.Import)
    change = ChangeImport(first, first.names[0], "import b as a")
    excerpt = Excerpt(module, module.source.text, [change])
    assert len(excerpt.text) < len(module.source.text) / 10
    assert rewrite(module, [change]) == module.source.text.replace("import a", "import b as a", 1)
