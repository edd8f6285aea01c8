"""The names of TensorFlow that a text needs, found without the migrator's code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from versions import NoVersionError, UndecidedError, Versions

PACKAGES = ("tensorflow", "tf_slim", "tf_keras", "tfmigrate_runtime", "keras")
_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "AttributeError", "NameError"}
_ANY_ERROR = {"Exception", "BaseException", "all"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)

Chain = tuple[str, str, str]
"""What is imported, what is imported from it or "", and the attributes below."""


@dataclass
class _Scope:
    node: ast.AST
    parent: _Scope | None
    bound: dict[str, list[Chain | ast.expr | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Need:
    """A name that a text needs: one of the chains has to lead somewhere.

    Attributes:
        line: where it is.
        chains: what it may be.
        instead: the imports of which one has to fail for the name to be needed; () for always.
    """

    line: int
    chains: tuple[Chain, ...]
    instead: tuple[Chain, ...] = ()

    @property
    def name(self) -> str:
        """The dotted name."""
        return ".".join(part for part in self.chains[0] if part)


class Names:
    """The scopes of a text, and what its names are."""

    def __init__(self, tree: ast.Module) -> None:
        self.parents: dict[ast.AST, ast.AST] = {}
        self._scopes: dict[ast.AST, _Scope] = {tree: _Scope(tree, None)}
        self._plain: list[str] = []
        self._tree = tree
        self._nodes = list(ast.walk(tree))
        for node in self._nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        for node in self._nodes:
            if isinstance(node, _SCOPES):
                self._scopes[node] = _Scope(node, None)
        for node, scope in self._scopes.items():
            if node is not tree:
                scope.parent = self._scope(self.parents[node])
        self._globals: dict[ast.AST, set[str]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Global):
                self._globals.setdefault(self._scope(node).node, set()).update(node.names)
        for node in self._nodes:
            self._bind(node)

    def needs(self) -> list[Need]:
        """Returns what the text needs, imports included, without what it guards or sets itself."""
        found = []
        stored = [n for n in self._nodes if isinstance(n, ast.Attribute)]
        stored = [n for n in stored if isinstance(n.ctx, ast.Store)]
        own = {f"{'.'.join(filter(None, c))}." for n in stored for c in self.chains_of(n)}
        for line, node, chains in [*self._imported(), *self._used()]:
            if chains and not self._is_guarded(node):
                rooted = tuple(dict.fromkeys(map(self._rooted, chains)))
                found.append(Need(line, rooted, self._in_place_of(node)))
        found = [need for need in found if not f"{need.name}.".startswith(tuple(own))]
        return sorted(set(found), key=lambda need: (need.line, need.name))

    def _in_place_of(self, node: ast.AST) -> tuple[Chain, ...]:
        """Returns what is imported first, where a node is in the handler of a failed import."""
        inner, outer = node, self.parents.get(node)
        while outer is not None:
            if isinstance(outer, ast.Try) and inner in outer.handlers and _catches(outer):
                inside = {id(part) for statement in outer.body for part in ast.walk(statement)}
                places = [*self._imported(), *self._used()]
                return tuple(c[0] for _, n, c in places if c and id(n) in inside)
            inner, outer = outer, self.parents.get(outer)
        return ()

    def chains_of(self, node: ast.AST, depth: int = 0) -> tuple[Chain, ...]:
        """Returns how an expression is reached from an import; () for no such expression."""
        if isinstance(node, ast.Attribute):
            return tuple(
                (module, member, f"{below}.{node.attr}".lstrip("."))
                for module, member, below in self.chains_of(node.value, depth)
            )
        scope = self._scope(node) if isinstance(node, ast.Name) and depth < 5 else None
        while scope is not None and isinstance(node, ast.Name):
            hidden = isinstance(scope.node, ast.ClassDef) and scope is not self._scope(node)
            if node.id in scope.bound and not hidden:
                chains: list[Chain] = []
                for bound in scope.bound[node.id]:
                    more = (
                        self.chains_of(bound, depth + 1) if isinstance(bound, ast.expr) else bound
                    )
                    if not more:
                        return ()
                    chains += more if isinstance(bound, ast.expr) else [more]  # type: ignore[list-item]
                return tuple(chains)
            scope = scope.parent
        return ()

    def called(self, node: ast.AST) -> str:
        """Returns the dotted name of what a call calls, without compat.v1; "" for others."""
        chains = self.chains_of(node.func) if isinstance(node, ast.Call) else ()
        name = ".".join(part for part in chains[0] if part) if chains else ""
        return name.replace("tensorflow.compat.v1", "tensorflow")

    def _scope(self, node: ast.AST) -> _Scope:
        inner = node
        while True:
            outer = self.parents.get(inner)
            if outer is None:
                return self._scopes[self._tree]
            if outer in self._scopes and not _outside(outer, inner):
                return self._scopes[outer]
            inner = outer

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self._bind_alias(node, alias)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            parent = self.parents[node]
            plain = isinstance(parent, ast.Assign) and node in parent.targets
            value = parent.value if plain and isinstance(parent, ast.Assign) else None
            self._add(node, node.id, value)
        elif isinstance(node, ast.arg):
            self._add(node, node.arg, None)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._add(self.parents[node], node.name, None, here=True)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self._add(node, node.name, None)

    def _bind_alias(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> None:
        if isinstance(node, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            module = alias.name if alias.asname else name
            self._add(node, name, (module, "", "") if _ours(module) else None)
            if _ours(alias.name) and not alias.asname and "." in alias.name:
                self._plain.append(alias.name)
        elif alias.name != "*":
            ours = not node.level and node.module and _ours(node.module)
            chain = (node.module or "", alias.name, "") if ours else None
            self._add(node, alias.asname or alias.name, chain)

    def _add(
        self, node: ast.AST, name: str, value: Chain | ast.expr | None, here: bool = False
    ) -> None:
        scope = self._scopes[node] if here and node in self._scopes else self._scope(node)
        if isinstance(scope.node, _FUNCTIONS) and name in self._globals.get(scope.node, ()):
            scope = self._scopes[self._tree]
        scope.bound.setdefault(name, []).append(value)

    def _imported(self) -> Iterator[tuple[int, ast.AST, tuple[Chain, ...]]]:
        for node in self._nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if _ours(alias.name):
                        yield node.lineno, node, ((alias.name, "", ""),)
            elif isinstance(node, ast.ImportFrom) and not node.level and _ours(node.module or ""):
                for alias in node.names:
                    member = "" if alias.name == "*" else alias.name
                    yield node.lineno, node, ((node.module or "", member, ""),)

    def _used(self) -> Iterator[tuple[int, ast.AST, tuple[Chain, ...]]]:
        for node in self._nodes:
            inside = isinstance(self.parents.get(node), ast.Attribute)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and not inside:
                yield node.lineno, node, self.chains_of(node)

    def _rooted(self, chain: Chain) -> Chain:
        """Lets ``import tensorflow.python.ops`` import what a chain from ``tensorflow`` needs."""
        module, member, below = chain
        for name in sorted(self._plain, key=len, reverse=True):
            if not member and f"{module}.{below}.".startswith(f"{name}."):
                return name, "", f"{module}.{below}"[len(name) + 1 :]
        return chain

    def _is_guarded(self, node: ast.AST) -> bool:
        inner, outer = node, self.parents.get(node)
        while outer is not None:
            if isinstance(outer, ast.Try) and inner in outer.body and _catches(outer):
                return True
            block = getattr(outer, "body", None)
            if isinstance(block, list) and inner in block and self._ended(block, inner):
                return True
            if isinstance(outer, ast.If) and inner is not outer.test:
                if self._never(outer.test, inner in outer.body):
                    return True
            elif isinstance(outer, ast.IfExp) and inner is not outer.test:
                if self._never(outer.test, inner is outer.body):
                    return True
            elif isinstance(outer, ast.BoolOp):
                before = outer.values[: outer.values.index(inner)]  # type: ignore[arg-type]
                if any(self._never(test, isinstance(outer.op, ast.And)) for test in before):
                    return True
            inner, outer = outer, self.parents.get(outer)
        return False

    def _ended(self, block: list[ast.AST], node: ast.AST) -> bool:
        """Returns whether a test of the version returns before a statement of a block."""
        tests = [
            s for s in block[: block.index(node)] if isinstance(s, ast.If) and _returns(s.body)
        ]
        return any(self._never(test.test, False) for test in tests)

    def _never(self, test: ast.expr, when: bool) -> bool:
        """Returns whether a branch does not run on this version, or cannot be decided here."""
        if any(isinstance(n, ast.Name) and n.id in ("hasattr", "dir") for n in ast.walk(test)):
            return True
        try:
            return Versions(self.chains_of, self.bound_to).holds(test) is not when
        except NoVersionError:
            return False
        except UndecidedError:
            return True

    def bound_to(self, node: ast.Name) -> ast.expr | None:
        """Returns the one expression that a name is assigned in its scope or the module."""
        scope: _Scope | None = self._scope(node)
        while scope is not None:
            bound = scope.bound.get(node.id)
            if bound:
                return bound[0] if len(bound) == 1 and isinstance(bound[0], ast.expr) else None
            scope = scope.parent
        return None


def _outside(scope: ast.AST, child: ast.AST) -> bool:
    """Returns whether a part of a definition belongs to the scope around it."""
    if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        inside = scope.body if isinstance(scope.body, list) else [scope.body]
        return child not in inside and not isinstance(child, ast.arguments)
    if isinstance(scope, ast.ClassDef):
        return child not in scope.body
    return False


def _returns(block: list[ast.stmt]) -> bool:
    return isinstance(block[-1], ast.Return)


def _catches(node: ast.Try) -> bool:
    for handler in node.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = {k.id for k in kinds if isinstance(k, ast.Name)} if handler.type else {"all"}
        imports = any(isinstance(part, (ast.Import, ast.ImportFrom)) for part in node.body)
        # `try: show = tf.image_summary` / `except: show = tf.summary.image`
        assigns = all(
            isinstance(part, ast.Assign) and isinstance(part.value, ast.Attribute)
            for part in node.body
        )
        if names & _IMPORT_ERRORS or ((imports or assigns) and names & _ANY_ERROR):
            return True
    return False


def _ours(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES
