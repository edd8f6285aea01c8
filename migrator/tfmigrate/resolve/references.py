"""Every name of TensorFlow and of its companions that a file needs, exactly as it is reached.

Other than ``Module.uses`` these are not brought to TensorFlow 1.x's public names: the question is
whether Python finds ``tensorflow.compat.v1.train.Saver`` there, and that differs from
``tensorflow.train.Saver``.
"""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tfmigrate.resolve.calls import called
from tfmigrate.resolve.guards import is_guarded, is_guarded_by_mode
from tfmigrate.resolve.module import Module, Position, asked_once, attributes_set
from tfmigrate.resolve.origins import set_on_self
from tfmigrate.resolve.scopes import AssignBinding, Binding, ImportBinding, Scope, is_absent
from tfmigrate.tables.chains import Chain, and_above
from tfmigrate.tables.present_names import KERAS_2, KERAS_3, missing_part

PACKAGES = ("tensorflow", "tensorflow_core", "tf_slim", "tf_keras", "keras", "tfmigrate_runtime")


@dataclass(frozen=True)
class Reference:
    """One place that needs a name.

    Attributes:
        position: its place, (line, column) from 1.
        chains: how the name is reached; several where a file imports its root in several ways
            (``try: import tensorflow.compat.v1 as tf``), of which one has to lead there.
    """

    position: Position
    chains: tuple[Chain, ...]


@dataclass(frozen=True)
class Doubt:
    """A reference whose name the file binds to something else as well.

    Attributes:
        reference: the place, and how it is reached where the name is what was imported.
        name: the name.
        line: where it is bound to something else, from 1.
    """

    reference: Reference
    name: str
    line: int


def references(
    module: Module,
    names_given: Mapping[str, Chain] | None = None,
    own: Collection[str] = (),
    both_modes: bool = False,
) -> list[Reference]:
    """Returns the names that a file needs, in the order of the text, without guarded ones.

    Args:
        names_given: the names that it has from the program's own modules.
        own: the names that the program sets itself (``own_names``), which are left out.
        both_modes: whether to return also what the file needs in one mode only, eager or not.
    """
    finder = _Finder(module, names_given or {})
    guarded = is_guarded if both_modes else is_guarded_by_mode
    places = [*finder.imports(), *finder.uses()]
    return sorted(
        [
            Reference(module.position(node), chains)
            for node, chains in places
            if not guarded(module, node)
            and not (own and any(n in own for c in chains for n in and_above(c.qualified)))
        ],
        key=lambda reference: reference.position,
    )


def own_names(module: Module, names_given: Mapping[str, Chain]) -> set[str]:
    """Returns the names that a file gives TensorFlow itself (``tf.best = 0``), as it reaches them.

    Args:
        names_given: the names that it has from the program's own modules.
    """
    finder = _Finder(module, names_given)
    return {
        c.below(name).qualified
        for holder, name in attributes_set(module)
        for c in finder.chains(holder)
        if not is_guarded(module, holder)
    }


def doubts(module: Module) -> list[Doubt]:
    """Returns the places whose names the file also binds by a loop, a tuple or an unknown value."""
    if not _rebinds(module):
        return []
    finder = _Finder(module, {}, in_doubt=True)
    return sorted(
        [
            Doubt(Reference(module.position(node), chains), *finder.rebound[id(node)])
            for node, chains in finder.uses()
            if id(node) in finder.rebound and not is_guarded(module, node)
        ],
        key=lambda doubt: doubt.reference.position,
    )


def _rebinds(module: Module) -> bool:
    """Returns whether a scope binds a name of TensorFlow, or of something in it, several ways."""
    several = {
        name
        for scope in module.names.scopes()
        for name, those in scope.bindings.items()
        if len(those) > 1 and not all(isinstance(binding, ImportBinding) for binding in those)
    }
    return any(several & module.names.roots_of(package) for package in PACKAGES if several)


