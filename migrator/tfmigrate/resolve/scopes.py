"""The scopes of a module, and what binds names in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tfmigrate.resolve.canonical import not_vendored

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ComprehensionNode = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
ScopeNode = ast.Module | ast.ClassDef | FunctionNode | ComprehensionNode
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# What binds names itself, or says in which scope they are.
BINDING = (
    *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr),
    *(ast.For, ast.AsyncFor, ast.comprehension, ast.withitem, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Global, ast.Nonlocal),
)


@dataclass(frozen=True)
class ImportBinding:
    """A name bound by an import statement.

    Attributes:
        qualified: the dotted name that the local name means ("tensorflow.contrib").
        statement: the ``import`` or ``from ... import`` statement.
        alias: the clause of the statement that binds the name.
    """

    qualified: str
    statement: ast.Import | ast.ImportFrom
    alias: ast.alias

    @property
    def local(self) -> str:
        """The name that it binds: "tensorflow" for ``import tensorflow.contrib``."""
        return self.alias.asname or self.alias.name.partition(".")[0]

    @property
    def source(self) -> str:
        """The module that the statement takes something from, as it is written: "..nets"."""
        if isinstance(self.statement, ast.ImportFrom):
            return "." * self.statement.level + (self.statement.module or "")
        return self.alias.name


@dataclass(frozen=True)
class AssignBinding:
    """A name bound by a plain assignment ``name = value``."""

    value: ast.expr
    statement: ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class OtherBinding:
    """A name bound in a way that is not resolved: a parameter, a loop, a def, a class."""

    node: ast.AST


Binding = ImportBinding | AssignBinding | OtherBinding


def place_of(binding: Binding) -> ast.AST:
    """Returns the node that a binding is made by: a statement, a parameter, a target."""
    return binding.node if isinstance(binding, OtherBinding) else binding.statement


# What an import of an own module binds, or a name of the module that it binds, means.
FromOwn = Callable[[ImportBinding, str], str | None]


@dataclass(eq=False)
class Scope:
    """One Python scope and the names bound in it."""

    node: ScopeNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer_names: dict[str, str] = field(default_factory=dict)  # name -> "global" | "nonlocal"

    def lookup(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """Returns the scope that binds a name seen from here, with all its bindings of it."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if (kind := scope.outer_names.get(name)) == "global":
                scope = scope.module()
                return (scope, scope.bindings[name]) if name in scope.bindings else None
            # A class body is visible to its own statements, not to the functions in it.
            visible = first or not isinstance(scope.node, ast.ClassDef)
            if visible and kind is None and name in scope.bindings:
                return scope, scope.bindings[name]
            first = first and isinstance(scope.node, COMPREHENSIONS)
            scope = scope.parent
        return None

    def module(self) -> Scope:
        """Returns the module scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


def children_of(node: ast.AST) -> list[ast.AST]:
    """Returns the nodes right below a node, in the order of ``ast.iter_child_nodes``.

    Without what only says whether a name is read or written: a third of all, and all the same.
    """
    children: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            children += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            children.append(value)
    return children


def root_of(node: ast.AST) -> ast.AST:
    """Returns what a chain of attributes starts with: ``a`` of ``a.b.c``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def is_none(value: ast.expr | None) -> bool:
    """Returns whether an expression is ``None``."""
    return isinstance(value, ast.Constant) and value.value is None


def is_absent(value: ast.expr) -> bool:
    """Returns whether an expression stands for an import that failed: ``None`` or ``False``."""
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False)


def bindings_made_by(node: ast.AST) -> Iterator[tuple[str, Binding]]:
    """Yields the names that one node binds itself, its children apart."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or name, ImportBinding(not_vendored(name), node, alias)
    elif isinstance(node, ast.ImportFrom):
        source = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name != "*":
                dot = "" if source.endswith(".") else "."
                qualified = not_vendored(f"{source}{dot}{alias.name}")
                yield alias.asname or alias.name, ImportBinding(qualified, node, alias)
    elif isinstance(node, ast.Assign):
        first, *others = node.targets
        if isinstance(first, ast.Name) and not others:
            yield first.id, AssignBinding(node.value, node)
        else:
            yield from ((n.id, OtherBinding(n)) for t in node.targets for n in _stored_names(t))
    elif isinstance(node, ast.AnnAssign):
        if isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, AssignBinding(node.value, node)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, OtherBinding(node)
    elif isinstance(node, (ast.AugAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension)):
        yield from ((n.id, OtherBinding(n)) for n in _stored_names(node.target))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from ((n.id, OtherBinding(n)) for n in _stored_names(node.optional_vars))
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name, OtherBinding(node)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest, OtherBinding(node)


def _stored_names(target: ast.expr) -> Iterator[ast.Name]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node
