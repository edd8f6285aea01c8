"""One parsed Python file: its tree, its names, and where TensorFlow is used in it."""

import ast
from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, wraps
from itertools import chain, count
from typing import Any, Concatenate, ParamSpec, TypeVar

from tfmigrate.files.logical_lines import LINE_BREAK
from tfmigrate.files.source import SourceFile
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.names import Names
from tfmigrate.resolve.scopes import AssignBinding, Binding, FromOwn, ImportBinding, Scope, root_of
from tfmigrate.resolve.syntax import syntax_of
from tfmigrate.tables.chains import and_above
from tfmigrate.tables.symbol_table import OLD, is_found

Node = TypeVar("Node", bound=ast.AST)
Answer = TypeVar("Answer")
Of = ParamSpec("Of")
Position = tuple[int, int]


@dataclass(frozen=True)
class Use:
    """One place where a name of TensorFlow, or of another package, is used.

    Attributes:
        node: the longest Name or Attribute chain at that place.
        qualified: its qualified name ("tensorflow.contrib.estimator.TowerOptimizer").
        imported: whether its root is an import (and not an alias made by assignment).
    """

    node: ast.Name | ast.Attribute
    qualified: str
    imported: bool


class Module:
    """A source file that parsed.

    Attributes:
        source: the file.
        tree: its syntax tree.
        answers: what functions with ``asked_once`` said of it.
        is_own: says whether a dotted name that the file imports belongs to the program.
        star_names: returns the names that a file takes from own modules, with what they mean.
        from_own: returns what an import of an own module binds, or a name of that module, means.
        own_source: returns the file of the program that an import is of, and its name there.
        is_dead: says whether a test keeps a place from being reached on TensorFlow 2.

    Args:
        meaning: the name that an imported one is taken for.
    """

    def __init__(self, source: SourceFile, meaning: Callable[[str], str] = str) -> None:
        self.source, self._meaning = source, meaning
        self._syntax = syntax_of(source.path, source.text)
        self.tree = self._syntax.tree
        self._mentioned: dict[str, bool] = {}
        self._by_package: dict[str, list[Use]] = {}
        self._used: dict[str, frozenset[str]] = {}
        self.answers: dict[Hashable, Any] = {}
        self.is_own: Callable[[str], bool] = lambda name: False
        self.star_names: Callable[[], Mapping[str, str]] = dict
        self.from_own: FromOwn = lambda binding, name: None
        self.own_source: Callable[[ImportBinding], tuple[Module, str] | None] = lambda _: None
        self.is_dead: Callable[[ast.AST], bool] = lambda node: False

    @cached_property
    def names(self) -> Names:
        """The resolver over the tree."""
        own: FromOwn = lambda binding, name: self.from_own(binding, name)  # noqa: E731
        return Names(self.tree, self.is_own, self._meaning, lambda: self.star_names(), own)

    def walk(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields a node of the tree and all below it, in the order of ``ast.walk``."""
        children = self._syntax.children
        waiting = deque([node])
        while waiting:
            node = waiting.popleft()
            waiting.extend(children[node])
            yield node

    def mentions(self, *words: str) -> bool:
        """Returns whether the text, or a name that it gets by ``import *``, holds a word.

        A cheap question before a dear one.
        """
        known = self._mentioned
        for word in words:
            if word not in known:
                known[word] = word in self.source.text or any(
                    word in means for means in self.star_names().values()
                )
            if known[word]:
                return True
        return False

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, as ``ast`` counts them."""
        return LINE_BREAK.split(self.source.text)

    @cached_property
    def called_code(self) -> dict[str, list[list[ast.AST]]]:
        """The code of each function and named lambda of the file, by its name alone."""
        bodies: dict[str, list[list[ast.AST]]] = {}
        for node in self._syntax.nodes:
            if isinstance(node, ast.FunctionDef):
                bodies.setdefault(node.name, []).append(list(node.body))
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        bodies.setdefault(target.id, []).append([node.value.body])
        return bodies

    @cached_property
    def uses(self) -> list[Use]:
        """Every use of a TensorFlow name, in the order of the text."""
        return self.uses_in("tensorflow")

    @cached_property
    def keras_uses(self) -> list[Use]:
        """Every use of a name of standalone Keras, in the order of the text."""
        return self.uses_in("keras")

    def uses_in(self, package: str) -> list[Use]:
        """Returns every use of a name of a package, in the order of the text."""
        if package not in self._by_package:
            self._by_package[package] = self._found_uses(package)
        return self._by_package[package]

    def _found_uses(self, package: str) -> list[Use]:
        """Returns the uses of a package, without those that no TensorFlow 2 reaches."""
        roots = self.names.roots_of(package)
        uses = []
        for root in self.all(ast.Name):
            if root.id not in roots:  # most names of a file; these are not resolved
                continue
            node: ast.Name | ast.Attribute = root
            parent = self._syntax.parents[node]
            while isinstance(parent, ast.Attribute):
                node, parent = parent, self._syntax.parents[parent]
            if isinstance(node.ctx, (ast.Store, ast.Del)):
                # What is assigned to is not a use; what it is an attribute of is one.
                if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Attribute):
                    continue
                node = node.value
            qualified = self.names.resolve(node)
            if not qualified or not (qualified + ".").startswith(package + "."):
                continue
            if not self.is_dead(node) and not self._is_own_name(qualified):
                uses.append(Use(node, qualified, self._root_is_import(node)))
        return sorted(uses, key=lambda use: self.position(use.node))

    def _is_own_name(self, qualified: str) -> bool:
        """Returns whether TensorFlow has a name only because the file sets it."""
        own = self._own_names
        return bool(own) and any(name in own for name in and_above(qualified))

    @cached_property
    def _own_names(self) -> frozenset[str]:
        """The names that the file sets (``tf.best = 0``) and TensorFlow 1.15 does not have."""
        names = {
            f"{qualified}.{name}"
            for holder, name in attributes_set(self)
            if (qualified := self.names.resolve(holder)) and not self.is_dead(holder)
        }
        return frozenset(
            name for name in names if not is_found(name.removeprefix("tensorflow."), OLD)
        )

    def uses_of(self, *qualified: str) -> list[Use]:
        """Returns the uses of the names given, of any package, in the order of the text."""
        matching_uses = [
            use
            for package in {name.partition(".")[0] for name in qualified}
            if not self._used_of(package).isdisjoint(qualified)
            for use in self.uses_in(package)
            if use.qualified in qualified
        ]
        return sorted(matching_uses, key=lambda use: self.position(use.node))

    def _used_of(self, package: str) -> frozenset[str]:
        """Returns the names of a package that the file uses."""
        if package not in self._used:
            self._used[package] = frozenset(u.qualified for u in self.uses_in(package))
        return self._used[package]

    def calls_of(self, *qualified: str) -> list[ast.Call]:
        """Returns the calls of the names given, in the order of the text."""
        calls = (self.call_of(use.node) for use in self.uses_of(*qualified))
        return [call for call in calls if call]

    @cached_property
    def import_bindings(self) -> list[ImportBinding]:
        """Every import of the file, at any depth, in the order of the text."""
        bindings = [b for s in self.names.scopes() for group in s.bindings.values() for b in group]
        by_alias = {id(b.alias): b for b in bindings if isinstance(b, ImportBinding)}
        return sorted(by_alias.values(), key=lambda b: self.position(b.alias))

    @cached_property
    def _uses_by_import(self) -> dict[int, list[Use]]:
        """The uses of TensorFlow's and Keras' names by the import that binds their root."""
        by_import: dict[int, list[Use]] = {}
        for use in (*self.uses, *self.keras_uses):
            by_import.setdefault(id(self.names.root_import(use.node)), []).append(use)
        return by_import

    def uses_through(self, binding: ImportBinding) -> list[Use]:
        """Returns the uses of a name of TensorFlow or Keras that an import binds, in order."""
        return list(self._uses_by_import.get(id(binding), ()))

    def uses_through_alias(self, statement: ast.stmt) -> list[Use]:
        """Returns the uses of a name that a plain assignment gave to a TensorFlow name."""
        roots = [(use, self.names.root_alias(use.node)) for use in self.uses if not use.imported]
        return [use for use, alias in roots if alias is not None and alias.statement is statement]

    def resolve(self, node: ast.expr) -> str | None:
        """Returns the qualified name of an expression (see ``Names.resolve``)."""
        return self.names.resolve(node)

    def scope(self, node: ast.AST) -> Scope | None:
        """Returns the scope that binds a name; None where the file does not bind it."""
        return self.names.variable(node)[0]

    def bindings(self, node: ast.AST) -> list[Binding]:
        """Returns all bindings of the variable that a name means; [] for what is no name."""
        return self.names.variable(node)[1]

    def values(self, node: ast.AST) -> list[ast.expr]:
        """Returns what plain assignments give the variable that a name means."""
        return [b.value for b in self.bindings(node) if isinstance(b, AssignBinding)]

    def reads(self, name: str, scope: Scope | None) -> list[ast.Name]:
        """Returns where the file reads the variable of a scope."""
        alike = (n for n in self.all(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load))
        return [node for node in alike if self.scope(node) is scope]

    def parent(self, node: ast.AST) -> ast.AST:
        """Returns the node that holds a node."""
        return self._syntax.parents[node]

    def call_of(self, node: ast.AST) -> ast.Call | None:
        """Returns the call of the function that an expression is; None where it is not called."""
        parent = self._syntax.parents[node]
        return parent if isinstance(parent, ast.Call) and parent.func is node else None

    def holds(self, node: ast.AST) -> bool:
        """Returns whether a node is of this file."""
        return self.tree in (node, *self.ancestors(node))

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the nodes around a node, the nearest first."""
        while node in self._syntax.parents:
            node = self._syntax.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """Returns the innermost statement that contains a node."""
        while not isinstance(node, ast.stmt):
            node = self._syntax.parents[node]
        return node

    def function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Module:
        """Returns the innermost function (or the module) around a node."""
        for ancestor in self.ancestors(node):
            if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
                return ancestor
        return self.tree

    def returns(self, function: ast.AST) -> list[ast.Return]:
        """Returns the return statements of a function, without those of functions in it."""
        return [s for s in self.all(ast.Return, function) if self.function(s) is function]

    def position(self, node: ast.AST) -> Position:
        """Returns (line, column) of a node, both counted from 1, the column in characters."""
        line: int = getattr(node, "lineno", 1)
        offset: int = getattr(node, "col_offset", 0)
        return line, self.column(line, offset) + 1

    def end(self, node: ast.AST) -> Position | None:
        """Returns (line, column) after the last character of a node; None for a whole file."""
        line: int | None = getattr(node, "end_lineno", None)
        if line is None:
            return None
        return line, self.column(line, getattr(node, "end_col_offset", 0)) + 1

    def cell(self, node: ast.AST) -> int:
        """Returns the cell of a notebook that a node is in, 0 in other files."""
        return self.source.where(*self.position(node))[0]

    def column(self, line: int, byte_offset: int) -> int:
        """Returns the character column (from 0) of a UTF-8 byte offset in a line."""
        text = self.lines[line - 1]
        return byte_offset if text.isascii() else len(text.encode()[:byte_offset].decode())

    def code(self, node: ast.expr | ast.keyword) -> str:
        """Returns the code of an expression as it is written, line breaks included."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        lines = [line.encode() for line in self.lines[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode()

    def indentation(self, node: ast.AST) -> str:
        """Returns the white space before the line that a node's statement begins on."""
        text = self.lines[self.statement(node).lineno - 1]
        return text[: len(text) - len(text.lstrip())]

    def all(self, kind: type[Node], within: ast.AST | None = None) -> list[Node]:
        """Returns every node of a kind, in the module or within a node."""
        if within is not None and within is not self.tree:
            return [n for n in self.walk(within) if isinstance(n, kind)]
        return self._syntax.all(kind)

    def _root_is_import(self, node: ast.expr) -> bool:
        if not (bindings := self.bindings(root_of(node))):
            return self.names.given(node) is not None
        return any(isinstance(b, ImportBinding) for b in bindings)


