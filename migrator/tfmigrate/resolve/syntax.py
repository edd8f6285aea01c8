"""The syntax tree of a text and its nodes, made once for all who look at the same text of a file.

The passes over a program parse the files that they leave as they are again and again, and the new
text of a file is checked before the next pass begins with it.
"""

import ast
from collections import deque
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from tfmigrate.files.quiet_parse import quiet_parse
from tfmigrate.resolve.scopes import children_of

Node = TypeVar("Node", bound=ast.AST)


class Syntax:
    """A text as Python parses it.

    Attributes:
        tree: the syntax tree.
    """

    def __init__(self, text: str) -> None:
        self.tree = quiet_parse(text)
        self._of_kind: dict[type[ast.AST], list[Any]] = {}

    @cached_property
    def children(self) -> dict[ast.AST, list[ast.AST]]:
        """The nodes right below each node, in the order of ``ast.walk``."""
        children_by_node: dict[ast.AST, list[ast.AST]] = {}
        waiting: deque[ast.AST] = deque([self.tree])
        while waiting:
            node = waiting.popleft()
            children = children_by_node[node] = children_of(node)
            waiting.extend(children)
        return children_by_node

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree, which rules walk through many times."""
        return list(self.children)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node right above each node."""
        return {child: node for node in self.nodes for child in self.children[node]}

    def all(self, kind: type[Node]) -> list[Node]:
        """Returns every node of a kind."""
        if kind not in self._of_kind:
            self._of_kind[kind] = [n for n in self.nodes if isinstance(n, kind)]
        return list(self._of_kind[kind])


_ALIVE: WeakValueDictionary[tuple[Path, str], Syntax] = WeakValueDictionary()
_LATEST: deque[Syntax] = deque(maxlen=4)  # for those who ask one after the other


def syntax_of(path: Path, text: str) -> Syntax:
    """Returns the syntax of a text that a file has or is to have.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot parse it.
    """
    if (syntax := _ALIVE.get((path, text))) is None:
        syntax = _ALIVE[path, text] = Syntax(text)
        _LATEST.append(syntax)
    return syntax


def is_text(statement: ast.stmt) -> bool:
    """Returns whether a statement is a docstring or another constant, which does nothing."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
