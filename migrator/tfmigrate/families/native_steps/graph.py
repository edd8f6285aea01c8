"""What the statements of a session program build: placeholders, variables, tensors, the step."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.coordinators import COORDINATOR, RUNNERS
from tfmigrate.families.native_steps.flagged import SYNC, flagged_blocks
from tfmigrate.families.native_steps.left_out_summaries import LeftOut
from tfmigrate.families.native_steps.queue_stages import read_pipeline
from tfmigrate.families.native_steps.scopes import (
    AVERAGES,
    is_block_of_operations,
    is_block_of_scopes,
)
from tfmigrate.families.native_steps.tower_loop import collected, loop_of_towers
from tfmigrate.families.towers.loops import TowerLoop
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module
from tfmigrate.tables.native.initializers import INITIALIZERS
from tfmigrate.tables.native.kept import PACKAGES
from tfmigrate.tables.native.optimizers import OPTIMIZERS, SCHEDULES

SESSIONS = ("tensorflow.Session", "tensorflow.train.MonitoredTrainingSession")
SUPERVISOR = "tensorflow.train.Supervisor"
TRAINING = ("minimize", "apply_gradients")
STEPS = tuple(
    f"tensorflow.{package}.{name}"
    for package in ("train", "contrib.framework")
    for name in ("get_global_step", "get_or_create_global_step", "create_global_step")
)
_VARIABLES = ("tensorflow.Variable", "tensorflow.get_variable")
INITS = tuple(
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
_OF_SYNC = (
    *("local_step_init_op", "chief_init_op", "ready_for_local_init_op"),
    *("get_chief_queue_runner", "get_init_tokens_op"),
)
_OF_FILES = (
    "tensorflow.python_io.",
    *(f"tensorflow.train.{name}" for name in ("Example", "Feature", "SequenceExample")),
    *(f"tensorflow.train.{kind}List" for kind in ("Bytes", "Float", "Int64")),
)
_NO_TENSORS = (
    *("tensorflow.data.", "tensorflow.gfile.", "tensorflow.io.", "tensorflow.train.ClusterSpec"),
    *("tensorflow.set_random_seed", "tensorflow.reset_default_graph", "tensorflow.train.Server"),
    "tensorflow.python.framework.ops.reset_default_graph",
    *("tensorflow.config.", "tensorflow.errors.", "tensorflow.examples."),
    *(COORDINATOR, *RUNNERS, *_OF_FILES),
    *(f"{package}" for package in PACKAGES),
)


_WORK = (ast.For, ast.While, ast.Expr, ast.Assign, ast.AugAssign)


class Kind(Enum):
    """What a statement of a graph makes."""

    PLACEHOLDER = auto()
    QUEUE = auto()
    BATCH = auto()
    VARIABLE = auto()
    STEP = auto()
    RATE = auto()
    OPTIMIZER = auto()
    TRAINING = auto()
    AVERAGES = auto()
    OPERATION = auto()
    SUMMARY = auto()
    SAVER = auto()
    INIT = auto()
    CONFIG = auto()
    HOOK = auto()
    SUPERVISOR = auto()
    TENSOR = auto()
    LATE = auto()
    SHOWN = auto()
    GRADIENT = auto()
    COLLECTED = auto()
    PLAIN = auto()


_OF_TENSORS = (
    *(Kind.PLACEHOLDER, Kind.BATCH, Kind.VARIABLE, Kind.TENSOR, Kind.LATE, Kind.STEP, Kind.RATE),
)


@dataclass
class Graph:
    """The graph that one function, or a script, builds before its session.

    Attributes:
        plan: the conversion.
        module: the file.
        home: the function, or the file itself.
        session: the statement that makes the session.
        leaves: the statements above its end, those of blocks of scopes one by one.
        scopes: the blocks of scopes among them.
        kinds: what each of them makes.
        names: what the names that they assign mean.
        values: the last value that a name is assigned alone.
        summaries: what writes summaries.
        kept_items: items of the blocks that stay.
        skipped: statements above the end that use the session.
        flagged: the ``if`` statements that ask for synchrony, with what is read of them.
        towers: the loop that builds its towers; None for none.
        pipeline: the queues that it reads; None for none.
        added: names that statements assign in the result, beside their own.
        implied: names that statements read in the result, beside their own.
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
    kept_items: set[ast.withitem] = field(default_factory=set)
    skipped: list[ast.stmt] = field(default_factory=list)
    towers: TowerLoop | None = None
    added: dict[ast.stmt, list[str]] = field(default_factory=dict)
    implied: dict[ast.stmt, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flagged = flagged_blocks(self.module)
        self.pipeline = read_pipeline(self.plan, self.module, self.home)
        self.summaries = LeftOut(self.plan, self.module)
        self.towers = loop_of_towers(self.plan, self.module, self.home)
        self.end = self._ended() if self.towers is None else self.session
        self.leaves = list(self._flat(self.home.body))
        self._counters = self._counted()
        for leaf in self.leaves:
            if self.in_towers(leaf):
                self._bind_targets()
            kind = self.kind_of_statement(leaf)
            self.kinds[leaf] = kind
            if kind in (Kind.COLLECTED, Kind.QUEUE):
                continue
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

    def assigned(self, leaf: ast.stmt) -> list[str]:
        """Returns the names that a statement assigns, in the result, too."""
        return [*assigned(self.module, leaf), *self.added.get(leaf, ())]

    def kind_of(self, node: ast.expr) -> Kind:
        """Returns what a name means here; PLAIN for other expressions."""
        if isinstance(node, ast.Name) and self.is_here(node):
            return self.names.get(node.id, Kind.PLAIN)
        return Kind.PLAIN

    def in_towers(self, node: ast.AST) -> bool:
        """Says whether code is in the loop over towers."""
        return self.towers is not None and self.towers.loop in self.module.ancestors(node)

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

    def uses_session(self, node: ast.AST) -> bool:
        """Says whether code reads the variable of a session that is assigned."""
        return any(
            isinstance(inner, ast.Name)
            and inner.id == self._session_name
            and isinstance(inner.ctx, ast.Load)
            for inner in self.module.walk(node)
        )

    def _ended(self) -> ast.AST:
        """Returns what ends the graph: the ``with`` of a session, else the first training."""
        if called(self.module, getattr(self.session, "value", None)) != "tensorflow.Session":
            return self.session
        trained = {
            target.id
            for leaf in self.module.all(ast.Assign, self.home)
            if isinstance(leaf.value, ast.Call) and isinstance(leaf.value.func, ast.Attribute)
            if leaf.value.func.attr in TRAINING
            for target in leaf.targets
            if isinstance(target, ast.Name)
        }
        for leaf in self.module.all(ast.Assign, self.home):
            if called(self.module, leaf.value) == "tensorflow.group" and any(
                isinstance(n, ast.Name) and n.id in trained for n in ast.walk(leaf.value)
            ):
                trained |= {t.id for t in leaf.targets if isinstance(t, ast.Name)}
            block = self.module.parent(leaf)
            if isinstance(block, ast.With) and is_block_of_operations(self.module, block):
                trained |= {t.id for t in leaf.targets if isinstance(t, ast.Name)}
        runs = [
            call
            for call in self.module.all(ast.Call, self.home)
            if isinstance(call.func, ast.Attribute) and call.func.attr == "run"
            if self._session_name and self.uses_session(call.func)
            if any(isinstance(n, ast.Name) and n.id in trained for n in ast.walk(call))
        ]
        return min(runs, key=self.module.position) if runs else self.session

    @property
    def _session_name(self) -> str:
        target = self.session.targets[0] if isinstance(self.session, ast.Assign) else None
        return target.id if isinstance(target, ast.Name) else ""

    def _flat(self, block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            if statement is self.end or (self._is_end(statement) and isinstance(statement, _WORK)):
                return
            if statement is self.session or self._only_runs(statement):
                self.skipped.append(statement)
                continue
            if isinstance(statement, ast.With) and (
                is_block_of_scopes(self.module, statement)
                or is_block_of_operations(self.module, statement)
            ):
                self.scopes.append(statement)
                yield from self._flat(statement.body)
            elif isinstance(statement, ast.FunctionDef):
                continue
            elif self.towers is not None and statement is self.towers.loop:
                yield from self._flat(self.towers.loop.body)
            elif self._is_end(statement):
                for inner in ("body", "orelse", "finalbody"):
                    below = getattr(statement, inner, [])
                    if any(self._is_end(one) for one in below):
                        yield from self._flat(below)
            elif isinstance(statement, ast.If) and statement in self.flagged:
                yield from self._flat(self.flagged[statement])
            else:
                yield statement
            if self._is_end(statement):
                return

    def _is_end(self, statement: ast.stmt) -> bool:
        return any(node is self.end for node in self.module.walk(statement))

    def _only_runs(self, statement: ast.stmt) -> bool:
        """Says whether a statement above the end uses the session, and builds nothing."""
        return not isinstance(statement, (ast.With, ast.FunctionDef)) and (
            not self._is_end(statement) and self.uses_session(statement)
        )

    def _bind_targets(self) -> None:
        """Notes that the parts of a batch, which a loop runs over, are tensors."""
        assert self.towers is not None
        loop = self.towers.loop
        if self.reads_tensors(loop.iter):
            names = [n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)]
            self.names.update(dict.fromkeys(names, Kind.TENSOR))

    def _collects(self, leaf: ast.stmt) -> bool:
        """Says whether a tower adds a tensor, or gradients, to what the loop collects."""
        found = collected(leaf)
        if found is None or not self.is_here(found[0]):
            return False
        name, value = found
        if self._reads(value, Kind.GRADIENT) or computes_gradients(value):
            self.names[name.id] = Kind.GRADIENT
        elif self.reads_tensors(value) or self._makes_tensors(value):
            self.names[name.id] = Kind.TENSOR
        else:
            return False
        return True

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

    def kind_of_statement(self, leaf: ast.stmt) -> Kind:
        """Returns what a statement makes."""
        value = leaf.value if isinstance(leaf, (ast.Assign, ast.Expr)) else None
        name = called(self.module, value)
        if self.pipeline is not None and leaf in self.pipeline.statements():
            return Kind.BATCH if leaf is self.pipeline.stages[-1].start else Kind.QUEUE
        if self.summaries.writes(leaf, lambda node: self.kind_of(node) is Kind.SUMMARY):
            return Kind.SUMMARY
        if self.in_towers(leaf):
            if self._collects(leaf):
                return Kind.COLLECTED
            if _reuses(value):
                return Kind.CONFIG
        if isinstance(leaf, ast.Assign):
            found = self._assigned_kind(leaf, name)
            if found is not None:
                return found
        if self.adds_hooks(leaf):
            return Kind.HOOK
        if isinstance(leaf, ast.If) and all(map(self._sets_init, [*leaf.body, *leaf.orelse])):
            return Kind.INIT
        if isinstance(leaf, ast.Expr) and self._shows(leaf.value):
            return Kind.SHOWN
        if self._reads(leaf, Kind.GRADIENT):
            alone = isinstance(leaf, ast.Assign) and len(leaf.targets) == 1
            if not alone and (self.towers is None or self.in_towers(leaf)):
                refuse(leaf, "gradients are used in another way than in an assignment")
            return Kind.GRADIENT
        if self.reads_tensors(leaf) or self._makes_tensors(leaf):
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
            if computes_gradients(value):
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
            (INITS, Kind.INIT),
            (_CONFIGS, Kind.CONFIG),
            (("tensorflow.train.Saver",), Kind.SAVER),
            ((SUPERVISOR,), Kind.SUPERVISOR),
            ((AVERAGES,), Kind.AVERAGES),
            (INITIALIZERS, Kind.PLAIN),
        ):
            if name in names:
                return kind
        if name.startswith("tensorflow.train.") and name.endswith("Hook"):
            return Kind.HOOK
        if isinstance(value, ast.List) and value.elts and all(map(self._is_hook, value.elts)):
            return Kind.HOOK
        if self._is_of_sync(value):
            return Kind.INIT
        if self._is_operation(leaf):
            return Kind.OPERATION
        if name == "tensorflow.group":
            return Kind.INIT if self._initializes(value) else None
        return self._kind_of_function(value)

    def _is_operation(self, leaf: ast.Assign) -> bool:
        """Says whether a statement makes an operation that trains, or updates averages."""
        value = leaf.value
        if not isinstance(value, ast.Call):
            return False
        function = value.func
        if isinstance(function, ast.Attribute) and self.kind_of(function.value) is Kind.AVERAGES:
            return function.attr == "apply"
        name = called(self.module, value)
        around = self.module.parent(leaf)
        if name == "tensorflow.no_op":
            return isinstance(around, ast.With) and is_block_of_operations(self.module, around)
        operations = (Kind.TRAINING, Kind.OPERATION)
        trains = [self.kind_of(given) in operations for given in value.args]
        return name == "tensorflow.group" and bool(trains) and all(trains)

    def _shows(self, node: ast.expr) -> bool:
        """Says whether a tensor of the graph, which has no value yet, is printed."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        if node.func.id != "print" or self.module.resolve(node.func):
            return False
        return self.reads_tensors(node) and not self._makes_tensors(node)

    def _initializes(self, node: ast.expr) -> bool:
        """Says whether an expression is an operation that initializes variables."""
        if called(self.module, node) in INITS:
            return True
        if called(self.module, node) == "tensorflow.group" and isinstance(node, ast.Call):
            return bool(node.args) and all(map(self._initializes, node.args))
        return self.kind_of(node) is Kind.INIT

    def _sets_init(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Assign) and (
            self._initializes(statement.value) or self._is_of_sync(statement.value)
        )

    def _is_of_sync(self, node: ast.expr) -> bool:
        """Says whether an expression is an operation that prepares synchronous workers."""
        if isinstance(node, ast.IfExp):
            return self._is_of_sync(node.body) and self._is_of_sync(node.orelse)
        held = node.func if isinstance(node, ast.Call) else node
        if not isinstance(held, ast.Attribute) or held.attr not in _OF_SYNC:
            return False
        return self.kind_of(held.value) is Kind.OPTIMIZER

    def _is_hook(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "make_session_run_hook":
                return True
            return called(self.module, node).endswith("Hook")
        return self.kind_of(node) is Kind.HOOK

    def adds_hooks(self, leaf: ast.stmt) -> bool:
        """Says whether a statement only adds hooks to a list of hooks, perhaps on a condition."""
        if isinstance(leaf, ast.If):
            return not leaf.orelse and all(map(self.adds_hooks, leaf.body))
        call = leaf.value if isinstance(leaf, ast.Expr) else None
        function = call.func if isinstance(call, ast.Call) else None
        return (
            isinstance(call, ast.Call)
            and isinstance(function, ast.Attribute)
            and function.attr == "append"
            and self.kind_of(function.value) is Kind.HOOK
            and len(call.args) == 1
            and self._is_hook(call.args[0])
        )

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
        reads = isinstance(value, ast.Call) and self.reads_tensors(value)
        return (
            Kind.VARIABLE if called(home, result) == "tensorflow.Variable" and not reads else None
        )

    def reads_tensors(self, node: ast.AST) -> bool:
        """Says whether code reads tensors by their names."""
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


def computes_gradients(node: ast.expr) -> bool:
    """Says whether an expression is a call of ``compute_gradients``."""
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "compute_gradients"


def _reuses(value: ast.expr | None) -> bool:
    function = value.func if isinstance(value, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "reuse_variables"


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
