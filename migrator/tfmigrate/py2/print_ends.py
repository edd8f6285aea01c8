"""What ``print x,`` of Python 2 ends with: a space, but nothing where x ends a line.

fissix writes ``end=' '`` for both, which indents each line of a file that is printed after the
first.
"""

import ast
from collections.abc import Iterator

from tfmigrate.files.logical_lines import split_lines

# Methods whose result ends as the text does.
_KEEP_ENDS = ("decode", "encode", "expandtabs", "format", "lower", "replace", "upper")
_OPEN = ("open", "file", "popen", "GFile", "Open", "FastGFile")
_LINES = ("readlines", "xreadlines", *_OPEN)


def with_print_ends(text: str, tree: ast.Module) -> str:
    """Returns a converted text whose prints of whole lines end with nothing."""
    if any(_is_future(statement) for statement in tree.body):
        return text  # its prints were calls already
    ends = sorted(_ends(tree), key=lambda end: (end.lineno, end.col_offset), reverse=True)
    lines = split_lines(text) if ends else []
    for end in ends:
        line = lines[end.lineno - 1].encode()
        start = end.col_offset
        lines[end.lineno - 1] = (line[:start] + b"''" + line[start + 3 :]).decode()
    return "".join(lines) if ends else text


def _is_future(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and any(alias.name == "print_function" for alias in statement.names)
    )


def _ends(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yields the ends of prints whose last value ends a line."""
    files = set(_names_of_files(tree))
    lines_of: dict[ast.AST, set[str]] = {}
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For) and _is_of_lines(loop.iter, files):
            names = {loop.target.id} if isinstance(loop.target, ast.Name) else set()
            for node in ast.walk(loop):
                lines_of.setdefault(node, set()).update(names)
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args or _name(call.func) != "print":
            continue
        for keyword in call.keywords:
            value = keyword.value
            if (
                keyword.arg == "end"
                and isinstance(value, ast.Constant)
                and value.value == " "
                and _ends_line(call.args[-1], lines_of.get(call, set()))
            ):
                yield value


def _ends_line(node: ast.expr, lines: set[str]) -> bool:
    """Returns whether a text ends with white space other than a space, by what is written."""
    while True:
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            node = node.right if isinstance(node.op, ast.Add) else node.left
        elif isinstance(node, ast.Call) and _name(node.func) in _KEEP_ENDS:
            if not isinstance(node.func, ast.Attribute):
                return False
            node = node.func.value
        elif isinstance(node, ast.Constant):
            return isinstance(node.value, str) and node.value[-1:] in ("\n", "\t", "\r", "\f", "\v")
        else:
            return isinstance(node, ast.Name) and node.id in lines


def _names_of_files(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _opens(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif (
            isinstance(node, ast.withitem)
            and isinstance(node.optional_vars, ast.Name)
            and _opens(node.context_expr)
        ):
            yield node.optional_vars.id


def _is_of_lines(node: ast.expr, files: set[str]) -> bool:
    """Returns whether an expression yields lines of a file, with their ends."""
    if isinstance(node, ast.Call):
        return _name(node.func) in _LINES or _is_fileinput(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr in ("stdin", "stdout")
    return isinstance(node, ast.Name) and node.id in files


def _is_fileinput(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "input"
        and _name(function.value) == "fileinput"
    )


def _opens(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) in _OPEN


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
