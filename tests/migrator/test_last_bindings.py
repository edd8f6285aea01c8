"""Which of several bindings of a variable a place sees."""

import ast
from pathlib import Path

import pytest
from support import source

from tfmigrate.resolve.last_bindings import last_binding
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import AssignBinding


def seen(text: str) -> str | None:
    """Returns the value that ``look(x)`` sees; None where several may be."""
    module = Module(source(Path("a.py"), text))
    (call,) = [n for n in module.all(ast.Call) if getattr(n.func, "id", "") == "look"]
    (name,) = call.args
    assert isinstance(name, ast.Name)
    binding = last_binding(module, name)
    return ast.unparse(binding.value) if isinstance(binding, AssignBinding) else None


@pytest.mark.parametrize(
    "text",
    [
        "x = a\nx = b\nlook(x)",
        "x = a\nx = b\nlook(x)\nx = c",
        "x = a\nif t:\n    x = b\n    look(x)",
        "def f(x):\n    x = a\n    x = b\n    return look(x)",
        "x = a\nx = b\nfor i in l:\n    look(x)",
        "x = a\nfor i in l:\n    x = b\n    look(x)\n    x = c",
        "for x in l:\n    x = b\n    look(x)",
        "x = a\nx = b\nwith c:\n    y = look(x)",
    ],
)
def test_the_last_of_assignments_that_always_run(text: str) -> None:
    assert seen(text) == "b"


@pytest.mark.parametrize(
    "text",
    [
        "x = a\nif t:\n    x = b\nlook(x)",
        "x = a\ntry:\n    x = b\nexcept E:\n    pass\nlook(x)",
        "x = a\nx = b\nfor i in l:\n    look(x)\n    x = c",
        "x = a\nx = b\nwhile t:\n    if t:\n        look(x)\n    x = c",
        "x = a\nfor x in l:\n    pass\nlook(x)",
        "x = a\nx = b\nf = lambda: look(x)\nx = c",
        "x = a\nx = b\ndef f():\n    return look(x)\nx = c",
        "x = a\nx = b\ndef f():\n    global x\n    x = c\nf()\nlook(x)",
        "import x\nx = b\nlook(x)",
    ],
)
def test_what_a_branch_a_loop_or_a_function_may_have_bound(text: str) -> None:
    assert seen(text) is None
