"""Reads the queues of a program: what fills them, the statements that decode, and the batches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.queue_parts import (
    Pipeline,
    Stage,
    Start,
    arguments_of,
    has_several,
    loaded,
    stored,
    target_of,
)
from tfmigrate.families.native_steps.queue_sources import (
    BATCH,
    BY_HAND,
    FILES,
    READERS,
    SHUFFLED_BATCH,
    SLICES,
    WHOLE_FILES,
    batched,
    has_several_tensors,
    may_end,
)
from tfmigrate.families.native_steps.scopes import is_block_of_scopes
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.syntax import is_text

_BATCHES = (BATCH, SHUFFLED_BATCH)
_OF_QUEUES = (SLICES, FILES, *_BATCHES)
NO_TENSORS = tuple(
    f"tensorflow.{name}"
    for name in (
        *("gfile.", "io.gfile.", "logging.", "app.", "flags.", "train.", "placeholder", "Variable"),
        *("get_variable", "Session", "ConfigProto", "GPUOptions", "set_random_seed", "data."),
        *("FixedLenFeature", "VarLenFeature", "io.FixedLenFeature", "io.VarLenFeature"),
    )
)
MATCHED = "tensorflow.train.match_filenames_once"
_ALONE = "the rows of a queue are not batched in the function of the session"
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def read_pipeline(
    plan: Conversion, module: Module, home: ast.FunctionDef | ast.Module
) -> Pipeline | None:
    """Returns the queues that the function of a session reads; None for none.

    Raises:
        Refusal: they are not read in a known form.
    """
    if module.calls_of("tensorflow.train.Server"):
        return None
    for call in module.calls_of(*BY_HAND):
        name = called(module, call).replace("tensorflow.", "tf.", 1)
        refuse(call, f"tf.data has no equivalent of `{name}`")
    if not module.calls_of(*_OF_QUEUES):
        return None
    found = _Reader(plan, module, home, _makers(plan, module), frozenset()).read()
    if not found.stages and not found.producers:
        return None  # the names that are left are refused
    if not found.batched:
        refuse(found.stages[-1].start if found.stages else next(iter(found.producers)), _ALONE)
    return found


def _makers(plan: Conversion, module: Module) -> Set[ast.FunctionDef]:
    """Returns the functions of a file that make queues, or call those that do."""
    found = set[ast.FunctionDef]()
    while True:
        more = {
            function
            for function in module.all(ast.FunctionDef)
            if function not in found and any(_makes(plan, module, function, found))
        }
        if not more:
            return found
        found |= more


def _makes(
    plan: Conversion, module: Module, place: ast.AST, makers: Set[ast.FunctionDef]
) -> Iterator[ast.Call]:
    """Yields the calls in a place that make queues, or call a function that does."""
    for call in module.all(ast.Call, place):
        own = definition(plan, module, call.func)
        if called(module, call) in _OF_QUEUES or (own is not None and own[1] in makers):
            yield call


class _Reader:
    """Reads one function."""

    def __init__(
        self,
        plan: Conversion,
        module: Module,
        function: ast.FunctionDef | ast.Module,
        makers: Set[ast.FunctionDef],
        queues: Set[str],
    ) -> None:
        self._plan = plan
        self._module = module
        self._makers = makers
        self._queues = set(queues)
        self._readers: dict[str, ast.Call] = {}
        self._stale = set[str]()
        self._at_home = True
        self.found = Pipeline(function)

    def read(self, at_home: bool = True) -> Pipeline:
        """Reads the statements.

        Args:
            at_home: whether it is the function of the session.

        Raises:
            Refusal: one of them is not known.
        """
        self._at_home = at_home
        for statement in self._flat(self.found.function.body):
            if self.found.batched and at_home:
                self._check_below(statement)
            elif self.found.returned is not None:
                refuse(statement, "a statement below `return`")
            else:
                self._visit(statement)
        self._find_sources()
        return self.found

    def _flat(self, block: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            if isinstance(statement, ast.With) and is_block_of_scopes(self._module, statement):
                self.found.scopes.append(statement)
                yield from self._flat(statement.body)
            elif not isinstance(statement, _DEFINED):
                yield statement

    def _check_below(self, statement: ast.stmt) -> None:
        for call in self._streams(statement):
            refuse(call, "the graph reads several queues")

    def _streams(self, place: ast.AST) -> Iterator[ast.Call]:
        """Yields the calls in a place that make or read queues."""
        yield from _makes(self._plan, self._module, place, self._makers)
        for call in self._module.all(ast.Call, place):
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if isinstance(call.func, ast.Attribute):
                given.append(call.func.value)
            if called(self._module, call) in READERS or any(map(self._is_queue, given)):
                yield call

    def _is_queue(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._queues and self._is_here(node)

    def _is_here(self, node: ast.Name) -> bool:
        found = self._module.names.scope_of[node].lookup(node.id)
        return found is not None and found[0].node is self.found.function

    def _visit(self, statement: ast.stmt) -> None:
        held = (ast.Assign, ast.Return)
        value = statement.value if isinstance(statement, held) else None
        streams = list(self._streams(statement))
        if isinstance(value, ast.Call) and value in streams:
            inner = [call for call in streams if call is not value]
            reader = value.func.value if isinstance(value.func, ast.Attribute) else None
            if all(call is reader for call in inner):
                self._stream(statement, value)
                return
        if streams:
            refuse(streams[0], "a queue is not made or read in a separate statement")
        if isinstance(statement, ast.Return):
            self._return(statement)
        elif self._reads(statement) or (self.found.stages and self._makes_tensors(statement)):
            self._element(statement)
        elif not is_text(statement):
            if not self._at_home and any(self._module.all(ast.Return, statement)):
                refuse(statement, "a function that reads a queue returns at several places")
            self.found.others.append(statement)

    def _stream(self, statement: ast.stmt, call: ast.Call) -> None:
        """Reads a statement whose value makes or reads a queue."""
        name = called(self._module, call)
        if name in _BATCHES:
            self._batch(statement, call)
        elif name == SLICES:
            stage = self._started(Start.SLICES, statement, call)
            self._name(stage, several=True)
            stage.several = has_several_tensors(self._module, call)
            self.found.ends = self.found.ends or may_end(self._module, call)
        elif name == FILES:
            self.found.producers[statement] = call
            self._queues.add(target_of(statement))
            self.found.ends = self.found.ends or may_end(self._module, call)
        elif name in READERS:
            self.found.readers.append(statement)
            self._readers[target_of(statement)] = call
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "read":
            self._read(statement, call)
        elif isinstance(call.func, ast.Attribute) and call.func.attr == "dequeue":
            stage = self._started(Start.QUEUE, statement, call)
            assert isinstance(call.func.value, ast.Name)
            stage.queue = call.func.value.id
            self._name(stage, several=False)
        else:
            self._own(statement, call)

    def _started(self, kind: Start, statement: ast.stmt, call: ast.Call) -> Stage:
        if self.found.stages and kind is not Start.BATCH:
            refuse(call, "several queues are read together")
        stage = Stage(kind, statement, call)
        self.found.stages.append(stage)
        return stage

    def _name(self, stage: Stage, several: bool) -> None:
        """Notes the names of the parts of an element."""
        stage.starred = stage.several = several
        if isinstance(stage.start, ast.Return):
            return
        assert isinstance(stage.start, ast.Assign)
        target = stage.start.targets[0]
        if isinstance(target, ast.Name) and len(stage.start.targets) == 1:
            stage.parameters = [target.id]
            return
        elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        names = [element.id for element in elements if isinstance(element, ast.Name)]
        if len(names) != len(elements) or len(set(names)) != len(names) or not names:
            refuse(stage.start, "the parts of a queue's row are not assigned to names")
        stage.parameters, stage.starred = names, False

    def _read(self, statement: ast.stmt, call: ast.Call) -> None:
        """Reads ``key, value = reader.read(queue)``."""
        assert isinstance(call.func, ast.Attribute)
        held = call.func.value
        reader = held if isinstance(held, ast.Call) else None
        if isinstance(held, ast.Name) and self._is_here(held):
            reader = self._readers.get(held.id)
        queue = argument(call, 0, "queue")
        if reader is None or called(self._module, reader) not in READERS:
            refuse(call, "the reader of a queue is not made here")
        if queue is None or not self._is_queue(queue):
            refuse(call, "the queue of a reader is not made here")
        stage = self._started(Start.READ, statement, call)
        assert isinstance(queue, ast.Name)
        stage.queue, stage.reader = queue.id, reader
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
            refuse(statement, "what a reader reads is not assigned to a key and a value")
        self._name(stage, several=True)
        if called(self._module, reader) == WHOLE_FILES:
            return
        stage.unused.append(stage.parameters.pop(0))
        self._stale |= {*stage.unused}
        stage.several = False

    def _own(self, statement: ast.stmt, call: ast.Call) -> None:
        """Reads a call of a function of the program that makes or reads a queue."""
        found = definition(self._plan, self._module, call.func)
        if found is None or found[0] is not self._module:
            refuse(call, "a queue is given to a function that is not in this file")
        function = found[1]
        self._check_own(function, call)
        if any(self._reads(value) for value in arguments_of(call).values()):
            refuse(call, f"`{function.name}` is given rows of a queue, and reads a queue")
        names = [a.arg for a in function.args.args]
        passed = {**dict(zip(names, call.args, strict=False)), **arguments_of(call)}
        queues = {name for name, value in passed.items() if self._is_queue(value)}
        inner = _Reader(self._plan, self._module, function, self._makers, queues).read(False)
        stage = self._started(Start.OWN, statement, call)
        stage.inner = inner
        if inner.returned is None or not inner.stages:
            refuse(function, f"`{function.name}` does not return the rows of its queue")
        held = statement.targets[0] if isinstance(statement, ast.Assign) else None
        apart = isinstance(held, (ast.Tuple, ast.List))
        self._name(stage, several=apart or has_several(self._module, inner))
        self.found.ends = self.found.ends or inner.ends
        self.found.batched = inner.batched
        if inner.batched and self._at_home and not isinstance(statement, ast.Assign):
            refuse(statement, "the batches of a queue are not assigned")
        if isinstance(statement, ast.Return):
            self.found.returned = statement

    def _check_own(self, function: ast.FunctionDef, call: ast.Call) -> None:
        """Refuses a function that may be called again, or in another way."""
        uses = [
            node
            for node in self._module.all(ast.Name)
            if node.id == function.name and isinstance(node.ctx, ast.Load)
        ]
        if uses != [call.func]:
            refuse(call, f"`{function.name}`, which reads a queue, may be called again")
        if function.decorator_list or has_star_arguments(call):
            refuse(call, f"the arguments or decorators of `{function.name}`")

    def _batch(self, statement: ast.stmt, call: ast.Call) -> None:
        """Ends a stage with its batches."""
        if not self.found.stages or self.found.batched:
            refuse(call, "the tensors of a batch are not those of one queue")
        results = batched(self._module, call)
        before = self.found.stages[-1]
        self._end_stage(results)
        stage = self._started(Start.BATCH, statement, call)
        self._name(stage, several=self._batches_several(call, results, before))
        self.found.batched = True
        if isinstance(statement, ast.Return):
            self.found.returned = statement
        elif self._at_home and not isinstance(statement, ast.Assign):
            refuse(statement, "the batches of a queue are not assigned")

    def _batches_several(
        self, call: ast.Call, results: Sequence[ast.expr] | ast.expr, stage: Stage
    ) -> bool:
        """Says whether a batch has several parts; one tensor of a list is the batch itself."""
        if not isinstance(results, ast.expr):
            return len(results) > 1
        if isinstance(results, ast.Dict):
            return False
        whole = isinstance(results, ast.Name) and [results.id] == stage.parameters
        if not whole or not stage.starred or stage.elements or stage.several is None:
            refuse(call, "the tensors of a batch are not written out as a list")
        return stage.several

    def _end_stage(self, results: Sequence[ast.expr] | ast.expr) -> None:
        stage = self.found.stages[-1]
        stage.results = results
        self._stale |= self._current()

    def _current(self) -> set[str]:
        """Returns the names of elements that the last stage has."""
        if not self.found.stages:
            return set()
        stage = self.found.stages[-1]
        made = {name for leaf in stage.elements for name in stored(self._module, leaf)}
        return {*stage.parameters, *made}

    def _reads(self, place: ast.AST) -> bool:
        """Says whether code reads elements.

        Raises:
            Refusal: it reads those of an earlier stage.
        """
        current = self._current()
        read = False
        for node in self._module.walk(place):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                if not self._is_here(node):
                    continue
                if node.id in self._stale - current:
                    refuse(node, f"`{node.id}` of a queue is used in another way than in a batch")
                read = read or node.id in current
        return read

    def _makes_tensors(self, statement: ast.stmt) -> bool:
        value = statement.value if isinstance(statement, (ast.Assign, ast.Expr)) else None
        names = [called(self._module, call) for call in self._module.all(ast.Call, statement)]
        if MATCHED in names:
            return True
        if called(self._module, value).startswith(NO_TENSORS):
            return False
        return any(n.startswith("tensorflow.") and not n.startswith(NO_TENSORS) for n in names)

    def _element(self, statement: ast.stmt) -> None:
        for node in self._module.walk(statement):
            if isinstance(node, (ast.Return, ast.Global, ast.Nonlocal, *_DEFINED)):
                refuse(
                    node,
                    "the rows of a queue are computed by statements that define or return",
                )
        self.found.stages[-1].elements.append(statement)

    def _return(self, statement: ast.Return) -> None:
        if not self.found.stages or statement.value is None:
            refuse(statement, "a function that reads a queue does not return its rows")
        self._reads(statement)
        value = statement.value
        several = isinstance(value, (ast.Tuple, ast.List))
        self._end_stage(value.elts if isinstance(value, (ast.Tuple, ast.List)) else value)
        if several and any(isinstance(e, ast.Starred) for e in getattr(value, "elts", ())):
            refuse(statement, "what a function that reads a queue returns is not written out")
        self.found.returned = statement

    def _find_sources(self) -> None:
        """Finds the statements of tensors that fill the queue."""
        fills: list[ast.AST] = [*self.found.producers]
        given = (Start.SLICES, Start.OWN)
        fills += [stage.start for stage in self.found.stages if stage.kind in given]
        waiting = {name for place in fills for name in loaded(self._module, place)}
        for statement in reversed(self.found.others):
            names = stored(self._module, statement)
            if waiting.isdisjoint(names) or not self._makes_tensors(statement):
                continue
            self.found.sources.insert(0, statement)
            waiting |= loaded(self._module, statement)
        self.found.others = [s for s in self.found.others if s not in self.found.sources]
