"""Which names a run of statements reads before it assigns them, and which it always assigns.

What is read is counted too often rather than too seldom, what is assigned too seldom: a loop may
run no turn, a branch may not be taken, a ``try`` may end anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.scopes import ImportBinding, Scope, place_of

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Names = frozenset[str]
_NONE: Names = frozenset()


@dataclass(frozen=True)
class Effect:
    """What statements do to the names of a scope.

    Attributes:
        reads: names that may be read before the statements assign them.
        writes: names that are assigned whenever the end is reached; None where it never is.
    """

    reads: Names
    writes: Names | None

    def then(self, other: Effect) -> Effect:
        """Returns the effect of these statements and then others."""
        if self.writes is None:
            return self
        reads = self.reads | (other.reads - self.writes)
        return Effect(reads, None if other.writes is None else self.writes | other.writes)


_NOTHING = Effect(_NONE, _NONE)
_Readers = dict[str, list[ast.AST]]


@asked_once
def flow_of(module: Module, scope: Scope) -> NameFlow:
    """Returns the names of a scope, the same for all who ask."""
    return NameFlow(module, scope)


def _definitions_around(module: Module, node: ast.AST) -> Iterator[ast.AST]:
    return (a for a in module.ancestors(node) if isinstance(a, (*FUNCTIONS, ast.ClassDef)))


@asked_once
def _readers(module: Module) -> dict[Scope | None, _Readers]:
    """Returns the functions and classes in which a name is read, by its scope and the name."""
    readers: dict[Scope | None, dict[str, dict[ast.AST, None]]] = {}
    for node in module.all(ast.Name):
        if not isinstance(node.ctx, ast.Load):
            continue
        of = readers.setdefault(module.scope(node), {})
        of.setdefault(node.id, {}).update(dict.fromkeys(_definitions_around(module, node)))
    return {of: {name: list(r) for name, r in names.items()} for of, names in readers.items()}


@asked_once
def declarers(module: Module) -> _Readers:
    """Returns the functions and classes in which a name is stated to be of a scope around."""
    by_name: _Readers = {}
    statements: list[ast.Global | ast.Nonlocal]
    statements = [*module.all(ast.Global), *module.all(ast.Nonlocal)]
    for node in statements:
        for name in node.names:
            by_name.setdefault(name, []).extend(_definitions_around(module, node))
    return by_name


class NameFlow:
    """The names of one scope (a function's or the module's) in the order they are used."""

    def __init__(self, module: Module, scope: Scope) -> None:
        self._module, self.scope = module, scope
        self._global = {n for n, kind in scope.outer_names.items() if kind == "global"}
        self._effects: dict[ast.stmt, Effect] = {}

    def is_ours(self, node: ast.Name) -> bool:
        """Returns whether a name is a variable of the scope, or of the module by ``global``."""
        if (scope := self._module.scope(node)) is None:
            return self.scope.parent is None
        in_module = node.id in self._global and scope is self.scope.module()
        return scope is self.scope or in_module

    def loads(self, node: ast.AST) -> Names:
        """Returns the names of the scope that code reads, functions in it included."""
        return frozenset(
            n.id
            for n in self._module.walk(node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and self.is_ours(n)
        )

    def stores(self, nodes: Iterable[ast.AST]) -> list[str]:
        """Returns the names of the scope that code may assign, in the order of the text."""
        inside = {id(n) for node in nodes for n in self._module.walk(node)}
        first_positions: dict[str, tuple[int, int]] = {}
        for name, place in self.bindings():
            if id(place) in inside and self._is_own(place):
                position = self._module.position(place)
                first_positions[name] = min(first_positions.get(name, position), position)
        return sorted(first_positions, key=lambda name: first_positions[name])

    def _is_own(self, place: ast.AST) -> bool:
        """Returns whether the scope itself binds a name, and no function in it by ``global``."""
        scope: Scope | None = self._module.names.scope_of[place]
        while scope is not None and isinstance(scope.node, _COMPREHENSIONS):
            scope = scope.parent
        return scope is self.scope

    def bindings(self) -> Iterator[tuple[str, ast.AST]]:
        """Yields every name that the scope binds, with the node that does."""
        for scope in [self.scope, self.scope.module()] if self._global else [self.scope]:
            for name, group in scope.bindings.items():
                if scope is self.scope or name in self._global:
                    for b in group:
                        yield name, b.alias if isinstance(b, ImportBinding) else place_of(b)

    def effect(self, statements: Sequence[ast.stmt]) -> Effect:
        """Returns the effect of statements that follow each other."""
        whole = _NOTHING
        for statement in statements:
            if statement not in self._effects:
                self._effects[statement] = self._statement(statement)
            whole = whole.then(self._effects[statement])
        return whole

    def readers(self) -> dict[str, list[ast.AST]]:
        """Returns the functions and classes that read a name of the scope, by name.

        Those around the scope are among them where one within it is.
        """
        index = _readers(self._module)
        readers_by_name = dict(index.get(self.scope, {}))
        if self.scope.parent is None:
            readers_by_name |= index.get(None, {})
        ours = index.get(self.scope.module(), {})
        for name in self._global:
            readers_by_name[name] = [*readers_by_name.get(name, ()), *ours.get(name, ())]
        return readers_by_name

    def _expression(self, *nodes: ast.AST | None) -> Effect:
        reads: Names = _NONE
        writes: set[str] = set()
        for node in nodes:
            if node is not None:
                reads |= self.loads(node)
                writes |= set(self._unconditional_walrus(node))
        return Effect(reads, frozenset(writes))

    def _unconditional_walrus(self, node: ast.AST) -> Iterator[str]:
        for child in ast.walk(node):
            if isinstance(child, ast.NamedExpr) and isinstance(node, (ast.NamedExpr, ast.Compare)):
                yield child.target.id

    def _targets(self, *targets: ast.AST | None) -> Effect:
        nodes = [n for target in targets if target is not None for n in ast.walk(target)]
        reads = {n.id for n in nodes if isinstance(n, ast.Name) and self._is_load(n)}
        writes = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return Effect(frozenset(reads), frozenset(writes))

    def _is_load(self, node: ast.Name) -> bool:
        return isinstance(node.ctx, ast.Load) and self.is_ours(node)

    def _statement(self, node: ast.stmt) -> Effect:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if node.value is None:
                return _NOTHING
            return self._expression(node.value).then(self._targets(*targets))
        if isinstance(node, ast.AugAssign):
            read = self._expression(node.value).then(self._targets(node.target))
            target = node.target
            also = {target.id} if isinstance(target, ast.Name) else set()
            return Effect(read.reads | also, read.writes)
        if isinstance(node, (ast.Return, ast.Raise)):
            return Effect(self.loads(node), None)
        if isinstance(node, (ast.Break, ast.Continue)):
            return Effect(_NONE, None)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound = (a.asname or a.name.split(".")[0] for a in node.names)
            return Effect(_NONE, frozenset(bound))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return Effect(self.loads(node), frozenset({node.name}))
        return self._compound(node)

    def _compound(self, node: ast.stmt) -> Effect:
        if isinstance(node, ast.If):
            branches = [self.effect(node.body), self.effect(node.orelse)]
            return self._expression(node.test).then(_either(branches))
        if isinstance(node, (ast.With, ast.AsyncWith)):
            items = _NOTHING
            for item in node.items:
                items = items.then(self._expression(item.context_expr))
                items = items.then(self._targets(item.optional_vars))
            return items.then(self.effect(node.body))
        if isinstance(node, LOOPS):
            return self._loop(node)
        if isinstance(node, ast.Try):
            return self._try(node)
        return Effect(self.loads(node), _NONE)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> Effect:
        if isinstance(node, ast.While):
            head, first = self._expression(node.test), _NOTHING
        else:
            head, first = self._expression(node.iter), self._targets(node.target)
        turn = first.then(self.effect(node.body))
        reads = head.then(turn).reads | head.then(self.effect(node.orelse)).reads
        endless = isinstance(node, ast.While) and _is_true(node.test) and not leaves_loop(node)
        return Effect(reads, None if endless else head.writes)

    def _try(self, node: ast.Try) -> Effect:
        body = self.effect(node.body).then(self.effect(node.orelse))
        handlers = [
            Effect(self.loads(h.type) if h.type else _NONE, frozenset({h.name} if h.name else ()))
            .then(self.effect(h.body))
            for h in node.handlers
        ]  # fmt: skip
        reads = self.effect(node.body).reads | body.reads
        reads = reads.union(*(h.reads for h in handlers))
        final = self.effect(node.finalbody)
        writes = _either([body, *handlers]).writes
        return Effect(
            reads | final.reads,
            None if writes is None or final.writes is None else writes | final.writes,
        )


def _either(branches: Sequence[Effect]) -> Effect:
    reads = _NONE.union(*(b.reads for b in branches))
    ends = [b.writes for b in branches if b.writes is not None]
    return Effect(reads, frozenset.intersection(*ends) if ends else None)


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def leaves_loop(loop: ast.AST) -> bool:
    """Returns whether a loop contains its own ``break``."""
    return any(isinstance(n, ast.Break) for n in loop_exits(ast.iter_child_nodes(loop)))


def loop_exits(nodes: Iterable[ast.AST]) -> Iterator[ast.Break | ast.Continue]:
    """Yields the ``break`` and ``continue`` in code that belong to a loop around it."""
    for node in nodes:
        if isinstance(node, (ast.Break, ast.Continue)):
            yield node
        elif isinstance(node, LOOPS):
            yield from loop_exits(node.orelse)
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield from loop_exits(ast.iter_child_nodes(node))


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yields code and all within it except the contents of functions and classes."""
    for node in nodes:
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield from own_nodes(ast.iter_child_nodes(node))


