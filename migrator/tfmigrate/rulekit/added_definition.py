"""Functions and classes that a migration adds at the top level of a file."""

import ast
from importlib import resources

from tfmigrate.model.edits import Code, Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.module import Module

_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def added_definition(module: Module, text: str, early: bool = False) -> Edit:
    """Returns the edit that adds a definition below the imports of a module.

    Args:
        text: the definition, indented with one tab per level.
        early: whether statements above the first definition need it.
    """
    code = Code(text.replace("\t", indentation_of(module)).rstrip("\n"))
    body = module.tree.body
    last = last_import(module)
    following = [s for s in body[last + 1 :] if isinstance(s, _DEFINITIONS)]
    if following and not following[0].decorator_list and not early:
        is_definition = code.template.startswith(("class ", "def ", "@"))
        return InsertBefore(following[0], code, blank_lines=not is_definition)
    return InsertAfter(body[last], code, blank_line=True)


def written_out(piece: str, **names: str) -> str:
    """Returns a definition of ``data/``, with some names in it."""
    text = resources.files("tfmigrate").joinpath(f"data/{piece}.py.txt").read_text("utf-8")
    return text.format(**names)


def last_import(module: Module) -> int:
    """Returns the number of the last import at the top level of a module; -1 for none."""
    body = module.tree.body
    return max(
        (i for i, s in enumerate(body) if isinstance(s, (ast.Import, ast.ImportFrom))), default=-1
    )


def above_definitions(module: Module) -> list[ast.stmt]:
    """Returns the statements between the imports of a module and its first definition."""
    below = module.tree.body[last_import(module) + 1 :]
    first = next((i for i, s in enumerate(below) if isinstance(s, _DEFINITIONS)), len(below))
    return below[:first]


def indentation_of(module: Module) -> str:
    """Returns one level of a module's indentation."""
    for node in module.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return module.indentation(node.body[0]) or "    "
    return "    "
