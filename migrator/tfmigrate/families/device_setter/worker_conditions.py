"""Which conditions of a program hold on some of its workers only: ``if is_chief``.

Nothing goes by how a name is called. The task index is what the server gets, the chief is what the
session and its hooks are told; a condition that is computed from either differs by worker.
"""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import argument, called_builtin, method_calls
from tfmigrate.resolve.cluster_calls import server_calls
from tfmigrate.resolve.definitions import bound_elsewhere
from tfmigrate.resolve.identities import Identity, identity
from tfmigrate.resolve.origins import definition_of, origins, returned
from tfmigrate.resolve.scopes import AssignBinding
from tfmigrate.resolve.settled_values import passed_by_callers
from tfmigrate.rulekit.basics import Module, Program

# The position of is_chief.
_TAKES_CHIEF = {"tensorflow.train.MonitoredTrainingSession": 1, "tensorflow.train.Supervisor": 3}
_HOOK = "make_session_run_hook"
_CHIEFS = ("chief", "master")
_FLAGS = ("tensorflow.app.flags.FLAGS", "tensorflow.flags.FLAGS", "absl.flags.FLAGS")
_CONVERSIONS = ("bool", "int", "str")


class WorkerConditions:
    """Tells which conditions of a program's files differ by worker."""

    def __init__(self, program: Program, files: Sequence[Module]) -> None:
        """Finds what the program calls its task and its chief.

        Args:
            files: those of one program.
        """
        self._program, self._files = program, files
        self._tasks: set[Identity] = set()
        self._jobs: set[Identity] = set()
        # Conditions of a program are made of the same values: each is followed once for all.
        self._followed: set[ast.expr] = set()
        self._differing: set[ast.expr] = set()
        self._users: dict[ast.expr, list[ast.expr]] = {}
        for module in files:
            for call in server_calls(module):
                self._note(module, argument(call, 1, "job_name"), self._jobs)
                self._note(module, argument(call, 2, "task_index"), self._tasks)
            for node in _chiefs(module):
                self._note(module, node, self._tasks)

    def differs(self, module: Module, node: ast.expr) -> bool:
        """Returns whether the value of an expression differs by worker.

        Args:
            module: the file of the expression.
            node: the expression.
        """
        waiting = [(module, node)]
        while waiting:
            owner, value = waiting.pop()
            if value in self._followed:
                continue
            self._followed.add(value)
            if _key(owner, value) in self._tasks or self._is_chief_job(owner, value):
                self._mark(value)
                continue
            parts = list(self._parts(owner, value))
            waiting += parts
            for _, part in parts:
                self._users.setdefault(part, []).append(value)
                if part in self._differing:
                    self._mark(value)
        return node in self._differing

    def _mark(self, node: ast.expr) -> None:
        """Notes that a value differs by worker, and all that is made of it."""
        self._differing.update(reached([node], lambda value: self._users.get(value, ())))

    def _note(self, module: Module, node: ast.expr | None, known: set[Identity]) -> None:
        key = _key(module, node) if node is not None else None
        if key is not None:
            known.add(key)

    def _is_chief_job(self, module: Module, node: ast.expr) -> bool:
        """Returns whether it asks for the job of the chief, which trains as the workers do."""
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return False
        sides = (node.left, node.comparators[0])
        names = [s.value for s in sides if isinstance(s, ast.Constant)]
        is_job = any(_key(module, side) in self._jobs for side in sides)
        return is_job and any(name in _CHIEFS for name in names)

    def _parts(self, module: Module, node: ast.expr) -> Iterator[tuple[Module, ast.expr]]:
        """Yields what the value of an expression is made of."""
        if isinstance(node, ast.Name):
            yield from self._values_of(module, node)
        elif isinstance(node, ast.Attribute):
            values = origins(module, node) or ()
            yield from ((module, value) for value in values if value is not node)
        elif isinstance(node, ast.Compare):
            if not _is_check(node):
                yield from ((module, side) for side in (node.left, *node.comparators))
        elif isinstance(node, (ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp, ast.NamedExpr)):
            children = ast.iter_child_nodes(node)
            yield from ((module, child) for child in children if isinstance(child, ast.expr))
        elif isinstance(node, ast.Call):
            function = definition_of(module, node.func)
            if called_builtin(module, node) in _CONVERSIONS:
                yield from ((module, value) for value in node.args)
            elif isinstance(function, ast.FunctionDef):
                yield from ((module, value) for value in returned(module, function) or ())

    def _values_of(self, module: Module, name: ast.Name) -> Iterator[tuple[Module, ast.expr]]:
        bindings = [(module, b) for b in module.bindings(name)]
        for owner, binding in (*bindings, *bound_elsewhere(self._program, module, name)):
            if isinstance(binding, AssignBinding):
                yield owner, binding.value
            elif isinstance(parameter := getattr(binding, "node", None), ast.arg):
                yield from passed_by_callers(self._files, owner, parameter)


def _chiefs(module: Module) -> Iterator[ast.expr | None]:
    """Yields what is passed as is_chief."""
    for name, position in _TAKES_CHIEF.items():
        yield from (argument(call, position, "is_chief") for call in module.calls_of(name))
    yield from (argument(call, 0, "is_chief") for call, _ in method_calls(module, _HOOK))


def _key(module: Module, node: ast.expr) -> Identity | None:
    """Returns what expressions of all files have in common where they mean the same."""
    if isinstance(node, ast.Attribute):
        owners = origins(module, node.value) or ()
        if any(module.resolve(owner) in _FLAGS for owner in owners):
            return ("flag", node.attr)
    return identity(module, node)


def _is_check(node: ast.Compare) -> bool:
    """Returns whether it asks if there is a task at all: ``is None``, ``== ''``, ``< 0``."""
    sides = (node.left, *node.comparators)
    if any(isinstance(s, ast.UnaryOp) and isinstance(s.op, ast.USub) for s in sides):
        return True
    constants = [s.value for s in sides if isinstance(s, ast.Constant)]
    if any(value is None or isinstance(value, str) for value in constants):
        return True
    return isinstance(node.ops[0], (ast.Lt, ast.GtE)) and 0 in constants
