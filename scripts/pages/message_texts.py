"""Finds every text that a program of ours shows to its user, in the source of both packages.

A text is a whole string expression that is not a docstring, no code and no name. What is filled in
when it is shown is a placeholder: "{name}".
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tfmigrate.tables.listed import listed

ROOT = Path(__file__).parents[2]
PACKAGES = (
    ROOT / "migrator" / "tfmigrate",
    ROOT / "migrator" / "tfmigrate_keras",
    ROOT / "runtime" / "tfmigrate_runtime",
)
# Files that write scripts of shells.
_SCRIPTS = ("completion_scripts.py",)
# Lists with messages.
_LISTS = {"equivalents": "Names without an equivalent", "moved_names": "Names that are gone"}
_LISTS["obstacles"] = "What keeps a program from becoming eager, or from a coordinator"
_LISTS["keras_advice"] = "Members and arguments of Keras 2, and missing names"
# Arguments that hold a message, whatever it looks like.
_SHOWN = frozenset({"message", "reason", "action", "help", "description", "epilog"})
# Calls whose texts are code or patterns.
_CODE = re.compile(
    "AddKeywords|ArrangeArguments|BlockToFunction|ChangeImport|Code|InsertAfter|InsertBefore"
    "|LoopToFunction|RawCode|ReplaceStatement|SetArgument|StatementsToFunction|compile|encode"
    "|endswith|entries|findall|finditer|fullmatch|match|search|split|startswith|strftime|strptime"
    "|sub|templates|texts"
)
# What is looked up by a key that is no message.
_TABLE = re.compile(r"[A-Z_]+$|sections\(")
# Calls with a reason and an action by position.
_REASONED = ("Missing", "Refusal")
# Variables that hold code, styles or lists of words.
_CODE_NAMES = re.compile(r"(?i)(code|template|pattern|script|css|style|svg|word|name)s?$")
_FILLED_IN, _LEFT_OUT = re.compile(r"\{[^{}]*\}"), re.compile(r"\[[^\[\]]*\]")
# Styles of a terminal, and names of devices.
_NO_PROSE = re.compile(r"(bold|dim) \w+|/job:\S+")
_TAG = re.compile(r"</?[a-z][^<>]*>")
_WORD = re.compile(r"(?<![\w.$-])[A-Za-z][a-z']+(?![\w(=-]|\.\w)")
_Scopes = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Message:
    """A text that users see.

    Attributes:
        path: The file, from the root of the repository.
        line: Its line.
        text: The text; "" where only the action is a text.
        action: What to do, where the same call says that too.
        topic: The code of the rule and what the file is about.
    """

    path: str
    line: int
    text: str
    action: str
    topic: str


@cache
def messages() -> tuple[Message, ...]:
    """Returns all messages of both packages, by file and line."""
    paths = [path for package in PACKAGES for path in sorted(package.rglob("*.py"))]
    paths = [path for path in paths if path.name not in _SCRIPTS]
    found = [message for path in paths for message in _of_file(path)]
    return (
        *found,
        *(message for name, topic in _LISTS.items() for message in _of_list(name, topic)),
    )


def _of_list(name: str, topic: str) -> Iterator[Message]:
    """Yields what a list of names that are gone says about them."""
    for line in listed(name):
        if " -> " not in line and ": " in line:
            reason, _, action = line.partition(": ")[2].partition(" | ")
            yield Message(f"migrator/tfmigrate/data/{name}.txt", 1, reason, action, topic)


def _of_file(path: Path) -> Iterator[Message]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    topic = (ast.get_docstring(tree) or path.stem).partition("\n")[0].rstrip(".")
    topic = f"{path.stem[:6].upper()}: {topic}" if path.parent.name == "rules" else topic
    shown = path.relative_to(ROOT).as_posix()
    for line, text, action in sorted(set(_texts(tree))):
        yield Message(shown, line, text, action, topic)


def _texts(node: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yields the texts below a node: line, message and action."""
    if isinstance(node, ast.expr) and _is_string(node):
        text = _text(node)
        if _is_prose(text):
            yield node.lineno, text, ""
        return
    if isinstance(node, ast.Subscript) and _TABLE.match(ast.unparse(node.value)):
        return  # a key of a table
    if isinstance(node, ast.Assign | ast.AnnAssign):
        if _CODE_NAMES.search(_target(node)):
            return
        if _target(node) in ("message", "action") and node.value and _is_string(node.value):
            text = _text(node.value)
            yield (node.lineno, "", text) if _target(node) == "action" else (node.lineno, text, "")
            return
    left_out: set[ast.AST] = set(_docstring(node)) if isinstance(node, _Scopes) else set()
    if isinstance(node, ast.Call):
        if _CODE.fullmatch(_called(node)):
            yield from _texts(node.func)
            return
        keywords = [k for k in node.keywords if k.arg in _SHOWN and _is_string(k.value)]
        shown = {str(k.arg): k.value for k in keywords}
        if _called(node) in _REASONED:
            given = [argument for argument in node.args if _is_string(argument)]
            shown |= dict(zip(("reason", "action"), given, strict=False))
            left_out.update(given)
        elif _called(node) == "drafted":
            said = zip(("message", "action"), node.args[2:4], strict=False)
            shown |= {name: text for name, text in said if _is_string(text)}
            left_out.update(shown.values())
        left_out.update(keywords)
        yield from _of_call(node, shown)
    for child in ast.iter_child_nodes(node):
        if child not in left_out:
            yield from _texts(child)