class _Finder:
    """The chains of one file.

    Attributes:
        rebound: with ``in_doubt``, the uses of names that have other bindings too: the name, and
            the line of the first of these, by the id of the use.
    """

    def __init__(
        self, module: Module, names_given: Mapping[str, Chain], in_doubt: bool = False
    ) -> None:
        self._module, self._names_given = module, names_given
        self._in_doubt = in_doubt
        self._other: list[tuple[str, int]] = []  # of the use that is looked at
        self.rebound: dict[int, tuple[str, int]] = {}
        self._plain = sorted(
            alias.name
            for statement in module.all(ast.Import)
            for alias in statement.names
            if not alias.asname and "." in alias.name
        )

    def imports(self) -> Iterator[tuple[ast.AST, tuple[Chain, ...]]]:
        """Yields what import statements need, where no use of the name needs it too."""
        for statement in self._module.all(ast.Import):
            for alias in statement.names:
                if _is_ours(alias.name):
                    yield alias, (Chain(alias.name),)
        for source in self._module.all(ast.ImportFrom):
            if source.level or not source.module or not _is_ours(source.module):
                continue
            for alias in source.names:
                member = "" if alias.name == "*" else alias.name
                yield alias, (Chain(source.module, member),)
        for call in self._module.all(ast.Call):
            name = self._imported_by(call)
            if _is_ours(name):
                yield call, (Chain(name),)

    def _imported_by(self, call: ast.Call) -> str:
        """Returns what ``importlib.import_module`` or ``__import__`` imports; "" for unknown."""
        by_function = called(self._module, call) == "importlib.import_module"
        is_import = bool(call.args) and (by_function or _is_builtin_import(call))
        return _text(self._module, call.args[0]) if is_import else ""

    def uses(self) -> Iterator[tuple[ast.AST, tuple[Chain, ...]]]:
        """Yields the longest chains of attributes whose roots are imported."""
        for node in self._module.all(ast.Attribute):
            if isinstance(self._module.parent(node), ast.Attribute):
                continue
            if isinstance(node.ctx, ast.Load) or isinstance(
                self._module.parent(node), ast.AugAssign
            ):
                yield from self._use(node)
            elif isinstance(node.value, ast.Attribute):
                yield from self._use(node.value)
        for call in self._module.all(ast.Call):
            asks = _asked_for(self._module, call) is not None
            if asks and not isinstance(self._module.parent(call), ast.Attribute):
                yield from self._use(call)

    def chains(self, node: ast.expr) -> tuple[Chain, ...]:
        """Returns how an expression is reached; () where it is no such name."""
        return self._chains(node, self._module.names.scope_of.get(node), frozenset())

    def _use(self, node: ast.expr) -> Iterator[tuple[ast.AST, tuple[Chain, ...]]]:
        self._other.clear()
        if chains := self.chains(node):
            if self._other:
                self.rebound[id(node)] = self._other[0]
            yield node, chains

    def _chains(
        self, node: ast.expr, scope: Scope | None, seen: frozenset[int]
    ) -> tuple[Chain, ...]:
        """Returns how an expression is reached; () where it is not such a name, or is ambiguous."""
        if isinstance(node, ast.Attribute):
            root = node.value.id if isinstance(node.value, ast.Name) else ""
            if own_chain := self._names_given.get(f"{root}.{node.attr}"):
                return (own_chain,)
            if held := set_on_self(self._module, node, in_class=True):
                return self._all(held, seen)
            return tuple(
                self._rooted(chain.below(node.attr))
                for chain in self._chains(node.value, scope, seen)
            )
        if (asked := _asked_for(self._module, node)) is not None:
            value, name = asked
            return tuple(chain.below(name) for chain in self._chains(value, scope, seen))
        if isinstance(node, ast.Call):
            name = self._imported_by(node)
            if _is_builtin_import(node):
                name = name.partition(".")[0]
            return (Chain(name),) if _is_ours(name) else ()
        if not scope or not isinstance(node, ast.Name):
            return ()
        if (variable := scope.lookup(node.id)) is None:
            return (self._names_given[node.id],) if node.id in self._names_given else ()
        chains: list[Chain] = []
        others: list[Binding] = []
        for binding in variable[1]:
            if isinstance(binding, AssignBinding) and is_absent(binding.value):
                continue  # `tf = None` in an except ImportError branch
            more = self._bound(node, variable[0], binding, seen)
            chains += more
            if not more and not any(map(partial(self._replaces, binding), variable[1])):
                others.append(binding)
        if others and not (chains and self._in_doubt):
            return ()
        if others:
            self._other.append((node.id, min(map(_line_of, others))))
        return tuple(dict.fromkeys(chains))

    def _replaces(self, other: Binding, ours: Binding) -> bool:
        """Returns whether an import of ours may be reached instead of another, in one ``try``.

        An import that guards itself does not guard what is read from its name: where it works, or
        is what is tried last, these names are needed.
        """
        if not isinstance(other, ImportBinding) or not isinstance(ours, ImportBinding):
            return False
        chain = chain_of_import(ours)
        tried = self._module.parent(other.statement), self._module.parent(ours.statement)
        if chain is None:
            return False
        if isinstance(tried[0], ast.Try) and tried[1] in tried[0].handlers:
            return True
        works = any(missing_part(chain, keras) is None for keras in (KERAS_2, KERAS_3))
        return isinstance(tried[1], ast.Try) and tried[0] in tried[1].handlers and works

    def _bound(
        self, name: ast.Name, scope: Scope, binding: Binding, seen: frozenset[int]
    ) -> tuple[Chain, ...]:
        """Returns what one binding of a name makes it; () for what is not resolved."""
        if isinstance(binding, ImportBinding):
            chain = chain_of_import(binding) or self._names_given.get(name.id)
            return (chain,) if chain else ()
        value = binding.value if isinstance(binding, AssignBinding) else self._paired(binding.node)
        if value is None or id(value) in seen:
            return ()
        return self._chains(value, self._module.names.scope_of[value], seen | {id(value)})

    def _paired(self, name: ast.AST) -> ast.expr | None:
        """Returns what a name of ``a, b = tf.nn, tf.train`` gets; None for other bindings."""
        targets = self._module.parent(name)
        if not isinstance(targets, ast.Tuple):
            return None
        statement = self._module.parent(targets)
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Tuple):
            return None
        names: list[ast.AST] = [*targets.elts]
        values = statement.value.elts
        if len(names) != len(values) or any(isinstance(n, ast.Starred) for n in (*names, *values)):
            return None
        return values[names.index(name)]

    def _all(self, values: Sequence[ast.expr], seen: frozenset[int]) -> tuple[Chain, ...]:
        """Returns how one of some values is reached; () where one may be something else."""
        chains: list[Chain] = []
        for value in values:
            scope = self._module.names.scope_of.get(value)
            if scope is not None and isinstance(scope.node, ast.ClassDef):
                scope = scope.parent  # `tf = tf` in the body of a class
            more = () if id(value) in seen else self._chains(value, scope, seen | {id(value)})
            if not more:
                return ()
            chains += more
        return tuple(dict.fromkeys(chains))

    def _rooted(self, chain: Chain) -> Chain:
        """Lets ``import tensorflow.python.ops`` import what a chain from ``tensorflow`` needs."""
        for name in reversed(self._plain):
            if not chain.member and (chain.qualified + ".").startswith(name + "."):
                return Chain(name, "", chain.qualified[len(name) + 1 :])
        return chain


