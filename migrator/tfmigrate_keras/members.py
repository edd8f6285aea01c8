"""Classes of ``data/written_out`` with those methods only that a program uses.

A user reads what is written out: methods that nothing calls would be in the way.
"""

import ast
from collections.abc import Set

from tfmigrate.model.reached import reached

EXPORT = "export"  # a method that others call, where the program exports
CALLBACKS = "train_callbacks"  # a field, where the program has some
EVAL_CALLBACKS = "eval_callbacks"  # those of evaluations
EXPORT_CHECKPOINTS = "export_checkpoints"  # takes the place of another method
_REPLACED = "train_and_evaluate"


def with_members(text: str, wanted: Set[str]) -> str:
    """Returns the text of a class without the methods, and optional fields, that nothing uses."""
    text = _without_options(text, wanted)
    kind = _class(text)
    wanted_methods = _methods(kind, wanted)
    used = fields_used(text, wanted)
    lines = text.splitlines(keepends=True)
    for member in reversed(kind.body):
        above = getattr(member, "decorator_list", [])[:1]
        first = (above[0] if above else member).lineno - 1
        last = member.end_lineno or member.lineno
        if isinstance(member, ast.FunctionDef) and member.name not in wanted_methods:
            del lines[first - 1 : last]  # with the blank line above it
        elif isinstance(member, ast.AnnAssign) and _name(member) not in used | {""}:
            del lines[first:last]
    return "".join(lines)


def fields_used(text: str, wanted: Set[str]) -> set[str]:
    """Returns the names of ``self`` that the methods of a class use."""
    methods = _methods(_class(_without_options(text, wanted)), wanted)
    return {name for method in methods.values() for name in _names_of_self(method)}


def _without_options(text: str, wanted: Set[str]) -> str:
    """Returns the text of a class without exports and callbacks, unless they are wanted."""
    if EXPORT_CHECKPOINTS in wanted and f"def {EXPORT_CHECKPOINTS}(" in text:
        text = text.replace(f"def {_REPLACED}(", "def _(")
        text = text.replace(f"def {EXPORT_CHECKPOINTS}(", f"def {_REPLACED}(")
    if EXPORT not in wanted:
        text = text.replace(f"\t\tself.{EXPORT}()\n", "")
        text = text.replace(f"self.{EXPORT}()", "[]")
    if CALLBACKS not in wanted:
        text = text.replace(f"[*self.{CALLBACKS}, *callbacks]", "callbacks")
        text = text.replace(f", callbacks=self.{CALLBACKS}", "")
    if EVAL_CALLBACKS not in wanted:
        for argument in (f", callbacks=self.{EVAL_CALLBACKS}", f", self.{EVAL_CALLBACKS}"):
            text = text.replace(argument, "")
    return text


def without_callbacks(text: str) -> str:
    """Returns the text of what evaluates a model, for a program whose evaluations have none."""
    for part in (
        *(", callbacks=()", "callbacks=list(callbacks), ", ", callbacks=self.callbacks"),
        "\t\tself.callbacks = callbacks\n",
    ):
        text = text.replace(part, "")
    return text


def _name(member: ast.AnnAssign) -> str:
    """Returns the name of a field that has a default; "" for others."""
    if member.value is None or not isinstance(member.target, ast.Name):
        return ""
    return member.target.id


def _class(text: str) -> ast.ClassDef:
    (kind,) = ast.parse(text).body
    assert isinstance(kind, ast.ClassDef)
    return kind


def _methods(kind: ast.ClassDef, wanted: Set[str]) -> dict[str, ast.FunctionDef]:
    """Returns the methods that a program calls, and those that they call."""
    methods = {m.name: m for m in kind.body if isinstance(m, ast.FunctionDef)}
    needed = set(
        reached(
            wanted & methods.keys(), lambda name: _names_of_self(methods[name]) & methods.keys()
        )
    )
    return {name: methods[name] for name in methods if name in needed}


def _names_of_self(method: ast.FunctionDef) -> set[str]:
    return {
        node.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
