"""New code gets parentheses where the code around it, or in it, needs them, and only there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from support import source

from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.module import Module
from tfmigrate.rewrite.transformer import rewrite


def _rewritten(text: str, template: str) -> str:
    """Returns a text in which each call of f is replaced by a template around its argument."""
    module = Module(source(Path("program.py"), text))
    calls = [c for c in module.all(ast.Call) if ast.unparse(c.func) == "f"]
    edits = [ReplaceExpression(call, Code(template, (call.args[0],))) for call in calls]
    return rewrite(module, edits)


@pytest.mark.parametrize(
    ("before", "template", "after"),
    [
        ("f(a + b)", "{0}.item()", "(a + b).item()"),
        ("f(-a)", "{0}.item()", "(-a).item()"),
        ("f(3)", "{0}.item()", "(3).item()"),
        ("f(a if b else c)", "{0}.item()", "(a if b else c).item()"),
        ("f(lambda: 1)", "{0}[0]", "(lambda: 1)[0]"),
        ("f(a)", "{0}.item()", "a.item()"),
        ("f(a.b(c)[0])", "{0}.item()", "a.b(c)[0].item()"),
        ("f((a + b))", "{0}.item()", "(a + b).item()"),
        ("f(a + b)", "g({0}, x=1)", "g(a + b, x=1)"),
        ("f(a + b)", "{0} * 2", "(a + b) * 2"),
        ("f(a * b)", "{0} + 2", "a * b + 2"),
        ("f(a - b)", "2 - {0}", "2 - (a - b)"),
        ("f(a or b)", "not {0}", "not (a or b)"),
        ("f(a)", "{0}, 1", "a, 1"),
        ("x * f(a)", "{0} + 1", "x * (a + 1)"),
        ("f(a) ** 2", "-{0}", "(-a) ** 2"),
        ("2 ** f(a)", "-{0}", "2 ** -a"),
        ("f(a).b", "{0} or c", "(a or c).b"),
        ("x - f(a)", "{0} - 1", "x - (a - 1)"),
        ("f(a + '/b')", "'c/' + {0}", "'c/' + a + '/b'"),
        ("f(a + b)", "c + {0}", "c + (a + b)"),
        ("x + f(a)", "{0} * 2", "x + a * 2"),
        ("not f(a)", "{0} == 1", "not a == 1"),
        ("f(a) < 3", "{0} == 1", "(a == 1) < 3"),
        ("g(*f(a))", "{0} or []", "g(*a or [])"),
        ("x if f(a) else y", "{0} if b else c", "x if (a if b else c) else y"),
        ("g(f(a), 2)", "{0}, 1", "g((a, 1), 2)"),
    ],
)
def test_parentheses(before: str, template: str, after: str) -> None:
    assert _rewritten(f"x = {before}\n", template) == f"x = {after}\n"
