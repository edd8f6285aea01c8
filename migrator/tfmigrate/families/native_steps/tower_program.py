"""One program of towers: each becomes a replica of a MirroredStrategy."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import (
    Conversion,
    free_name,
    refuse,
)
from tfmigrate.families.native_steps.batches import convert_batches
from tfmigrate.families.native_steps.checks import check_changes
from tfmigrate.families.native_steps.clusters import SERVER
from tfmigrate.families.native_steps.counters import convert_steps
from tfmigrate.families.native_steps.graph import Kind, assigned
from tfmigrate.families.native_steps.layer_penalties import adds_penalties
from tfmigrate.families.native_steps.moving_averages import convert_averages, read_averages
from tfmigrate.families.native_steps.reuse import remove_device_functions, remove_reuse
from tfmigrate.families.native_steps.run_calls import convert_run
from tfmigrate.families.native_steps.runs import Run, read_run
from tfmigrate.families.native_steps.session_program import SessionConversion
from tfmigrate.families.native_steps.sessions import SessionPart
from tfmigrate.families.native_steps.steps import (
    check_reads,
    in_indentation,
    model_results,
    name_functions,
)
from tfmigrate.families.native_steps.tensor_code import STORE
from tfmigrate.families.native_steps.tower_checks import (
    check_changes_below,
    check_functions,
    check_known_above,
    check_towers,
    uses_devices,
)
from tfmigrate.families.native_steps.tower_loop import counts, devices
from tfmigrate.families.native_steps.tower_steps import TowerSteps
from tfmigrate.families.native_steps.towers import Towers, fetched
from tfmigrate.families.native_steps.training import Training, read_training
from tfmigrate.model.edits import Code, InsertBefore, StatementsToFunction, UnwrapLoop
from tfmigrate.resolve.module import Module

_REMOVED = (Kind.STEP, Kind.INIT, Kind.CONFIG, Kind.SUMMARY, Kind.OPERATION)
_MADE = (Kind.OPTIMIZER, Kind.VARIABLE)
_MOVED = (Kind.PLAIN, Kind.RATE, Kind.PLACEHOLDER)


class TowerConversion(SessionConversion):
    """Plans the conversion of one program."""

    def __init__(self, plan: Conversion, module: Module, session: ast.Call) -> None:
        super().__init__(plan, module, session)
        if self._graph.towers is None:
            refuse(session, "the loop over towers is not in the function of the session")
        self._towers = Towers(plan, self._graph, self._graph.towers)

    def convert(self) -> None:
        """Plans the edits.

        Raises:
            Refusal: something has no successor.
        """
        graph, module, towers = self._graph, self._module, self._towers
        for server in module.calls_of(SERVER):
            refuse(server, "towers on several machines")
        training = read_training(graph)
        if training.applied is None:
            refuse(training.leaf, "`minimize` below a loop over towers")
        towers.read()
        tensors = graph.of(Kind.TENSOR)
        check_towers(towers, training)
        part = SessionPart(self._plan, graph)
        runs = [read_run(graph, call) for call in part.runs()]
        if not any(run.trains for run in runs):
            refuse(graph.session, "no run of this session trains")
        steps = TowerSteps(
            graph,
            training,
            training.name or free_name(module, "optimizer", "keras_optimizer"),
            free_name(module, "tower", "tower_model"),
            free_name(module, "train_step", "training_step", "step_function"),
            self._parameters(runs, graph.of(Kind.BATCH)),
            towers=towers,
        )
        name_functions(steps, runs)
        steps.averages = read_averages(graph, training, runs)
        if graph.of(Kind.BATCH) and graph.of(Kind.PLACEHOLDER):
            refuse(graph.of(Kind.BATCH)[0], "the graph reads a Dataset and placeholders")
        steps.batches = convert_batches(self._plan, graph, self._code, replicated=True)
        steps.strategy = free_name(module, "strategy", "tower_strategy")
        steps.trained = free_name(module, "trainable_variables", "trained_variables")
        self._convert_parts(steps, runs, tensors)
        for run in runs:
            convert_run(self._plan, steps, run)
        part.convert(steps)
        self._move_towers(steps, runs)
        held = [*steps.moved, training.leaf, towers.loop.loop.iter]
        inside = {node for leaf in held for node in module.walk(leaf)}
        names = {name for leaf in steps.moved for name in assigned(module, leaf)}
        check_reads(graph, self._plan, inside, names | {c.name for c in towers.collections})
        self._remove_functions()
        remove_device_functions(self._plan, module)

    def _convert_parts(
        self, steps: TowerSteps, runs: Sequence[Run], tensors: Sequence[ast.stmt]
    ) -> None:
        """Converts the statements of the graph."""
        graph, plan = self._graph, self._plan
        self._remove(graph.of(*_REMOVED))
        for start in self._towers.starts:
            plan.remove(self._module, start)
        self._placeholders()
        self._variables.convert()
        plan.regularized = adds_penalties(plan, graph)
        steps.model_begins = self._collections.convert()
        self._code.convert(tensors)
        for leaf in self._towers.leaves(Kind.COLLECTED):
            if not plan.is_removed(leaf):
                self._code.convert([leaf])
        self._tower_gradients(steps.training)
        steps.counts = convert_steps(plan, steps, self._code.functions)
        remove_reuse(plan, graph, self._code.functions)
        self._towers.check_shared()
        check_functions(self._towers, self._code.functions)
        check_changes(graph, self._code.functions)
        self._check_functions()
        self._optimizer(steps.training.made)

    def _tower_gradients(self, training: Training) -> None:
        """Converts the statements of gradients: those of towers, and those below the loop."""
        for leaf in self._graph.of(Kind.GRADIENT):
            if self._graph.in_towers(leaf):
                self._gradient(leaf, training)
            else:
                self._code.convert([leaf])
        assert training.applied is not None
        self._code.convert([training.applied])

    def _move_towers(self, steps: TowerSteps, runs: Sequence[Run]) -> None:
        """Plans the function of a tower, and the training step around what is below the loop."""
        graph, module, loop = self._graph, self._module, self._towers.loop.loop
        position = module.position
        tensors = graph.of(Kind.TENSOR)
        early = [s for s in tensors if position(s) < position(loop)]
        below = [
            leaf
            for leaf in graph.of(Kind.TENSOR, Kind.GRADIENT)
            if not graph.in_towers(leaf) and leaf not in early
        ]
        late = [leaf for leaf in below if position(leaf) > position(steps.training.leaf)]
        if late:
            refuse(late[0], "the graph computes something below the operation that trains")
        steps.moved = [*tensors, *graph.of(Kind.GRADIENT), *self._towers.leaves(Kind.COLLECTED)]
        steps.read_below([*below, steps.training.leaf], fetched(runs))
        self._tower_function(steps, early)
        self._step_function(steps, [*below, steps.training.leaf])
        self._scopes([*tensors, *below])

    def _tower_function(self, steps: TowerSteps, early: Sequence[ast.stmt]) -> None:
        loop = self._towers.loop.loop
        first, last = self._region([*early, loop])
        before, _ = self._between(first, last, [*early, loop])
        made = [leaf for leaf in self._graph.of(*_MADE) if not self._plan.is_removed(leaf)]
        for leaf in made:
            self._check_moved(leaf, last)
        scope = [self._hoisted(leaf) for leaf in made]
        self._plan.write_out(self._module, "strategy_of_towers")
        listed = devices(
            self._module, self._towers.loop, self._graph.reads_tensors, self._graph.value_of
        )
        made_first = Code(f"{steps.strategy} = strategy_of_towers", (), (listed,))
        early_use = uses_devices(self._towers, first)
        if early_use is not None:
            check_known_above(self._graph, loop, listed, early_use)
            self._plan.edits[self._module].append(InsertBefore(early_use, made_first))
        else:
            before.append(made_first)
        target = ""
        if not counts(loop):
            for node in self._module.walk(loop.iter):
                if isinstance(node, ast.expr) and self._module.resolve(node):
                    refuse(loop.iter, "the values of the loop over towers are computed in it")
            values = f"list({ast.unparse(loop.iter)})[{self._towers.parameter}]"
            written = ast.unparse(loop.target)
            if isinstance(loop.target, ast.Tuple):
                written = written.removeprefix("(").removesuffix(")")
            target = f"{written} = {values}"
        self._plan.edits[self._module].append(UnwrapLoop(loop, target))
        self._plan.edits[self._module].append(
            StatementsToFunction(
                first,
                last,
                tuple(before),
                f"def {steps.model}({steps.of_tower}):",
                model_results(steps),
                tuple(self._made_in_scope(steps, scope)),
                unset=tuple(sorted(self._towers.first)),
                begins=tuple(steps.model_begins),
                joined=True,
            )
        )

    def _made_in_scope(self, steps: TowerSteps, made: Sequence[Code]) -> Iterator[Code]:
        """Yields the block of the strategy's scope, which makes variables and the optimizer."""
        lines: list[str] = []
        parts: list[ast.expr] = []
        for code in made:
            places = [f"{{{len(parts) + i}}}" for i in range(len(code.parts))]
            lines.append(code.template.format(*places))
            parts += code.parts
        training = steps.training
        if not training.name:
            lines.append(f"{steps.optimizer} = {{{len(parts)}}}")
            parts.append(training.made)
        if self._code.stores:
            specs = [steps.batches.spec()] if steps.batches else steps.parameters
            given = ", ".join(["0", *specs])
            function = f"tf.function({steps.model}).get_concrete_function({given})"
            lines.append(f"{function}  # makes the variables")
        names = [*self._variables.trained()]
        only = f"*{STORE}.trainable_variables"
        listed = only.strip("*") if names == [only] else f"[{', '.join(names)}]"
        lines.append(f"{steps.trained} = {listed}")
        lines.append(f"{steps.optimizer}.build({steps.trained})")
        for code in convert_averages(self._plan, steps):
            places = [f"{{{len(parts) + i}}}" for i in range(len(code.parts))]
            lines.append(code.template.format(*places))
            parts += code.parts
        text = "\n".join([f"with {steps.strategy}.scope():", *(f"\t{line}" for line in lines)])
        yield in_indentation(self._module, Code(text, tuple(parts)))
        yield Code(
            f"{steps.indices} = {steps.strategy}.experimental_distribute_values_from_function",
            (),
            ("lambda context: context.replica_id_in_sync_group",),
        )

    def _step_function(self, steps: TowerSteps, below: Sequence[ast.stmt]) -> None:
        stay = [*below, *(leaf for leaf in self._graph.of(Kind.PLAIN) if steps.stays(leaf, below))]
        early = [leaf for leaf in stay if self._module.position(leaf) < self._end_of_loop]
        for leaf in early:
            self._plan.remove(self._module, leaf)
        stay = [leaf for leaf in stay if leaf not in early]
        check_changes_below(self._graph, [*stay, *early])
        first, last = self._region(stay)
        before, savers = self._between(first, last, stay)
        self._plan.write_out(self._module, "each_tower")
        self._plan.write_out(self._module, "apply_averaged")
        updates = (in_indentation(self._module, code) for code in steps.updates())
        self._plan.rewrite(self._module, steps.training.leaf, *updates)
        results = steps.train_results
        self._plan.edits[self._module].append(
            StatementsToFunction(
                first,
                last,
                tuple(before),
                f"{steps.decorator}\ndef {steps.train_step}({steps.given}):",
                f"return {steps.returned(results)}" if results else "",
                (*(in_indentation(self._module, c) for c in steps.evaluations()), *savers),
                begins=(
                    *(Code(ast.unparse(leaf)) for leaf in early),
                    *(in_indentation(self._module, c) for c in steps.begins()),
                ),
            )
        )

    @property
    def _end_of_loop(self) -> tuple[int, int]:
        return self._towers.loop.loop.end_lineno or 0, 0

    def _between(
        self, first: ast.stmt, last: ast.stmt, stay: Sequence[ast.stmt]
    ) -> tuple[list[Code], list[Code]]:
        """Moves other statements out of a range of them; returns those above it and below it."""
        start, end = self._module.position(first), last.end_lineno or 0
        before, savers = [], []
        for leaf in self._graph.leaves:
            kind = self._graph.kinds[leaf]
            inside = start <= self._module.position(leaf) and leaf.lineno <= end
            if not inside or leaf in stay or self._plan.is_removed(leaf):
                continue
            if self._graph.in_towers(leaf) and kind is not Kind.SAVER and kind not in _MADE:
                continue
            if kind in _MOVED:
                before.append(self._hoisted(leaf))
            elif kind is Kind.SAVER:
                savers.append(self._hoisted(leaf))
            elif kind not in _MADE:
                refuse(leaf, "a statement between those of the graph")
        return before, savers

    def _check_moved(self, leaf: ast.stmt, last: ast.stmt) -> None:
        """Refuses to make an optimizer or a variable later than something that reads it."""
        module, names = self._module, assigned(self._module, leaf)
        end = last.end_lineno or 0
        for node in module.all(ast.Name, self._graph.home):
            if node.id in names and isinstance(node.ctx, ast.Load) and self._graph.is_here(node):
                early = module.position(leaf) < module.position(node) and node.lineno < end
                statement = module.statement(node)
                known = self._graph.kinds.get(statement) not in (None, Kind.PLAIN)
                if early and not known and not self._plan.is_removed(node):
                    refuse(node, f"`{node.id}` is used above the end of the loop over towers")