@asked_once
def names_below_self(module: Module) -> list[tuple[ast.Attribute, str]]:
    """Returns the names of TensorFlow that ``self.tf`` reaches, where it is the package alone."""
    names = []
    for node in module.all(ast.Attribute):
        if isinstance(module.parent(node), ast.Attribute):
            continue
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            held = set_on_self(module, inner, in_class=True)
            if parts and held and all(module.resolve(value) == "tensorflow" for value in held):
                names.append((node, ".".join(("tensorflow", *parts))))
                break
            parts.insert(0, inner.attr)
            inner = inner.value
    return names


def _asked_for(module: Module, node: ast.expr) -> tuple[ast.expr, str] | None:
    """Returns the object and the name of ``getattr(object, "name")``."""
    if not isinstance(node, ast.Call) or len(node.args) != 2:
        return None
    is_getattr = isinstance(node.func, ast.Name) and node.func.id == "getattr"
    name = _text(module, node.args[1]) if is_getattr else ""
    return (node.args[0], name) if name.isidentifier() else None


def _text(module: Module, node: ast.expr) -> str:
    """Returns a string that is given, or that a name is bound to once; "" for unknown."""
    if isinstance(node, ast.Name):
        bindings = module.bindings(node)
        if len(bindings) == 1 and isinstance(bindings[0], AssignBinding):
            node = bindings[0].value
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def chain_of_import(binding: ImportBinding) -> Chain | None:
    """Returns the name of TensorFlow or its companions that an import binds, None for others."""
    statement, alias = binding.statement, binding.alias
    if isinstance(statement, ast.ImportFrom):
        if statement.level or not statement.module or not _is_ours(statement.module):
            return None
        return Chain(statement.module, alias.name)
    name = alias.name if alias.asname else alias.name.partition(".")[0]
    return Chain(name) if _is_ours(name) else None


def _is_builtin_import(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "__import__"


def _line_of(binding: Binding) -> int:
    if isinstance(binding, (ImportBinding, AssignBinding)):
        return binding.statement.lineno
    return int(getattr(binding.node, "lineno", 1))


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] in PACKAGES
