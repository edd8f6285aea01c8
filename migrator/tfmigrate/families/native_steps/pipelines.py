"""Queues become a pipeline of tf.data, in the same lines."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import (
    Conversion,
    called,
    free_name,
    refuse,
    root_of_tensorflow,
)
from tfmigrate.families.native_steps.pipeline_checks import check_eager, check_names
from tfmigrate.families.native_steps.queue_parts import Pipeline, Stage, Start, stored
from tfmigrate.families.native_steps.queue_sources import batch_code, producer_codes, read_code
from tfmigrate.families.native_steps.queue_stages import MATCHED
from tfmigrate.families.native_steps.regions import block_of, region_of
from tfmigrate.families.native_steps.tensor_code import TensorCode
from tfmigrate.model.edits import Code, RemoveWithItem, StatementsToFunction
from tfmigrate.resolve.syntax import is_text

_DROPPED = ("tensorflow.name_scope", "tensorflow.device")
_BETWEEN = "a statement between those of a queue"


def convert_pipeline(plan: Conversion, code: TensorCode, pipeline: Pipeline, batches: str) -> None:
    """Plans the edits of the queues that the function of a session reads.

    Args:
        plan: the conversion.
        code: converts code of tensors.
        pipeline: the queues.
        batches: the variable of the iterator that gives the batches.

    Raises:
        Refusal: something has no successor in tf.data.
    """
    dataset = free_name(code.module, "dataset", "examples")
    _Writer(plan, code, pipeline, dataset).convert(batches)


class _Writer:
    """Writes the pipeline of one function."""

    def __init__(
        self, plan: Conversion, code: TensorCode, pipeline: Pipeline, dataset: str
    ) -> None:
        self._plan = plan
        self._code = code
        self._module = code.module
        self._pipeline = pipeline
        self._dataset = dataset

    def convert(self, batches: str = "") -> None:
        """Plans the edits.

        Args:
            batches: the variable of the iterator, in the function of the session.
        """
        plan, module, found = self._plan, self._module, self._pipeline
        check_names(module, found)
        self._fills()
        mapped: list[Code] = []
        for place, stage in enumerate(found.stages):
            code = self._started(stage)
            if stage.start is found.returned:
                plan.rewrite(module, stage.start, *mapped, *_as("return ", code))
            elif stage is found.stages[-1] and batches:
                *others, last = code
                made = Code(f"{batches} = iter({last.template})", last.parts)
                plan.rewrite(module, stage.start, *mapped, *others, made)
            else:
                codes = _as(f"{self._dataset} = ", code)
                plan.rewrite(module, stage.start, *mapped, *codes)
            following = next(iter(found.stages[place + 1 :]), None)
            mapped = self._computed(stage, following) if following or not batches else []
        if not batches:
            self._unscoped()

    def _fills(self) -> None:
        """Converts what fills the queue, which is computed once."""
        plan, module, found = self._plan, self._module, self._pipeline
        filled: list[ast.AST] = [*found.sources, *found.producers.values()]
        filled += [stage.call for stage in found.stages if stage.kind is Start.SLICES]
        for place in filled:
            for call in module.all(ast.Call, place):
                if called(module, call) == MATCHED and plan.first_time(call.func):
                    root = root_of_tensorflow(module, call.func)
                    plan.replace(module, call.func, Code(f"{root}.io.matching_files"))
            check_eager(plan, module, place)
            self._code.convert_names(place)
        for statement, call in found.producers.items():
            assert isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
            name = statement.targets[0].id
            codes = producer_codes(plan, module, call, name)
            plan.rewrite(module, statement, *_as(f"{name} = ", codes))
        for reader in found.readers:
            plan.remove(module, reader)

    def _started(self, stage: Stage) -> list[Code]:
        """Returns the code of the Dataset of a stage; the last of several has no target."""
        plan, module, dataset = self._plan, self._module, self._dataset
        if stage.kind is Start.SLICES:
            return list(producer_codes(plan, module, stage.call, dataset))
        if stage.kind is Start.READ:
            assert stage.reader is not None
            return [read_code(module, stage.reader, stage.queue)]
        if stage.kind is Start.QUEUE:
            return [Code(stage.queue)]
        if stage.kind is Start.BATCH:
            return [batch_code(plan, module, stage.call, dataset)]
        assert stage.inner is not None
        _Writer(plan, self._code, stage.inner, dataset).convert()
        return [Code("{0}", (stage.call,))]

    def _computed(self, stage: Stage, following: Stage | None) -> list[Code]:
        """Plans the function of the statements of a stage.

        Returns:
            The statements that come above the next stage.
        """
        plan, module, dataset = self._plan, self._module, self._dataset
        returned = self._pipeline.returned
        closing = following.start if following is not None else returned
        if closing is None or closing is stage.start:
            return []
        results = stage.results
        exprs = [results] if isinstance(results, ast.expr) else list(results)
        if _is_same(stage):
            if following is None:
                plan.rewrite(module, closing, Code(f"return {dataset}"))
            return []
        for expr in exprs:
            plan.pin(module, expr)
        self._code.convert([*stage.elements, *exprs])
        if self._code.stores:
            refuse(stage.start, "the rows of a queue are computed with variables")
        texts = ", ".join(f"{{{i}}}" for i in range(len(exprs)))
        parts = tuple(exprs)
        if not stage.elements:
            inner = texts if len(parts) == 1 else f"({texts})"
            target = f"return {dataset}" if following is None else f"{dataset} = {dataset}"
            code = Code(f"{target}.map", parts, (f"lambda {_given(stage)}: {inner}",))
            if following is not None:
                return [code]
            plan.rewrite(module, closing, code)
            return []
        ends = () if following is None else (Code(f"return {texts}", parts),)
        self._function(stage, ends, None if following is not None else returned)
        return []

    def _function(self, stage: Stage, ends: tuple[Code, ...], returned: ast.Return | None) -> None:
        """Makes a function of the statements of a stage, and maps it over the Dataset."""
        module, dataset = self._module, self._dataset
        leaves = [*stage.elements, *([returned] if returned is not None else [])]
        first, last = region_of(module, leaves, "a queue is read in several branches")
        before = [self._hoisted(leaf) for leaf in self._between(first, last, leaves)]
        names = {
            Start.BATCH: ("process_batch", "compute_batch"),
            Start.OWN: ("prepare", "prepare_example"),
        }.get(stage.kind, ("decode", "decode_example"))
        function = free_name(module, *names)
        target = f"{dataset} = " if returned is None else "return "
        self._plan.edits[module].append(
            StatementsToFunction(
                first,
                last,
                tuple(before),
                f"def {function}({_given(stage)}):",
                "",
                (Code(f"{target}{dataset}.map({function})"),),
                joined=True,
                ends=ends,
            )
        )

    def _between(
        self, first: ast.stmt, last: ast.stmt, leaves: Sequence[ast.stmt]
    ) -> list[ast.stmt]:
        """Returns the other statements between those of a stage, which come before it."""
        module = self._module
        found: list[ast.stmt] = []
        waiting = block_of(module, first, last)
        while waiting:
            statement = waiting.pop(0)
            if statement in leaves or is_text(statement):
                continue
            if statement in self._pipeline.scopes:
                assert isinstance(statement, ast.With)
                waiting = [*statement.body, *waiting]
            elif not self._plan.is_removed(statement):
                found.append(statement)
        return found

    def _hoisted(self, leaf: ast.stmt) -> Code:
        """Returns a statement as code for another place, and removes it from its own."""
        names = stored(self._module, leaf)
        stores = [
            node.id
            for node in self._module.all(ast.Name, self._pipeline.function)
            if isinstance(node.ctx, ast.Store) and node.id in names
        ]
        if leaf not in self._pipeline.others or len(stores) != len(names):
            refuse(leaf, _BETWEEN)
        if not isinstance(leaf, ast.Assign) or len(leaf.targets) != 1:
            refuse(leaf, _BETWEEN)
        self._plan.drop(self._module, leaf, (leaf.value,))
        return Code(f"{ast.unparse(leaf.targets[0])} = {{0}}", (leaf.value,))

    def _unscoped(self) -> None:
        """Removes the scopes of names and devices around the statements."""
        for scope in self._pipeline.scopes:
            for item in scope.items:
                if called(self._module, item.context_expr) not in _DROPPED:
                    refuse(scope, f"`with {ast.unparse(item.context_expr)[:60]}` around a queue")
                if isinstance(item.optional_vars, ast.Name):
                    self._code.check_unused(item.optional_vars)
            first, *others = scope.items
            edit = RemoveWithItem(scope, first, tuple(others))
            self._plan.edits[self._module].append(edit)
            for item in scope.items:
                self._plan.leave_out(self._module, item)


def _as(head: str, codes: Sequence[Code]) -> list[Code]:
    """Returns codes of which the last one is a statement that begins with a text."""
    *others, last = codes
    return [*others, Code(f"{head}{last.template}", last.parts, last.arguments, last.tail)]


def _given(stage: Stage) -> str:
    """Returns the parameters of the function of a stage."""
    return f"{'*' if stage.starred else ''}{', '.join(stage.parameters)}"


def _is_same(stage: Stage) -> bool:
    """Says whether a stage gives its elements as it gets them."""
    if stage.elements:
        return False
    if isinstance(stage.results, ast.expr):
        held = stage.results
        return isinstance(held, ast.Name) and [held.id] == stage.parameters
    names = [node.id for node in stage.results if isinstance(node, ast.Name)]
    return len(names) == len(stage.results) and names == stage.parameters and not stage.starred
