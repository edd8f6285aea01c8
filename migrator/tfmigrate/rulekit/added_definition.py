"""Functions and classes that a migration adds at the top level of a file."""

from __future__ import annotations

import ast

from tfmigrate.model.edits import Code, Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.module import Module


def added_definition(module: Module, text: str) -> Edit:
    """Returns the edit that adds a definition below the imports of a module.

    Args:
        module: the file.
        text: the definition, indented with one tab per level.
    """
    code = Code(text.replace("\t", indentation_of(module)).rstrip("\n"))
    body = module.tree.body
    last = max(
        (i for i, s in enumerate(body) if isinstance(s, (ast.Import, ast.ImportFrom))), default=-1
    )
    following = [s for s in body[last + 1 :] if isinstance(s, (ast.FunctionDef, ast.ClassDef))]
    if following and not following[0].decorator_list:
        is_definition = code.template.startswith(("class ", "def ", "@"))
        return InsertBefore(following[0], code, blank_lines=not is_definition)
    return InsertAfter(body[last], code, blank_line=True)


def indentation_of(module: Module) -> str:
    """Returns one level of a module's indentation."""
    for node in module.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return module.indentation(node.body[0]) or "    "
    return "    "
