"""Synchronous workers of a cluster become those of a MultiWorkerMirroredStrategy."""

from __future__ import annotations

import ast

from tfmigrate.families.device_setter.sync_obstacles import obstacles
from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.families.native.conversion import Conversion, called, free_name, refuse
from tfmigrate.families.native.quotes import quoted
from tfmigrate.families.native_steps.flagged import (
    SYNC,
    check_other_way,
    drop_unused,
    opposite,
)
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.families.native_steps.steps import in_indentation
from tfmigrate.model.edits import Code, InsertBefore
from tfmigrate.resolve.calls import argument, has_star_arguments, same

SERVER = "tensorflow.train.Server"
_TOKENS = {"get_init_tokens_op": 0, "make_session_run_hook": 1}
_SETTER = "tensorflow.train.replica_device_setter"


class Cluster:
    """The cluster of one program.

    Attributes:
        strategy: the name of the strategy.
    """

    def __init__(self, plan: Conversion, graph: Graph, server: ast.Call) -> None:
        """Checks that the workers step together.

        Raises:
            Refusal: they do not, or not in a known form.
        """
        self._plan = plan
        self._graph = graph
        self._module = graph.module
        self._server = server
        found = plan.program.once(synchrony, self._module)
        self._condition = found.condition
        if found.synchrony is Synchrony.NEVER:
            refuse(server, "the workers of the cluster do not step together")
        if found.synchrony is Synchrony.FLAG and not graph.flagged:
            refuse(server, "the workers of the cluster may step together")
        for obstacle in obstacles(plan.program, self._module):
            raise obstacle
        self.strategy = free_name(self._module, "strategy", "worker_strategies")

    def convert(self) -> None:
        """Plans the edits of the server and of the device setter.

        Raises:
            Refusal: the server is used in another way.
        """
        self._tokens()
        self._wrappers()
        self._make_strategy()
        self._scope()

    def _tokens(self) -> None:
        for call in self._module.all(ast.Call):
            if isinstance(call.func, ast.Attribute) and call.func.attr in _TOKENS:
                tokens = argument(call, _TOKENS[call.func.attr], "num_tokens")
                if not (isinstance(tokens, ast.Constant) and tokens.value == 0):
                    text = "workers ran ahead of each other by these tokens, and step together now"
                    self._plan.unsafe.append((self._module, call, text))

    def _wrappers(self) -> None:
        """Removes the optimizers that synchronize."""
        for call in self._module.calls_of(*SYNC):
            inner = argument(call, 0, "opt")
            statement = self._module.statement(call)
            if inner is None or not isinstance(statement, ast.Assign):
                refuse(call, "a SyncReplicasOptimizer that is not assigned")
            aggregated = argument(call, 1, "replicas_to_aggregate")
            total = argument(call, 2, "total_num_replicas")
            if aggregated is not None and (total is None or not same(aggregated, total)):
                text = "gradients of all workers are averaged, whatever `replicas_to_aggregate` is"
                self._plan.unsafe.append((self._module, call, text))
            if isinstance(inner, ast.Name):
                self._plan.remove(self._module, statement)
            else:
                self._plan.replace(self._module, call, Code("{0}", (inner,)))

    def _make_strategy(self) -> None:
        statement = self._module.statement(self._server)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name) or has_star_arguments(self._server):
            refuse(self._server, "a server that is not held by a variable")
        names = ("server_or_cluster_def", "job_name", "task_index")
        values = [argument(self._server, i, name) for i, name in enumerate(names)]
        given = [value for value in values if value is not None]
        known = len(self._server.args) + len(self._server.keywords)
        if len(given) != len(names) or known != len(names):
            refuse(self._server, "the arguments of the server")
        scope = self._module.names.scope_of[statement]
        if scope.node is not self._graph.home and scope.parent is not None:
            refuse(self._server, "the server is made in a different function than the session")
        made = Code(f"{self.strategy} = worker_strategy", tuple(given), ("{0}", "{1}", "{2}"))
        self._plan.replace_statement(self._module, statement, made)
        self._plan.write_out(self._module, "worker_strategy")
        self._plan.needs(self._module, "json", "os")
        for node in self._module.all(ast.Name):
            if node.id == target.id and isinstance(node.ctx, ast.Load):
                self._server_use(node)

    def _server_use(self, node: ast.Name) -> None:
        parent = self._module.parent(node)
        attribute = parent.attr if isinstance(parent, ast.Attribute) else ""
        statement = self._module.statement(node)
        if attribute == "join" and isinstance(statement, ast.Expr):
            block = [value for _, value in ast.iter_fields(self._module.parent(statement))]
            (lines,) = [b for b in block if isinstance(b, list) and statement in b]
            if isinstance(lines[-1], ast.Return) and lines[-2] is statement:
                self._plan.remove(self._module, statement)
                return
            self._plan.needs(self._module, "sys")
            self._plan.replace_statement(self._module, statement, Code("sys.exit()"))
        elif attribute != "target":
            refuse(node, "the server is used in another way than to join it")

    def _scope(self) -> None:
        """Makes the block of the device setter the scope of the strategy."""
        for scope in self._graph.scopes:
            for item in scope.items:
                device = item.context_expr
                if called(self._module, device) != "tensorflow.device":
                    continue
                assert isinstance(device, ast.Call)
                given = self._graph.value_of(device.args[0]) if device.args else device
                if called(self._module, given) == _SETTER:
                    self._plan.replace(self._module, device, Code(f"{self.strategy}.scope()"))
                    self._graph.kept_items.add(item)
                    if self._condition:
                        self._check_condition(scope)
                    return
        refuse(self._server, "the graph is not in the block of a replica_device_setter")

    def _check_condition(self, scope: ast.With) -> None:
        """Lets the program end with an error where it should not synchronize its workers."""
        text = "workers that do not step together raise an error, unless there is one only"
        self._plan.unsafe.append((self._module, scope, text))
        others = f"{self.strategy}.num_replicas_in_sync > 1"
        message = quoted(self._module, f"the workers step together: {self._condition} is needed")
        check = f"if {opposite(self._condition)} and {others}:\n\traise ValueError({message})"
        code = in_indentation(self._module, Code(check))
        self._plan.edits[self._module].append(InsertBefore(scope, code))

    def remove_blocks(self) -> None:
        """Removes what is left of the blocks that asked for synchrony, above the session.

        Raises:
            Refusal: something is left that belongs to one way only.
        """
        names = {n for n, kind in self._graph.names.items() if kind is Kind.OPTIMIZER}
        for block, taken in self._graph.flagged.items():
            if self._module.position(block) > self._module.position(self._graph.session):
                continue
            check_other_way(self._module, block, taken, names)
            for statement in (*block.body, *block.orelse):
                if statement not in taken:
                    self._plan.leave_out(self._module, statement)
            drop_unused(self._plan, self._module, block)
            if not self._plan.is_removed(block):
                left = [s for s in taken if not self._plan.is_removed(s)]
                refuse(left[0], "this is done for workers that step together only")
