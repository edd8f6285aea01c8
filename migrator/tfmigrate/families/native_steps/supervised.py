"""``tf.train.Supervisor``: it prepared a session, and saved checkpoints at times."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import (
    LOOPS,
    Conversion,
    called,
    free_name,
    local_values,
    refuse,
)
from tfmigrate.families.native_steps.coordinators import answer_no, is_last
from tfmigrate.families.native_steps.graph import SUPERVISOR, Graph, Kind
from tfmigrate.families.native_steps.monitored import count_steps
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.model.edits import Code, InsertBefore
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module

_SESSIONS = ("managed_session", "prepare_or_wait_for_session", "PrepareSession")
_IGNORED = (
    *("init_op", "local_init_op", "ready_op", "ready_for_local_init_op", "recovery_wait_secs"),
    *("global_step", "stop_grace_secs", "summary_op", "save_summaries_secs", "summary_writer"),
)
_KNOWN = ("is_chief", "logdir", "save_model_secs", "saver", "checkpoint_basename")
_ENDS = ("stop", "Stop", "start_queue_runners", "StartQueueRunners")
_REQUESTS = ("request_stop", "RequestStop")
_STOPS = ("should_stop", "ShouldStop")


def supervised_sessions(module: Module) -> list[ast.Call]:
    """Returns the calls that make the session of a Supervisor."""
    return [
        call
        for call in module.all(ast.Call)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in _SESSIONS
        and _is_supervisor(module, call.func.value)
    ]


def _is_supervisor(module: Module, node: ast.expr) -> bool:
    values = local_values(module, node) if isinstance(node, ast.Name) else None
    return bool(values) and all(called(module, value) == SUPERVISOR for value in values or ())


class Supervised:
    """The Supervisor of a program.

    Attributes:
        keeps_block: whether the ``with`` of its session stays.
    """

    keeps_block = False

    def __init__(self, plan: Conversion, graph: Graph, session: ast.Call) -> None:
        """Reads the arguments.

        Raises:
            Refusal: one of them is not known.
        """
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        assert isinstance(session.func, ast.Attribute)
        assert isinstance(session.func.value, ast.Name)
        self._name = session.func.value.id
        made = graph.of(Kind.SUPERVISOR)
        if len(made) != 1 or not isinstance(made[0], ast.Assign):
            refuse(made[1] if made else session, "the Supervisor of this session is not one")
        self._leaf = made[0]
        assert isinstance(self._leaf.value, ast.Call)
        self._made = self._leaf.value
        self._check(self._made)

    def _check(self, made: ast.Call) -> None:
        if made.args or has_star_arguments(made):
            refuse(made, "arguments of a Supervisor without their names")
        for keyword in made.keywords:
            if keyword.arg not in (*_IGNORED, *_KNOWN):
                refuse(keyword.value, f"`{keyword.arg}` of a Supervisor")
        name = argument(made, 0, "checkpoint_basename")
        if name is not None and not (isinstance(name, ast.Constant) and name.value == "model.ckpt"):
            refuse(name, "`checkpoint_basename` of a Supervisor")
        saver = argument(made, 0, "saver")
        held = None if saver is None else self._graph.value_of(saver)
        if isinstance(held, ast.Call) and (held.args or held.keywords):
            refuse(held, "the Saver of a Supervisor has arguments")
        if not (held is None or _is_none(held) or called(self._module, held).endswith(".Saver")):
            refuse(held, "the Saver of a Supervisor is not made here")
        self._saves = not (isinstance(held, ast.Constant) and held.value is None)

    def convert(self, steps: Steps, runs: Sequence[ast.Call]) -> None:
        """Plans the edits of the Supervisor and of its calls.

        Raises:
            Refusal: it is used in a way that is not known.
        """
        folder = argument(self._made, 0, "logdir")
        holder = ""
        if folder is not None and not _is_none(folder) and self._saves:
            holder = free_name(self._module, "checkpoints", "training_checkpoints")
            self._make(steps, folder, holder)
            count_steps(self._plan, self._graph, runs, holder)
        self._plan.remove(self._module, self._leaf)
        for node in self._module.all(ast.Name):
            if node.id == self._name and isinstance(node.ctx, ast.Load):
                self._use(node)

    def _make(self, steps: Steps, folder: ast.expr, holder: str) -> None:
        """Makes the manager where the Supervisor was, and resumes where the session was."""
        texts = ["{0}", steps.optimizer, steps.saved]
        parts = [folder]
        seconds = argument(self._made, 0, "save_model_secs")
        chief = argument(self._made, 0, "is_chief")
        for name, value in (("save_secs", seconds), ("saves", chief if steps.strategy else None)):
            if value is not None:
                parts.append(value)
                texts.append(f"{name}={{{len(parts) - 1}}}")
        self._plan.drop(self._module, self._leaf, parts)
        place: ast.stmt = self._leaf
        for outer in self._module.ancestors(self._leaf):
            place = outer if outer in self._graph.flagged and isinstance(outer, ast.stmt) else place
        kind = "WorkerCheckpoints" if steps.workers else "Checkpoints"
        made = Code(f"{holder} = {kind}", tuple(parts), tuple(texts))
        edits = self._plan.edits[self._module]
        edits.append(InsertBefore(place, made))
        self._plan.write_out(self._module, kind)
        edits.append(InsertBefore(self._graph.session, Code(f"{holder}.restore_or_initialize()")))

    def _use(self, node: ast.Name) -> None:
        if self._plan.is_removed(node):
            return
        module = self._module
        parent = module.parent(node)
        call = module.parent(parent)
        statement = module.statement(node)
        attribute = parent.attr if isinstance(parent, ast.Attribute) else ""
        alone = isinstance(statement, ast.Expr) and statement.value is call
        if statement is self._graph.session:
            return
        asked = [n for n in module.all(ast.Attribute) if n.attr in _STOPS]
        last = attribute in _REQUESTS and _is_last(module, statement, asked)
        if attribute in _STOPS and isinstance(call, ast.Call):
            answer_no(self._plan, module, call)
        elif alone and (attribute in _ENDS or last):
            self._plan.remove(module, statement)
        else:
            refuse(node, f"`{ast.unparse(parent)[:60]}` of the Supervisor")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_last(module: Module, statement: ast.stmt, asked: Sequence[ast.Attribute]) -> bool:
    """Says whether nothing asks the Supervisor below a statement whether to stop."""
    inside = any(isinstance(a, LOOPS) for a in module.ancestors(statement))
    return not inside and is_last(module, statement, asked)
