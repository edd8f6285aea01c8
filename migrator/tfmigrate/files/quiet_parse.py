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


def compiled(tree: ast.Module, await_anywhere: bool = False) -> ast.Module:
    """Returns a syntax tree that Python compiles: it accepts less than what parses.

    Args:
        tree: the tree.
        await_anywhere: whether ``await`` is allowed outside of functions, as in notebooks.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot compile it.
    """
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if await_anywhere else 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(tree, "<text>", "exec", flags, dont_inherit=True)
    return tree
