"""What the statements of a session program build: placeholders, variables, tensors, the step."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.syntax import is_text
from tfmigrate.tables.native.initializers import INITIALIZERS
from tfmigrate.tables.native.kept import PACKAGES
from tfmigrate.tables.native.optimizers import OPTIMIZERS, SCHEDULES

SESSIONS = ("tensorflow.Session", "tensorflow.train.MonitoredTrainingSession")
SYNC = ("tensorflow.train.SyncReplicasOptimizer",)
TRAINING = ("minimize", "apply_gradients")
STEPS = tuple(
    f"tensorflow.{package}.{name}"
    for package in ("train", "contrib.framework")
    for name in ("get_global_step", "get_or_create_global_step", "create_global_step")
)
_VARIABLES = ("tensorflow.Variable", "tensorflow.get_variable")
_SCOPES = ("tensorflow.device", "tensorflow.name_scope", "tensorflow.variable_scope")
_INITS = tuple(
    f"tensorflow.{name}"
    for name in (
        *("global_variables_initializer", "local_variables_initializer", "tables_initializer"),
        *("initialize_all_variables", "initialize_local_variables"),
    )
)
_CONFIGS = (
    *("tensorflow.ConfigProto", "tensorflow.GPUOptions", "tensorflow.train.replica_device_setter"),
    "tensorflow.train.Scaffold",
)
_NO_TENSORS = (
    *("tensorflow.data.", "tensorflow.gfile.", "tensorflow.io.", "tensorflow.train.ClusterSpec"),
    *("tensorflow.set_random_seed", "tensorflow.reset_default_graph", "tensorflow.train.Server"),
    *("tensorflow.config.", "tensorflow.errors.", "tensorflow.examples."),
    *(f"{package}" for package in PACKAGES),
)


class Kind(Enum):
    """What a statement of a graph makes."""

    PLACEHOLDER = auto()
    BATCH = auto()
    VARIABLE = auto()
    STEP = auto()
    RATE = auto()
    OPTIMIZER = auto()
    TRAINING = auto()
    SUMMARY = auto()
    SAVER = auto()
    INIT = auto()
    CONFIG = auto()
    HOOK = auto()
    TENSOR = auto()
    GRADIENT = auto()
    PLAIN = auto()


_OF_TENSORS = (Kind.PLACEHOLDER, Kind.BATCH, Kind.VARIABLE, Kind.TENSOR, Kind.STEP, Kind.RATE)


@dataclass
class Graph:
    """The graph that one function, or a script, builds before its session.

    Attributes:
        plan: the conversion.
        module: the file.
        home: the function, or the file itself.
        session: the statement that makes the session.
        leaves: the statements above it, those of blocks of scopes one by one.
        scopes: the blocks of scopes among them.
        kinds: what each of them makes.
        names: what the names that they assign mean.
        values: the last value that a name is assigned alone.
        summarizing: functions of the program that only write summaries.
        kept_items: items of the blocks that stay.
    """

    plan: Conversion
    module: Module
    home: ast.FunctionDef | ast.Module
    session: ast.stmt
    leaves: list[ast.stmt] = field(default_factory=list)
    scopes: list[ast.With] = field(default_factory=list)
    kinds: dict[ast.stmt, Kind] = field(default_factory=dict)
    names: dict[str, Kind] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)
    summarizing: set[ast.FunctionDef] = field(default_factory=set)
    kept_items: set[ast.withitem] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.leaves = list(self._flat(self.home.body))
        self._counters = self._counted()
        for leaf in self.leaves:
            kind = self._kind(leaf)
            self.kinds[leaf] = kind
            for name in assigned(self.module, leaf):
                self._bind(leaf, name, kind)

        for late in self.module.all(ast.Assign, self.home):
            # Some programs make these below the session.
            if late not in self.kinds and self._initializes(late.value):
                self.leaves.append(late)
                self.kinds[late] = Kind.INIT
                for name in assigned(self.module, late):
                    self._bind(late, name, Kind.INIT)

    def of(self, *kinds: Kind) -> list[ast.stmt]:
        """Returns the statements of some kinds, in order."""
        return [leaf for leaf in self.leaves if self.kinds[leaf] in kinds]

    def kind_of(self, node: ast.expr) -> Kind:
        """Returns what a name means here; PLAIN for other expressions."""
        if isinstance(node, ast.Name) and self.is_here(node):
            return self.names.get(node.id, Kind.PLAIN)
        return Kind.PLAIN

    def value_of(self, node: ast.expr) -> ast.expr:
        """Returns the expression that a name of the graph was assigned."""
        while isinstance(node, ast.Name) and self.is_here(node) and node.id in self.values:
            node = self.values[node.id]
        return node

    def value_before(self, name: ast.Name) -> ast.expr:
        """Returns the expression that a name was last assigned above a place."""
        values = [
            leaf.value
            for leaf in self.leaves
            if isinstance(leaf, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == name.id for t in leaf.targets)
            and self.module.position(leaf) < self.module.position(self.module.statement(name))
        ]
        return values[-1] if values else name

    def is_here(self, node: ast.Name) -> bool:
        """Says whether a name is one of the function that builds the graph."""
        found = self.module.names.scope_of[node].lookup(node.id)
        return found is not None and found[0].node is self.home

    def _flat(self, block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            if statement is self.session:
                return
            if isinstance(statement, ast.With) and self._is_scope(statement):
                self.scopes.append(statement)
                yield from self._flat(statement.body)
            elif isinstance(statement, ast.FunctionDef):
                continue
            elif self._holds_session(statement):
                for inner in ("body", "orelse", "finalbody"):
                    below = getattr(statement, inner, [])
                    if any(self._holds_session(one) for one in below):
                        yield from self._flat(below)
            else:
                yield statement
            if self._holds_session(statement):
                return

    def _holds_session(self, statement: ast.stmt) -> bool:
        return any(node is self.session for node in self.module.walk(statement))

    def _is_scope(self, statement: ast.With) -> bool:
        return all(is_scope(self.module, item.context_expr) for item in statement.items)

    def _bind(self, leaf: ast.stmt, name: str, kind: Kind) -> None:
        before = self.names.get(name, kind)
        if before is not kind and Kind.PLAIN not in (before, kind):
            refuse(leaf, f"`{name}` means several parts of the graph")
        self.names[name] = kind if kind is not Kind.PLAIN else before
        if isinstance(leaf, ast.Assign) and isinstance(leaf.targets[0], ast.Name):
            self.values[name] = leaf.value

    def _counted(self) -> set[str]:
        """Returns the names that are passed as the global step."""
        found = set()
        for call in self.module.all(ast.Call):
            if isinstance(call.func, ast.Attribute) and call.func.attr in TRAINING:
                step = argument(call, 1, "global_step")
                if isinstance(step, ast.Name):
                    found.add(step.id)
        return found

    def _kind(self, leaf: ast.stmt) -> Kind:
        value = leaf.value if isinstance(leaf, (ast.Assign, ast.Expr)) else None
        name = called(self.module, value)
        if isinstance(leaf, ast.Assign):
            found = self._assigned_kind(leaf, name)
            if found is not None:
                return found
        if name.startswith(("tensorflow.summary.", "tensorflow.contrib.summary.")):
            return Kind.SUMMARY
        if isinstance(value, ast.Call) and self._only_summarizes(value):
            return Kind.SUMMARY
        if self._reads(leaf, Kind.GRADIENT):
            if not isinstance(leaf, ast.Assign) or len(leaf.targets) != 1:
                refuse(leaf, "gradients are used in another way than in an assignment")
            return Kind.GRADIENT
        if self._reads_tensors(leaf) or self._makes_tensors(leaf):
            return Kind.TENSOR
        return Kind.PLAIN

    def _assigned_kind(self, leaf: ast.Assign, name: str) -> Kind | None:
        target = leaf.targets[0]
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            root: ast.expr = target
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            return Kind.CONFIG if self.kind_of(root) is Kind.CONFIG else None
        if name == "tensorflow.train.Scaffold" and isinstance(leaf.value, ast.Call):
            for keyword in leaf.value.keywords:
                if keyword.arg not in ("init_op", "saver", "ready_op", "summary_op"):
                    refuse(keyword.value, f"`{keyword.arg}` of a Scaffold")
        if name in STEPS:
            return Kind.STEP
        if name in _VARIABLES:
            counts = isinstance(target, ast.Name) and target.id in self._counters
            return Kind.STEP if counts else Kind.VARIABLE
        value = leaf.value
        if isinstance(value, ast.Dict) and value.values:
            made = [called(self.module, element) for element in value.values]
            if set(made) == {"tensorflow.Variable"} and None not in value.keys:
                return Kind.VARIABLE
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr in TRAINING:
                return Kind.TRAINING
            if value.func.attr == "compute_gradients":
                return Kind.GRADIENT
            if value.func.attr == "make_session_run_hook":
                return Kind.HOOK
            if value.func.attr == "get_next":
                return Kind.BATCH
        for names, kind in (
            (("tensorflow.placeholder",), Kind.PLACEHOLDER),
            (OPTIMIZERS, Kind.OPTIMIZER),
            (SYNC, Kind.OPTIMIZER),
            (SCHEDULES, Kind.RATE),
            (_INITS, Kind.INIT),
            (_CONFIGS, Kind.CONFIG),
            (("tensorflow.train.Saver",), Kind.SAVER),
            (INITIALIZERS, Kind.PLAIN),
        ):
            if name in names:
                return kind
        if name.startswith("tensorflow.train.") and name.endswith("Hook"):
            return Kind.HOOK
        if isinstance(value, ast.List) and value.elts and all(map(self._is_hook, value.elts)):
            return Kind.HOOK
        if name == "tensorflow.group":
            return Kind.INIT if self._initializes(value) else None
        return self._kind_of_function(value)

    def _initializes(self, node: ast.expr) -> bool:
        """Says whether an expression is an operation that initializes variables."""
        if called(self.module, node) in _INITS:
            return True
        if called(self.module, node) == "tensorflow.group" and isinstance(node, ast.Call):
            return bool(node.args) and all(map(self._initializes, node.args))
        return self.kind_of(node) is Kind.INIT

    def _is_hook(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "make_session_run_hook":
                return True
            return called(self.module, node).endswith("Hook")
        return self.kind_of(node) is Kind.HOOK

    def _kind_of_function(self, value: ast.expr) -> Kind | None:
        """Returns BATCH or VARIABLE where a function of the program returns one."""
        found = (
            definition(self.plan, self.module, value.func) if isinstance(value, ast.Call) else None
        )
        if found is None:
            return None
        home, function = found
        returned = [r.value for r in home.all(ast.Return, function) if home.function(r) is function]
        if len(returned) != 1 or returned[0] is None:
            return None
        result = returned[0]
        if (
            isinstance(result, ast.Call)
            and isinstance(result.func, ast.Attribute)
            and result.func.attr == "get_next"
        ):
            return Kind.BATCH
        if isinstance(result, ast.Name):
            made = [
                s.value
                for s in home.all(ast.Assign, function)
                if any(isinstance(t, ast.Name) and t.id == result.id for t in s.targets)
            ]
            result = made[0] if len(made) == 1 else result
        reads = isinstance(value, ast.Call) and self._reads_tensors(value)
        return (
            Kind.VARIABLE if called(home, result) == "tensorflow.Variable" and not reads else None
        )

    def _only_summarizes(self, call: ast.Call) -> bool:
        """Says whether a function of the program does nothing but write summaries."""
        found = definition(self.plan, self.module, call.func)
        if found is None:
            return False
        home, function = found
        lines = [
            s
            for s in home.all(ast.stmt, function)
            if s is not function and not (isinstance(s, ast.With) and _scoped(home, s))
        ]
        texts = [s for s in lines if is_text(s)]
        written = [
            s
            for s in lines
            if isinstance(s, ast.Expr) and called(home, s.value).startswith("tensorflow.summary.")
        ]
        rest = [s for s in lines if s not in texts and s not in written]
        pure = all(isinstance(s, ast.Assign) and self._is_tensor_call(s.value) for s in rest)
        if written and pure:
            self.summarizing.add(function)
        return bool(written) and pure

    def _is_tensor_call(self, value: ast.expr) -> bool:
        return called(self.module, value).startswith("tensorflow.")

    def _reads_tensors(self, node: ast.AST) -> bool:
        return self._reads(node, *_OF_TENSORS)

    def _reads(self, node: ast.AST, *kinds: Kind) -> bool:
        return any(
            isinstance(inner, ast.Name)
            and isinstance(inner.ctx, ast.Load)
            and self.kind_of(inner) in kinds
            for inner in self.module.walk(node)
        )

    def _makes_tensors(self, node: ast.AST, seen: frozenset[ast.AST] = frozenset()) -> bool:
        """Says whether code calls functions of tensors, itself or by functions of the program."""
        for call in self.module.all(ast.Call, node):
            name = called(self.module, call)
            if (
                name.startswith("tensorflow.")
                and not name.startswith(_NO_TENSORS)
                and name not in INITIALIZERS
                and name not in _CONFIGS
            ):
                return True
            found = definition(self.plan, self.module, call.func)
            if (
                found
                and found[0] is self.module
                and found[1] not in seen
                and self._makes_tensors(found[1], seen | {found[1]})
            ):
                return True
        return False


def is_scope(module: Module, node: ast.expr) -> bool:
    """Says whether the context of a ``with`` is a scope of names, devices or a graph."""
    if called(module, node) in _SCOPES:
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "as_default" and not node.args
    return False


def _scoped(module: Module, statement: ast.With) -> bool:
    return all(is_scope(module, item.context_expr) for item in statement.items)


def assigned(module: Module, statement: ast.stmt) -> list[str]:
    """Returns the names that a statement assigns, in order."""
    scope = module.names.scope_of[statement]
    return [
        node.id
        for node in module.walk(statement)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Store)
        and module.names.scope_of[node] is scope
    ]
