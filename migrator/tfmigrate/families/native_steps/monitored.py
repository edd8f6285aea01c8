"""MonitoredTrainingSession: when it stops, what it saves, and its hooks."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import Conversion, called, free_name, refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.runs import read_run
from tfmigrate.families.native_steps.steps import Steps
from tfmigrate.model.edits import Code, InsertAfter
from tfmigrate.resolve.calls import argument, has_star_arguments

_LOGS = (
    "LoggingTensorHook",
    "StepCounterHook",
    "ProfilerHook",
    "SummarySaverHook",
    "NanTensorHook",
)
_IGNORED = (
    *("save_summaries_steps", "save_summaries_secs", "config", "log_step_count_steps"),
    *("stop_grace_period_secs", "max_wait_secs", "scaffold"),
)
_OF_CLUSTERS = ("master", "is_chief")


class Monitored:
    """One MonitoredTrainingSession.

    Attributes:
        keeps_block: whether its ``with`` stays, for checkpoints.
    """

    def __init__(self, plan: Conversion, graph: Graph, made: ast.Call, name: str) -> None:
        """Reads the arguments.

        Raises:
            Refusal: one of them is not known.
        """
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        self._name = name
        if made.args or has_star_arguments(made):
            refuse(made, "arguments of a MonitoredTrainingSession without their names")
        self._made = made
        self._stop: tuple[str, ast.expr] | None = None
        known = ("checkpoint_dir", "hooks", "chief_only_hooks", "save_checkpoint_secs")
        for keyword in made.keywords:
            if keyword.arg not in (*known, "save_checkpoint_steps", *_IGNORED, *_OF_CLUSTERS):
                refuse(keyword.value, f"`{keyword.arg}` of a MonitoredTrainingSession")
        folder = argument(made, 0, "checkpoint_dir")
        intervals = [
            argument(made, 0, n) for n in ("save_checkpoint_secs", "save_checkpoint_steps")
        ]
        given = [value for value in intervals if value is not None]
        if given and all(isinstance(v, ast.Constant) and v.value is None for v in given):
            refuse(given[0], "a MonitoredTrainingSession that saves no checkpoints")
        nothing = isinstance(folder, ast.Constant) and folder.value is None
        self._folder = None if nothing else folder
        self.keeps_block = self._folder is not None

    def convert(self, steps: Steps, runs: Sequence[ast.Call]) -> None:
        """Plans the edits of the session, its hooks and its loop.

        Raises:
            Refusal: a hook does something else than to stop and to log.
        """
        for leaf in self._graph.of(Kind.HOOK):
            if self._graph.adds_hooks(leaf):
                self._added(leaf)
        for name in ("hooks", "chief_only_hooks"):
            given = argument(self._made, 0, name)
            if given is not None:
                self._hooks(given)
        self._stops(steps)
        if self._folder is None:
            return
        holder = free_name(self._module, "checkpoints", "training_checkpoints")
        session = self._graph.session
        if not isinstance(session, ast.With):
            refuse(session, "a MonitoredTrainingSession without `with`")
        item = session.items[0]
        texts = ["{0}", steps.optimizer, steps.saved]
        parts = [self._folder]
        for old, new in (
            ("save_checkpoint_steps", "save_steps"),
            ("save_checkpoint_secs", "save_secs"),
        ):
            value = argument(self._made, 0, old)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                parts.append(value)
                texts.append(f"{new}={{{len(parts) - 1}}}")
        chief = argument(self._made, 1, "is_chief")
        if chief is not None and steps.strategy:
            parts.append(chief)
            texts.append(f"saves={{{len(parts) - 1}}}")
        kind = "WorkerCheckpoints" if steps.workers else "Checkpoints"
        self._plan.replace(self._module, self._made, Code(kind, tuple(parts), tuple(texts)))
        self._plan.write_out(self._module, kind)
        assert item.optional_vars is not None
        self._plan.replace(self._module, item.optional_vars, Code(holder))
        count_steps(self._plan, self._graph, runs, holder)

    def _added(self, leaf: ast.stmt) -> None:
        """Leaves out hooks that are added to the list, which may only log."""
        for call in self._module.all(ast.Call, leaf):
            if not (isinstance(call.func, ast.Attribute) and call.func.attr == "append"):
                continue
            hook = self._graph.value_of(call.args[0])
            name = called(self._module, hook).rpartition(".")[2]
            if name not in _LOGS:
                refuse(call.args[0], f"the hook `{ast.unparse(hook)[:60]}` is added to a list")
            self._plan.unsafe.append((self._module, hook, f"`{name}` is left out"))
        self._plan.remove(self._module, leaf)

    def _hooks(self, given: ast.expr) -> None:
        held = self._graph.value_of(given)
        if not isinstance(held, (ast.List, ast.Tuple)):
            refuse(given, "the hooks are not written out as a list")
        for element in held.elts:
            hook = self._graph.value_of(element)
            name = called(self._module, hook).rpartition(".")[2]
            function = hook.func if isinstance(hook, ast.Call) else None
            if isinstance(function, ast.Attribute) and function.attr == "make_session_run_hook":
                pass  # the strategy synchronizes
            elif name == "StopAtStepHook" and isinstance(hook, ast.Call) and self._stop is None:
                self._stop = self._stopped(hook)
            elif name in _LOGS:
                self._plan.unsafe.append((self._module, hook, f"`{name}` is left out"))
            else:
                refuse(element, f"the hook `{ast.unparse(hook)[:60]}`")
            statement = self._module.statement(hook)
            if isinstance(statement, ast.Assign) and statement.value is hook:
                kept = [self._stop[1]] if self._stop and name == "StopAtStepHook" else []
                self._plan.drop(self._module, statement, kept)
        statement = self._module.statement(held)
        if isinstance(statement, ast.Assign) and statement.value is held:
            kept = [self._stop[1]] if self._stop else []
            self._plan.drop(self._module, statement, kept)

    def _stopped(self, hook: ast.Call) -> tuple[str, ast.expr]:
        for name in ("last_step", "num_steps"):
            value = argument(hook, 0 if name == "num_steps" else 1, name)
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                return name, value
        refuse(hook, "a StopAtStepHook without a step")

    def _stops(self, steps: Steps) -> None:
        """Replaces ``should_stop`` by the step that the hook stops at."""
        for node in self._module.all(ast.Attribute, self._graph.home):
            held = node.value
            if (
                node.attr != "should_stop"
                or not isinstance(held, ast.Name)
                or held.id != self._name
            ):
                continue
            if self._stop is None or self._stop[0] != "last_step":
                refuse(node, "the session stops at no known step")
            call = self._module.parent(node)
            outer = self._module.parent(call)
            assert isinstance(call, ast.Call)
            limit = self._limit()
            negated = isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not)
            count = f"{steps.optimizer}.iterations"
            if negated and isinstance(outer, ast.UnaryOp):
                self._plan.replace(self._module, outer, Code(f"{count} < {limit}"))
            else:
                self._plan.replace(self._module, call, Code(f"{count} >= {limit}"))

    def _limit(self) -> str:
        """Returns the code of the step, which has to mean the same in the loop."""
        assert self._stop is not None
        value = self._stop[1]
        if not all(
            isinstance(n, (ast.Name, ast.Attribute, ast.Constant, ast.expr_context))
            for n in ast.walk(value)
        ):
            refuse(value, "the last step is computed where the hook is made")
        for node in ast.walk(value):
            if isinstance(node, ast.Name) and self._graph.is_here(node):
                stores = [
                    n
                    for n in self._module.all(ast.Name, self._graph.home)
                    if n.id == node.id and isinstance(n.ctx, ast.Store)
                ]
                if len(stores) > 1:
                    refuse(value, f"`{node.id}` is assigned several times")
        return ast.unparse(value)


def count_steps(plan: Conversion, graph: Graph, runs: Sequence[ast.Call], holder: str) -> None:
    """Tells a manager of checkpoints of each training step.

    Raises:
        Refusal: a step is a part of something else than a statement of its own.
    """
    for call in runs:
        if read_run(graph, call).trains:
            statement = graph.module.statement(call)
            if not isinstance(statement, (ast.Assign, ast.Expr)):
                refuse(call, "a training step within another statement, and checkpoints")
            after = InsertAfter(statement, Code(f"{holder}.step_done()"))
            plan.edits[graph.module].append(after)
