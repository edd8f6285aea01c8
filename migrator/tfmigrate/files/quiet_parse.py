"""Parsing the user's code without Python's warnings about it, which it prints to standard error."""

import ast
import warnings


def quiet_parse(text: str | bytes) -> ast.Module:
    """Returns the syntax tree of a text.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot parse it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def compiled(tree: ast.Module, in_notebook: bool = False) -> ast.Module:
    """Returns a syntax tree that Python compiles: it accepts less than what parses.

    Args:
        in_notebook: whether IPython runs it, which allows ``await`` outside of functions, and
            imports of ``__future__`` below other statements, as it compiles each alone.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot compile it.
    """
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if in_notebook else 0
    body = [s for s in tree.body if not in_notebook or getattr(s, "module", "") != "__future__"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(ast.Module(body, tree.type_ignores), "<text>", "exec", flags, dont_inherit=True)
    return tree
