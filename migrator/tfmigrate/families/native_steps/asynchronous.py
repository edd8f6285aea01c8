"""Asynchronous workers of a cluster become loops whose steps a ClusterCoordinator schedules.

The processes stay: parameter servers and workers are started as before. The first worker runs the
loops of all, each in a thread, and every worker makes the steps that are scheduled
(``data/written_out/Workers.py.txt``). What follows the graph becomes a function of the index of the
task; what it reads of the task above the graph moves into it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import (
    LOOPS,
    Conversion,
    called,
    free_name,
    refuse,
)
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native_steps.graph import Graph, Kind, assigned
from tfmigrate.families.native_steps.loops import check_loop
from tfmigrate.model.edits import (
    AddKeywords,
    Code,
    InsertBefore,
    RemoveParameters,
    StatementsToFunction,
)
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.identities import identity

_SETTER = "tensorflow.train.replica_device_setter"
_JOBS = ("chief", "master", "evaluator")
_UNSAFE = (
    "the first worker runs the loops of all, and the other workers make steps for it",
    "two updates of one optimizer's slot at the same time may lose one of them",
)


class AsynchronousCluster:
    """The cluster of one program whose workers do not wait for each other.

    Attributes:
        workers: the name of the object that holds its workers.
        strategy: the code of the strategy.
    """

    def __init__(self, plan: Conversion, graph: Graph, server: ast.Call) -> None:
        """Checks how the server is made.

        Raises:
            Refusal: in a form that is not known.
        """
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        self._server = server
        self.workers = free_name(self._module, "workers", "cluster_workers")
        self.strategy = f"{self.workers}.strategy"
        task = argument(server, 2, "task_index")
        if task is None or has_star_arguments(server) or len(server.args) > 3:
            refuse(server, "the arguments of the server")
        self._task = identity(self._module, task)
        if self._task is None:
            refuse(task, "the index of the task is not held by a variable or a flag")
        self.index = free_name(self._module, "task_index", "index_of_worker")
        for constant in self._module.all(ast.Constant):
            if constant.value in _JOBS:
                refuse(constant, f"the job `{constant.value}`, other than workers")

    def convert(self) -> None:
        """Plans the edits of the server and of the devices.

        Raises:
            Refusal: the server is used in another way.
        """
        function = self._server.func
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(function, ast.Attribute) or not isinstance(root, ast.Name):
            refuse(self._server, "a server whose class is not written as one of TensorFlow")
        self._plan.replace(self._module, function, Code(f"{root.id}.distribute.Server"))
        self._plan.write_out(self._module, "Workers")
        for text in _UNSAFE:
            self._plan.unsafe.append((self._module, self._server, text))
        self._scopes()

    def _scopes(self) -> None:
        """Makes the blocks of devices scopes of the strategy; the first comes after the workers."""
        found = []
        for scope in self._graph.scopes:
            for item in scope.items:
                if self._is_on_cluster(item.context_expr):
                    code = Code(f"{self.strategy}.scope()")
                    self._plan.replace(self._module, item.context_expr, code)
                    self._graph.kept_items.add(item)
                    found.append(scope)
        if not found:
            refuse(self._server, "the graph is not in a block of a replica_device_setter")
        first = found[0]
        if any(isinstance(a, LOOPS) for a in self._module.ancestors(first)):
            refuse(first, "the graph is built in a loop")
        made = Code(f"{self.workers} = Workers({self._held()})")
        self._plan.edits[self._module].append(InsertBefore(first, made))

    def _is_on_cluster(self, device: ast.expr) -> bool:
        if called(self._module, device) != "tensorflow.device" or not isinstance(device, ast.Call):
            return False
        given = self._graph.value_of(device.args[0]) if device.args else device
        if called(self._module, given) == _SETTER:
            return True
        if self._returns_setter(given):
            return True
        texts = [n.value for n in ast.walk(given) if isinstance(n, ast.Constant)]
        return any(isinstance(text, str) and "/job:" in text for text in texts)

    def _returns_setter(self, given: ast.expr) -> bool:
        """Says whether a function of the program returns a setter, and removes it then."""
        if not isinstance(given, ast.Call):
            return False
        found = definition(self._plan, self._module, given.func)
        if found is None or found[0] is not self._module:
            return False
        function = found[1]
        returned = [
            r.value
            for r in self._module.all(ast.Return, function)
            if self._module.function(r) is function
        ]
        if len(returned) != 1 or called(self._module, returned[0]) != _SETTER:
            return False
        uses = [n for n in self._module.all(ast.Name) if n.id == function.name]
        if len(uses) == 1:
            self._plan.remove(self._module, function)
        return True

    def _held(self) -> str:
        """Returns the name of the server where the session is made."""
        for node in self._module.all(ast.Attribute, self._graph.home):
            if node.attr == "target" and isinstance(node.value, ast.Name):
                return node.value.id
        refuse(self._server, "no session of the function has the server as its target")

    def for_each(self, code: str) -> str:
        """Returns the code of a list of something for each worker."""
        return f"[{code} for {self.index} in range({self.workers}.count)]"

    def give_task(self, node: ast.expr, function: ast.FunctionDef | None = None) -> None:
        """Lets an expression of ``for_each`` read the index that the list counts.

        Args:
            node: the expression.
            function: the function that it calls, which gets the index if it reads it.

        Raises:
            Refusal: it depends on the task in another way.
        """
        for use in self._task_uses(node):
            self._plan.replace(self._module, use, Code(self.index))
        self._check_untainted(node)
        if function is None:
            return
        own = {a.arg for a in function.args.args}  # which the call is given
        uses = [
            use
            for use in self._task_uses(function)
            if not (isinstance(use, ast.Name) and use.id in own)
        ]
        if not uses:
            return
        named = [n for n in self._module.all(ast.Name) if n.id == function.name]
        given = function.args
        if len(named) > 1 or given.vararg or given.kwonlyargs or given.kwarg or given.defaults:
            refuse(function, "a function that reads the index of the task, and is used twice")
        for use in uses:
            self._plan.replace(self._module, use, Code(self.index))
        names = ", ".join([*(a.arg for a in given.args), self.index])
        head = f"{function.name}({names})"
        self._plan.edits[self._module].append(RemoveParameters(function, head=head))
        assert isinstance(node, ast.Call)
        added = (f"{self.index}={self.index}",)
        self._plan.edits[self._module].append(AddKeywords(node, added))

    def _check_untainted(self, node: ast.AST) -> None:
        tainted = self._tainted()
        for inner in self._module.walk(node):
            if isinstance(inner, ast.Name) and inner.id in tainted and self._graph.is_here(inner):
                refuse(inner, f"`{inner.id}` of one worker is read by the graph of all")

    def _tainted(self) -> set[str]:
        """Returns the names that are computed of the index of the task above the session."""
        found: set[str] = set()
        for leaf in self._graph.leaves:
            if not isinstance(leaf, ast.stmt) or self._graph.kinds[leaf] is not Kind.PLAIN:
                continue
            names = {n.id for n in self._module.walk(leaf) if isinstance(n, ast.Name)}
            if self.reads_task(leaf) or names & found:
                found.update(assigned(self._module, leaf))
        return found

    def reads_task(self, node: ast.AST) -> bool:
        """Says whether code reads the index of the task, or what is computed of it."""
        return any(True for _ in self._task_uses(node))

    def _task_uses(self, node: ast.AST) -> Iterator[ast.expr]:
        for inner in self._module.walk(node):
            if not isinstance(inner, (ast.Name, ast.Attribute)):
                continue
            if isinstance(inner.ctx, ast.Load) and identity(self._module, inner) == self._task:
                yield inner

    def divide(self, last: ast.stmt) -> None:
        """Makes a function of what follows the graph, which is called for each worker.

        Args:
            last: the last statement of the graph.

        Raises:
            Refusal: it does not mean the same in a function that several threads call.
        """
        region = self._region(last)
        moved = self._moved(region)
        self._check_graph(moved)
        check_loop(self._plan, self._graph, region, moved)
        name = free_name(self._module, "work", "loop_of_worker")
        for place in (*region, *moved):
            for use in self._task_uses(place):
                if not self._plan.is_removed(use):
                    self._plan.replace(self._module, use, Code(self.index))
        for leaf in reversed(moved):  # each is put above the one before it
            assert isinstance(leaf, ast.Assign)
            self._plan.edits[self._module].append(InsertBefore(region[0], self._assignment(leaf)))
        self._plan.edits[self._module].append(
            StatementsToFunction(
                region[0],
                region[-1],
                (),
                f"def {name}({self.index}):",
                "",
                (Code(f"{self.workers}.run({name})"),),
            )
        )

    def _assignment(self, leaf: ast.Assign) -> Code:
        """Returns an assignment as code for another place, and removes it from its own."""
        self._plan.drop(self._module, leaf, (leaf.value,))
        targets = " = ".join(ast.unparse(target) for target in leaf.targets)
        return Code(f"{targets} = {{0}}", (leaf.value,))

    def _region(self, last: ast.stmt) -> list[ast.stmt]:
        """Returns the statements that follow the graph, which end the function of the session."""
        module, session = self._module, self._graph.session
        around = [last, *module.ancestors(last)]
        child: ast.AST = session
        for outer in module.ancestors(session):
            for _, block in ast.iter_fields(outer):
                if not isinstance(block, list) or child not in block:
                    continue
                above = [i for i, s in enumerate(block) if s in around]
                if above and isinstance(block[above[0]], ast.stmt):
                    found = block[above[0] + 1 :]
                    self._check_end(outer, block)
                    return found
            child = outer
        refuse(session, "the session is not in the block of the graph, or below it")

    def _check_end(self, outer: ast.AST, block: Sequence[ast.stmt]) -> None:
        """Refuses statements that follow the block in the function of the session."""
        while outer is not self._graph.home:
            parent = self._module.parent(outer)
            if isinstance(outer, (ast.For, ast.While, ast.Try)):
                refuse(outer, "the session is in a loop, or in a `try`")
            for _, lines in ast.iter_fields(parent):
                if isinstance(lines, list) and outer in lines and lines[-1] is not outer:
                    refuse(lines[lines.index(outer) + 1], "a statement below those of the workers")
            outer = parent

    def _moved(self, region: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Returns assignments above that only the loop of a worker reads, in order."""
        found: list[ast.stmt] = []
        for leaf in reversed(self._graph.leaves):
            if leaf in region or self._graph.kinds[leaf] is not Kind.PLAIN:
                continue
            if not isinstance(leaf, ast.Assign) or self._plan.is_removed(leaf):
                continue
            if isinstance(leaf.value, ast.Constant):
                continue
            names = set(assigned(self._module, leaf))
            users = [n for n in self._loads(names) if not self._plan.is_removed(n)]
            places = (*region, *found)
            inside = [n for n in users if any(n in self._within(place) for place in places)]
            if inside and (len(inside) == len(users) or self.reads_task(leaf)):
                if len(inside) != len(users):
                    outside = next(n for n in users if n not in inside)
                    refuse(outside, f"`{outside.id}` of one worker is read by the graph of all")
                if self._follows_server(leaf):
                    found.insert(0, leaf)
        return found

    def _follows_server(self, leaf: ast.stmt) -> bool:
        """Says whether a statement may move below the server, which it does not make."""
        return not any(node is self._server for node in self._module.walk(leaf))

    def _within(self, place: ast.AST) -> set[ast.AST]:
        return set(self._module.walk(place))

    def _loads(self, names: set[str]) -> Iterator[ast.Name]:
        for node in self._module.all(ast.Name, self._graph.home):
            if node.id in names and isinstance(node.ctx, ast.Load) and self._graph.is_here(node):
                yield node

    def _check_graph(self, moved: Sequence[ast.stmt]) -> None:
        """Refuses a graph that differs between workers."""
        for leaf in self._graph.leaves:
            if leaf in moved or self._plan.is_removed(leaf):
                continue
            if self._graph.kinds[leaf] in (Kind.PLAIN, Kind.BATCH):
                continue
            for use in self._task_uses(leaf):
                if not self._plan.is_removed(use):
                    refuse(use, "the graphs of the workers differ by the index of the task")
            if not self._plan.is_removed(leaf):
                self._check_untainted(leaf)