def asked_once(
    question: Callable[Concatenate[Module, Of], Answer],
) -> Callable[Concatenate[Module, Of], Answer]:
    """Lets a function be asked once for each file and what else it is asked of.

    The answer is kept as long as the file is.
    """

    @wraps(question)
    def ask(module: Module, /, *of: Of.args, **named: Of.kwargs) -> Answer:
        key = (question, of, *named.items())
        if key not in module.answers:
            module.answers[key] = question(module, *of, **named)
        answer: Answer = module.answers[key]
        return answer

    return ask


def attributes_set(module: Module) -> list[tuple[ast.expr, str]]:
    """Returns each object that gets an attribute, by ``=`` or ``setattr``, with its name."""
    pairs = [
        (node.value, node.attr)
        for node in module.all(ast.Attribute)
        if isinstance(node.ctx, ast.Store) and not isinstance(module.parent(node), ast.AugAssign)
    ]
    for call in module.all(ast.Call):
        is_setattr = isinstance(call.func, ast.Name) and call.func.id == "setattr"
        name = call.args[1] if is_setattr and len(call.args) == 3 else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            pairs.append((call.args[0], name.value))
    return pairs


def imports(module: Module) -> list[ImportBinding]:
    """Returns every import of a module, at any depth, in the order of the text."""
    return list(module.import_bindings)


