"""The part of a program that has a session: what is left of it without one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native_steps.coordinators import (
    convert_coordinators,
    remove_empty_finally,
)
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.monitored import Monitored
from tfmigrate.families.native_steps.savers import convert_saver
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.families.native_steps.summary_writers import WRITERS, convert_writers
from tfmigrate.families.native_steps.supervised import Supervised, supervised_sessions
from tfmigrate.model.edits import RemoveWithItem
from tfmigrate.resolve.calls import argument


class SessionPart:
    """The session of a graph and the statements that use it."""

    def __init__(self, plan: Conversion, graph: Graph) -> None:
        """Finds the session's variable.

        Raises:
            Refusal: it has none.
        """
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        session = graph.session
        self.item: ast.withitem | None = None
        target: ast.expr | None = None
        if isinstance(session, ast.With):
            self.item = session.items[0]
            target, self.made = self.item.optional_vars, self.item.context_expr
            if len(session.items) != 1:
                refuse(session, "a `with` of a session and something else")
        elif isinstance(session, ast.Assign):
            target, self.made = session.targets[0], session.value
        if not isinstance(target, ast.Name):
            refuse(session, "the session is not held by a variable")
        self.name = target.id
        assert isinstance(self.made, ast.Call)
        self._check_arguments(self.made)
        monitored = called(self._module, self.made).endswith("MonitoredTrainingSession")
        self.monitored: Monitored | Supervised | None = None
        if monitored:
            self.monitored = Monitored(plan, graph, self.made, self.name)
        elif self.made in supervised_sessions(graph.module):
            self.monitored = Supervised(plan, graph, self.made)
        elif graph.of(Kind.SUPERVISOR):
            refuse(session, "a session as well as that of a Supervisor")

    def _check_arguments(self, made: ast.Call) -> None:
        """Refuses the session of another process, which no cluster of the program has."""
        if called(self._module, made) != "tensorflow.Session":
            return
        target = argument(made, 0, "target")
        others = [k for k in made.keywords if k.arg not in ("target", "config")]
        empty = isinstance(target, ast.Constant) and target.value in ("", None)
        if isinstance(target, ast.Attribute) and target.attr == "target":
            # Each asynchronous worker has one; synchronous ones need one that is managed.
            found = self._plan.program.once(synchrony, self._module)
            served = bool(self._module.calls_of("tensorflow.train.Server"))
            empty = served and found.synchrony is Synchrony.NEVER
        if others or len(made.args) > 1 or (target is not None and not empty):
            refuse(made, "a session with a target or a graph")

    def runs(self) -> list[ast.Call]:
        """Returns the calls of ``run``, in order."""
        found = []
        for node in self._uses():
            parent = self._module.parent(node)
            call = self._module.parent(parent)
            if (
                isinstance(parent, ast.Attribute)
                and parent.attr == "run"
                and isinstance(call, ast.Call)
                and call.func is parent
            ):
                found.append(call)
        return sorted(found, key=self._module.position)

    def convert(self, steps: Steps) -> None:
        """Removes the session, and converts what else uses it.

        Raises:
            Refusal: something else needs it.
        """
        kinds = (Kind.BATCH, Kind.TENSOR, Kind.LATE, Kind.TRAINING, Kind.OPERATION)
        queued = self._graph.pipeline is not None
        taken = [run for run in self.runs() if queued and self._reads(run, kinds)]
        convert_coordinators(self._plan, self._module, taken)
        if self._plan.unwritten:
            self._summaries()
        else:
            convert_writers(self._plan, self._graph)
        if self.monitored is not None:
            self.monitored.convert(steps, self.runs())
        savers = self._graph.of(Kind.SAVER)
        for leaf in savers:
            convert_saver(self._plan, steps, leaf, self.name)
        for node in self._uses():
            self._remove_use(node)
        remove_empty_finally(self._plan, self._module)
        session = self._graph.session
        if self.monitored is not None and self.monitored.keeps_block:
            return
        if isinstance(session, ast.With) and self.item is not None:
            self._plan.edits[self._module].append(RemoveWithItem(session, self.item))
            self._plan.leave_out(self._module, self.item)
        else:
            self._plan.remove(self._module, session)

    def _uses(self) -> Iterator[ast.Name]:
        for node in self._module.all(ast.Name):
            if node.id == self.name and isinstance(node.ctx, ast.Load):
                yield node

    def _reads(self, run: ast.Call, kinds: Sequence[Kind]) -> bool:
        """Says whether a run fetches something of some kinds."""
        names = [n for n in self._module.walk(run) if isinstance(n, ast.Name)]
        return any(self._graph.kind_of(name) in kinds for name in names)

    def _remove_use(self, node: ast.Name) -> None:
        if self._plan.is_removed(node):
            return
        parent = self._module.parent(node)
        statement = self._module.statement(node)
        if (
            isinstance(parent, ast.Attribute)
            and parent.attr == "close"
            and isinstance(statement, ast.Expr)
        ):
            self._plan.remove(self._module, statement)
            return
        refuse(node, f"`{ast.unparse(self._module.parent(node))[:60]}` of the session")

    def _summaries(self) -> None:
        """Removes the writers of summaries; only with ``--unsafe``."""
        for call in self._module.calls_of(*WRITERS):
            statement = self._module.statement(call)
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            if not isinstance(target, ast.Name):
                refuse(call, "a writer of summaries that is not held by a variable")
            self._plan.unsafe.append((self._module, statement, self._plan.unwritten))
            self._plan.remove(self._module, statement)
            for node in self._module.all(ast.Name, self._graph.home):
                if node.id != target.id or not isinstance(node.ctx, ast.Load):
                    continue
                user = self._module.statement(node)
                if not isinstance(user, ast.Expr):
                    refuse(node, "a writer of summaries that is used in another way")
                self._plan.remove(self._module, user)
        for node in self._uses():
            user = self._module.statement(node)
            if called(self._module, getattr(user, "value", None)) in WRITERS:
                self._plan.remove(self._module, user)
