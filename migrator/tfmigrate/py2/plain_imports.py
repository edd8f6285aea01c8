"""What a conversion makes of the imports that programs wrote for both Pythons."""

import ast

from tfmigrate.files.logical_lines import split_lines

_LINES = 4  # of a `try` that imports one module or another: two heads and two imports


def with_plain_imports(text: str, tree: ast.Module) -> str:
    """Returns a text without `import pickle as pickle`, and without `try` around equal imports.

    ``try: import cPickle as pickle`` / ``except ImportError: import pickle`` is one import now.
    """
    lines = [line.encode() for line in split_lines(text)]
    nodes = sorted(
        (n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.Try))),
        key=lambda n: n.lineno,
        reverse=True,
    )
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in reversed(node.names):
                if alias.name == alias.asname:
                    line = lines[alias.lineno - 1]
                    end = alias.col_offset + len(alias.name.encode())
                    lines[alias.lineno - 1] = line[:end] + line[alias.end_col_offset :]
        elif _is_one_import(node):
            first, last = node.lineno - 1, node.end_lineno or 0
            if last - first == _LINES and not any(b"#" in line for line in lines[first:last]):
                statement = lines[node.body[0].lineno - 1].lstrip()
                lines[first:last] = [lines[first][: node.col_offset] + statement]
    return b"".join(lines).decode()


def _is_one_import(node: ast.Try) -> bool:
    """Returns whether a `try` imports a module, and the same one if that fails."""
    if len(node.handlers) != 1 or node.orelse or node.finalbody or node.handlers[0].name:
        return False
    statements = [*node.body, *node.handlers[0].body]
    names = [
        [(a.name, a.asname or a.name) for a in s.names]
        for s in statements
        if isinstance(s, ast.Import)
    ]
    return len(statements) == len(names) == 2 and names[0] == names[1]
