"""``tf.train.Coordinator`` and queue runners: a program without threads needs neither.

TensorFlow 2 has the Coordinator, too. It stays where the program itself asks it to stop above a
test, or hands it an error that ``join`` raises again.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import LOOPS, Conversion, refuse
from tfmigrate.model.edits import Code, RemoveFinally, ReplaceStatement
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module

COORDINATOR = "tensorflow.train.Coordinator"
RUNNERS = (
    "tensorflow.train.start_queue_runners",
    "tensorflow.train.queue_runner.start_queue_runners",
)
_STOP = "request_stop"
_ASKED = "should_stop"
_KEPT = ("stop_on_exception", "wait_for_stop", "clear_stop", "raise_requested_exception")
_CLOSED = "a queue is read below `request_stop`, which closed it"
_OF_RUNNERS = ("sess", "coord", "daemon", "start", "collection")


def convert_coordinators(plan: Conversion, module: Module, reads: Sequence[ast.Call]) -> None:
    """Plans the edits of a Coordinator, and removes the start of queue runners.

    Args:
        plan: the conversion.
        module: the file.
        reads: the runs that read a queue.

    Raises:
        Refusal: the Coordinator has threads of the program, or is used in another way.
    """
    threads = [_Threads(plan, module, call) for call in module.calls_of(*RUNNERS)]
    made = module.calls_of(COORDINATOR)
    if len(made) > 1:
        refuse(made[1], "the program has several Coordinators")
    for call in made:
        _Coordinator(plan, module, call, threads).convert(reads)
    for started in threads:
        started.remove()


class _Threads:
    """One call of ``start_queue_runners``, and the variable of its threads."""

    def __init__(self, plan: Conversion, module: Module, call: ast.Call) -> None:
        self._plan = plan
        self._module = module
        self.call = call
        self._statement = module.statement(call)
        if has_star_arguments(call):
            refuse(call, "the arguments of `start_queue_runners`")
        for name in ("start", "collection"):
            given = argument(call, _OF_RUNNERS.index(name), name)
            if given is not None:
                refuse(given, f"`{name}` of `start_queue_runners`")
        alone = isinstance(self._statement, (ast.Expr, ast.Assign)) and (
            self._statement.value is call
        )
        targets = self._statement.targets if isinstance(self._statement, ast.Assign) else []
        names = [target for target in targets if isinstance(target, ast.Name)]
        if not alone or len(names) != len(targets) or len(names) > 1:
            refuse(call, "the threads of queue runners are used")
        self._name = names[0] if names else None

    def uses(self) -> list[ast.Name]:
        """Returns where the threads are read."""
        return _uses(self._module, self._name) if self._name is not None else []

    def remove(self) -> None:
        """Removes the call.

        Raises:
            Refusal: something else than ``join`` uses the threads.
        """
        for use in self.uses():
            if not self._plan.is_removed(use):
                refuse(use, "the threads of queue runners are used")
        self._plan.remove(self._module, self._statement)


class _Coordinator:
    """One Coordinator and its uses."""

    def __init__(
        self, plan: Conversion, module: Module, made: ast.Call, threads: Sequence[_Threads]
    ) -> None:
        self._plan = plan
        self._module = module
        self._made = made
        self._threads = threads
        self._statement = module.statement(made)
        targets = self._statement.targets if isinstance(self._statement, ast.Assign) else []
        if len(targets) != 1 or not isinstance(targets[0], ast.Name):
            refuse(made, "a Coordinator that is not held by a variable")
        if made.args or made.keywords:
            refuse(made, "the arguments of a Coordinator")
        self._name = targets[0].id
        self._calls: dict[ast.Call, str] = {}
        for use in _uses(module, targets[0]):
            self._read(use)

    def convert(self, reads: Sequence[ast.Call]) -> None:
        """Plans the edits; runs that read a queue may have failed once it was closed."""
        kept = self._is_needed()
        stops = [call for call, name in self._calls.items() if name == _STOP]
        places = [self._module.position(call) for call in stops]
        for read in reads:
            if any(place < self._module.position(read) for place in places):
                self._plan.unsafe.append((self._module, read, _CLOSED))
        for call, name in self._calls.items():
            if name == "join":
                self._join(call, kept)
            elif not kept and name == _ASKED:
                answer_no(self._plan, self._module, call)
            elif not kept:
                self._plan.remove(self._module, self._module.statement(call))
        if not kept:
            self._plan.remove(self._module, self._statement)

    def _read(self, use: ast.Name) -> None:
        """Notes a call of a method."""
        held = self._module.parent(use)
        call = self._module.parent(held)
        if isinstance(held, ast.keyword) or (isinstance(held, ast.Call) and use in held.args):
            around = call if isinstance(held, ast.keyword) else held
            if any(around is started.call for started in self._threads):
                return
            refuse(use, f"`{self._name}` coordinates threads of the program")
        if isinstance(held, (ast.Tuple, ast.List)):
            refuse(use, f"`{self._name}` coordinates threads of the program")
        if not isinstance(held, ast.Attribute) or not isinstance(call, ast.Call):
            refuse(use, f"`{self._name}` is used in another way than to stop and to join")
        if held.attr == "register_thread":
            refuse(use, f"`{self._name}` coordinates threads of the program")
        if held.attr not in (_STOP, _ASKED, "join", *_KEPT) or call.func is not held:
            refuse(use, f"`{held.attr}` of a Coordinator")
        alone = isinstance(self._module.parent(call), ast.Expr)
        if held.attr in (_STOP, "join") and not alone:
            refuse(use, f"the result of `{held.attr}` is used")
        self._calls[call] = held.attr

    def _is_needed(self) -> bool:
        """Says whether a test may find that it shall stop, or an error be raised again."""
        if any(name in _KEPT for name in self._calls.values()):
            return True
        asked = [call for call, name in self._calls.items() if name == _ASKED]
        stops = [call for call, name in self._calls.items() if name == _STOP]
        if any(call.args or call.keywords for call in stops):
            return True
        homes = {self._module.function(call) for call in (*asked, *stops, self._made)}
        if asked and stops and len(homes) > 1:
            return True
        return not all(is_last(self._module, call, asked) for call in stops)

    def _join(self, call: ast.Call, kept: bool) -> None:
        """Waits for no threads; a Coordinator that stays raises the error that it was handed."""
        given = argument(call, 0, "threads")
        own = [use for started in self._threads for use in started.uses()]
        nothing = isinstance(given, ast.Constant) and given.value is None
        if given is not None and not nothing and given not in own:
            refuse(given, f"`{self._name}` coordinates threads of the program")
        if kept:
            self._plan.replace(self._module, call, Code(f"{self._name}.join()"))
        else:
            self._plan.remove(self._module, self._module.statement(call))


def is_last(module: Module, stop: ast.AST, asked: Sequence[ast.AST]) -> bool:
    """Says whether nothing asks below a place whether to stop."""
    if any(isinstance(a, LOOPS) for a in module.ancestors(stop)):
        return not asked
    place = module.position(stop)
    return all(module.position(node) < place for node in asked)


def answer_no(plan: Conversion, module: Module, call: ast.Call) -> None:
    """Removes a question whether to stop to which the answer is no."""
    outer = module.parent(call)
    if isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not):
        around = module.parent(outer)
        if isinstance(around, ast.BoolOp) and isinstance(around.op, ast.And):
            rest = [value for value in around.values if value is not outer]
            text = " and ".join(f"{{{i}}}" for i in range(len(rest)))
            plan.replace(module, around, Code(text, tuple(rest)))
        else:
            plan.replace(module, outer, Code("True"))
    elif isinstance(outer, ast.If) and outer.test is call and not outer.orelse:
        plan.remove(module, outer)
    else:
        plan.replace(module, call, Code("False"))


def remove_empty_finally(plan: Conversion, module: Module) -> None:
    """Removes the ``finally`` clauses of which nothing is left."""
    edits = plan.edits[module]
    written = {e.statement for e in edits if isinstance(e, ReplaceStatement) and e.codes}
    for block in module.all(ast.Try):
        gone = all(plan.is_removed(inner) for inner in block.finalbody)
        if block.finalbody and gone and written.isdisjoint(block.finalbody):
            plan.edits[module].append(RemoveFinally(block))


def _uses(module: Module, name: ast.Name) -> list[ast.Name]:
    """Returns where a variable is read, in functions inside of its scope, too."""
    scope = (module.names.scope_of[name].lookup(name.id) or (None,))[0]
    return [
        node
        for node in module.all(ast.Name)
        if node.id == name.id
        and isinstance(node.ctx, ast.Load)
        and (module.names.scope_of[node].lookup(node.id) or (None,))[0] is scope
    ]