def _of_call(call: ast.Call, shown: dict[str, ast.expr]) -> Iterator[tuple[int, str, str]]:
    """Yields the texts of a call's arguments that hold messages; the first has the action."""
    action = shown.pop("action", None)
    # What argparse calls so is the name of a class.
    is_of_argparse = _called(call) in ("add_argument", "partial")
    advice = _text(action) if action and not is_of_argparse else ""
    for value in shown.values():
        yield value.lineno, _text(value), advice
        advice = ""
    if advice:
        yield call.lineno, "", advice


def _docstring(scope: _Scopes) -> list[ast.stmt]:
    """Returns the statements of a scope that are strings: they document what stands there."""
    return [s for s in scope.body if isinstance(s, ast.Expr) and _is_string(s.value)]


def _target(statement: ast.Assign | ast.AnnAssign) -> str:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return ast.unparse(targets[0])


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _is_string(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_string(node.left) or _is_string(node.right)
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _is_prose(text: str) -> bool:
    """Returns whether a text has words of people, not code and not HTML."""
    code = _FILLED_IN.sub("_", _LEFT_OUT.sub("", text))
    if text.startswith("http") or _NO_PROSE.fullmatch(code) or len(_WORD.findall(code)) < 2:
        return False
    try:
        ast.parse(code)
    except SyntaxError:
        return True
    return False


def _text(node: ast.expr) -> str:
    return inspect.cleandoc(_TAG.sub("", _rendered(node)))


def _rendered(node: ast.expr) -> str:
    """Returns what a string expression shows, with placeholders."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(_rendered(value) for value in values)
        case ast.FormattedValue(value=value):
            return _rendered(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _rendered(left) + _rendered(right)
        case ast.BinOp(left=left, op=ast.Mod()):
            return _rendered(left)
        case ast.BinOp(left=left) if _is_string(left):
            return f"[{_rendered(left)}]"
        case ast.IfExp(body=body, orelse=other) if _is_string(body) or _is_string(other):
            return "[" + "|".join(filter(None, map(_rendered, (body, other)))) + "]"
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "removesuffix" | "strip")):
            return _rendered(value)
    return "{" + _placeholder(node) + "}"


def _placeholder(node: ast.expr) -> str:
    """Returns a short name of a value: the last name in it."""
    names = [n.attr if isinstance(n, ast.Attribute) else n.id for n in ast.walk(node)
             if isinstance(n, ast.Attribute | ast.Name)]  # fmt: skip
    if isinstance(node, ast.IfExp):
        return _placeholder(node.body)
    if isinstance(node, ast.Call):
        parts = [
            *node.args[:1],
            *([node.func.value] if isinstance(node.func, ast.Attribute) else ()),
        ]
        return next((name for part in parts if (name := _placeholder(part)) != "..."), "...")
    return names[0].lstrip("_").lower() if names else "..."