def read_after(
    flow: NameFlow, module: Module, last: ast.stmt, tail: Sequence[ast.stmt] = ()
) -> Names:
    """Returns the names that may be read once some statements have run.

    Args:
        flow: the names of the scope that the statements stand in.
        last: the last of them, or the ``with`` that they begin.
        tail: what follows them in that ``with``.
    """
    live: Names = _NONE
    killed: Names = _NONE
    later_statements = tail
    inner: ast.AST = last
    for outer in (last, *module.ancestors(last)):
        if outer is not last:
            later_statements = _following(outer, inner)
        effect = flow.effect(later_statements)
        live |= effect.reads - killed
        in_try = isinstance(outer, ast.Try) and outer is not last
        jumps = in_try or any(loop_exits(later_statements))
        if isinstance(outer, LOOPS) and outer is not last:
            live |= flow.effect([outer]).reads - killed
        if isinstance(outer, ast.Try) and in_try:
            for part in (*(h.body for h in outer.handlers), outer.orelse, outer.finalbody):
                live |= flow.effect(part).reads
        if isinstance(outer, (*FUNCTIONS, ast.ClassDef)) and outer is not last:
            break
        if not jumps:
            if effect.writes is None:
                break
            killed |= effect.writes
        inner = outer
    return live


def _following(outer: ast.AST, inner: ast.AST) -> Sequence[ast.stmt]:
    for _, value in ast.iter_fields(outer):
        if isinstance(value, list) and inner in value:
            return [s for s in value[value.index(inner) + 1 :] if isinstance(s, ast.stmt)]
    return []


def surely_assigned_before(flow: NameFlow, module: Module, block: ast.stmt) -> Names:
    """Returns the names that are assigned whenever a block is reached."""
    sure: Names = _NONE
    inner: ast.AST = block
    for outer in module.ancestors(block):
        for _, value in ast.iter_fields(outer):
            if isinstance(value, list) and inner in value:
                before = [s for s in value[: value.index(inner)] if isinstance(s, ast.stmt)]
                sure |= flow.effect(before).writes or _NONE
        if isinstance(outer, (ast.For, ast.AsyncFor)):
            sure |= {n.id for n in ast.walk(outer.target) if isinstance(n, ast.Name)}
        if isinstance(outer, (ast.With, ast.AsyncWith)):
            targets = [i.optional_vars for i in outer.items if i.optional_vars is not None]
            sure |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if isinstance(outer, FUNCTIONS):
            sure |= {n.arg for n in ast.walk(outer.args) if isinstance(n, ast.arg)}
            break
        inner = outer
    return sure
