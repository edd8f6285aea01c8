"""The jobs of a program under a coordinator: where it tests its job name and its task index.

One script starts as every job and tests its name: ``if FLAGS.job_name == "ps": server.join()``.
Under a coordinator workers only serve, too, and a third job, "chief", runs the loop. The tests are
changed and not the names, so that what starts the parameter servers and workers stays as it is.

A test that is read as the wrong branch would start a second training, or none: so only ``if``
statements one of whose branches is known (it joins the server, or it has the setter) are changed.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfmigrate.model.edits import Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import called, called_builtin, method_calls, named_arguments
from tfmigrate.resolve.cluster_calls import SETTER
from tfmigrate.resolve.identities import Identity, identity
from tfmigrate.resolve.kinds import Kind, kind_of
from tfmigrate.rulekit.basics import Module, Refusal

CHIEF = "chief"
_SERVING = ("ps", "worker")
_PARAMETERS = ("server_or_cluster_def", "job_name", "task_index")
_LOGS = ("logging.", "tensorflow.logging.", "absl.logging.")


@dataclass
class RolePlan:
    """What becomes of the jobs of a program.

    Attributes:
        edits: the new tests of the job name.
        problems: what cannot be changed.
        task_uses: uses of the task index that only the loop of task 0 will make.
    """

    edits: list[Edit] = field(default_factory=list)
    problems: list[Refusal] = field(default_factory=list)
    task_uses: list[ast.AST] = field(default_factory=list)


def role_plan(module: Module, server: ast.Call) -> RolePlan:
    """Returns what becomes of the jobs of a program.

    The jobs "ps" and "worker" both serve; the job "chief" does the workers' part.
    """
    arguments = named_arguments(server, _PARAMETERS)
    job, task = arguments.get("job_name"), arguments.get("task_index")
    if job is None or task is None or isinstance(job, ast.Constant):
        text = "job_name or task_index is missing or hard-coded, so no chief can be started"
        action = "read job_name and task_index from flags"
        return RolePlan(problems=[Refusal(server, text, action)])
    roles = _Roles(module, server, job)
    uses = sorted(_task_uses(module, server, task), key=module.position)
    return RolePlan(roles.edits, roles.problems, uses)


class _Roles:
    """Reads the comparisons of the job name."""

    def __init__(self, module: Module, server: ast.Call, job: ast.expr) -> None:
        self.edits: list[Edit] = []
        self.problems: list[Refusal] = []
        self._module, self._joined = module, False
        self._server = _assigned_name(module, server)
        self._job = identity(module, job)
        for compare in module.all(ast.Compare):
            self._compare(compare)
        for node in module.walk(module.tree):
            if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
                self._choices(node)
        if not self._joined:
            text = "`server.join()` is not under an `if` on the job name"
            action = "call `server.join()` under an `if` on the job name"
            self.problems.append(Refusal(server, text, action))

    def _compare(self, compare: ast.Compare) -> None:
        sides = [compare.left, *compare.comparators]
        if self._job is None or self._job not in [identity(self._module, s) for s in sides]:
            return
        constants = [s for s in sides if isinstance(s, ast.Constant)]
        operator = compare.ops[0]
        if len(sides) != 2 or not constants or not isinstance(operator, (ast.Eq, ast.NotEq)):
            listed = isinstance(operator, (ast.In, ast.NotIn)) and _lists_jobs(sides[-1])
            if not listed:
                text = "unsupported test of the job name"
                self.problems.append(Refusal(compare, text, "compare it with one literal name"))
            return
        job, equal = constants[0].value, isinstance(operator, ast.Eq)
        if job not in _SERVING:
            return  # a job of the program's own, such as an evaluator: it stays what it is
        where = self._module.parent(compare)
        # `== "ps"` and `!= "worker"` select jobs that serve, the others jobs that train.
        serves = (job == "ps") is equal
        if isinstance(where, ast.If) and where.test is compare:
            self._test(where, compare, constants[0], serves)
        elif not serves:
            self._compare_with_chief(compare, constants[0], serves)
        elif job == "worker":
            text = "unsupported test of the job name outside an `if`"
            self.problems.append(Refusal(compare, text, "test the job name in an `if`"))

    def _test(
        self, where: ast.If, compare: ast.Compare, literal: ast.Constant, serves: bool
    ) -> None:
        """Changes the test of an ``if`` that has the training in one of its branches."""
        serving, training = (where.body, where.orelse) if serves else (where.orelse, where.body)
        if any(self._joins(s) for s in serving):
            self._joined = True
            self._compare_with_chief(compare, literal, serves)
        elif any(self._trains(s) for s in training):
            self._compare_with_chief(compare, literal, serves)
        elif literal.value == "worker":
            text = "cannot determine whether the chief or the workers need this branch"
            action = "move this code into the training branch"
            self.problems.append(Refusal(compare, text, action))

    def _compare_with_chief(
        self, compare: ast.Compare, literal: ast.Constant, serves: bool
    ) -> None:
        quote = self._module.code(literal)[-1]
        operator = "!=" if serves else "=="
        other = compare.comparators[0] if compare.left is literal else compare.left
        code = Code(f"{{0}} {operator} {quote}{CHIEF}{quote}", (other,))
        self.edits.append(ReplaceExpression(compare, code))

    def _joins(self, statement: ast.stmt) -> bool:
        joins = method_calls(self._module, "join", within=statement)
        return any(getattr(m.value, "id", "") == self._server and not c.args for c, m in joins)

    def _trains(self, statement: ast.stmt) -> bool:
        return any(
            isinstance(node, (ast.Attribute, ast.Name)) and self._module.resolve(node) == SETTER
            for node in self._module.walk(statement)
        )

    def _choices(self, choices: ast.List | ast.Tuple | ast.Set) -> None:
        """Adds the job of the coordinator to a list of all jobs."""
        if _lists_jobs(choices):
            quote = self._module.code(choices.elts[-1])[-1]
            self.edits.append(ReplaceExpression(choices, _with_element(choices, quote)))


def _with_element(choices: ast.List | ast.Tuple | ast.Set, quote: str) -> Code:
    """Returns the code of a display with the job of the coordinator as one more element."""
    new = f"{quote}{CHIEF}{quote}"
    if choices.lineno != choices.end_lineno:  # its elements keep their comments and line breaks
        added = {ast.List: f"+ [{new}]", ast.Tuple: f"+ ({new},)", ast.Set: f"| {{{new}}}"}
        return Code(f"{{0}} {added[type(choices)]}", (choices,))
    elements = ", ".join([*(f"{{{index}}}" for index in range(len(choices.elts))), new])
    shape = {ast.List: f"[{elements}]", ast.Tuple: f"({elements})", ast.Set: f"{{{elements}}}"}
    return Code(shape[type(choices)], tuple(choices.elts))


def _lists_jobs(node: ast.expr) -> bool:
    if not isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return False
    values = [e.value for e in node.elts if isinstance(e, ast.Constant)]
    return len(values) == len(node.elts) and set(_SERVING) <= set(values) and CHIEF not in values


def _task_uses(module: Module, server: ast.Call, task: ast.expr) -> Iterator[ast.AST]:
    """Yields the uses of the task index that change meaning in a single loop."""
    index = identity(module, task)
    for node in module.walk(module.tree):
        if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
            continue
        is_index = index is not None and identity(module, node) == index
        if is_index and not _is_harmless(module, server, node, index):
            yield node


def _is_harmless(module: Module, server: ast.Call, node: ast.expr, index: Identity | None) -> bool:
    for around in module.ancestors(node):
        if isinstance(around, (ast.JoinedStr, ast.Attribute)) or around is server:
            return True
        if isinstance(around, ast.Compare):
            sides = [around.left, *around.comparators]
            return any(isinstance(s, ast.Constant) and s.value == 0 for s in sides)
        if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mod):
            return isinstance(around.left, ast.Constant) and isinstance(around.left.value, str)
        if isinstance(around, ast.Call):
            return _only_shows(module, around) or module.resolve(around.func) == SETTER
        if isinstance(around, ast.stmt):
            return isinstance(around, ast.Assign) and identity(module, around.targets[0]) == index
    return False


def _only_shows(module: Module, call: ast.Call) -> bool:
    """Returns whether a call only prints, logs or formats its arguments."""
    if called_builtin(module, call) == "print" or called(module, call).startswith(_LOGS):
        return True
    if not isinstance(call.func, ast.Attribute):
        return False
    text = call.func.attr == "format" and isinstance(call.func.value, ast.Constant)
    return text or kind_of(module, call.func.value) is Kind.LOGGER


def _assigned_name(module: Module, call: ast.Call) -> str:
    statement = module.parent(call)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return ""