def free_name(module: Module, *wanted: str) -> str:
    """Returns the first name that a file does not use, if need be with a number."""
    read = {node.id for node in module.all(ast.Name)}
    names = chain(wanted, (f"{wanted[-1]}_{number}" for number in count(2)))
    return next(n for n in names if n not in read and not module.names.bindings_of(n))


def star_imports(module: Module, prefix: str) -> list[ast.ImportFrom]:
    """Returns the ``from x import *`` statements where x is a TensorFlow package or below it."""
    return [
        node
        for node in module.all(ast.ImportFrom)
        if node.names[0].name == "*"
        and not node.level
        and (canonical(node.module or "") + ".").startswith(prefix + ".")
    ]


def unknown_stars(module: Module, known: Collection[str]) -> list[ast.ImportFrom]:
    """Returns the ``from x import *`` statements where x is of none of some packages."""
    return [
        node
        for node in module.all(ast.ImportFrom)
        if node.names[0].name == "*"
        and (node.level or (node.module or "").partition(".")[0] not in known)
    ]


def aliases(module: Module) -> list[tuple[ast.Assign | ast.AnnAssign, str]]:
    """Returns the assignments that only give a TensorFlow name another name, with that name."""
    pairs = []
    for scope in module.names.scopes():
        for group in scope.bindings.values():
            for binding in group:
                if isinstance(binding, AssignBinding):
                    qualified = module.resolve(binding.value)
                    if qualified and qualified.startswith("tensorflow."):
                        pairs.append((binding.statement, qualified))
    return sorted(pairs, key=lambda pair: module.position(pair[0]))
