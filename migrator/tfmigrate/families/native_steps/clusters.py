"""Synchronous workers of a cluster become those of a MultiWorkerMirroredStrategy."""

from __future__ import annotations

import ast

from tfmigrate.families.device_setter.sync_obstacles import obstacles
from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.families.native.conversion import Conversion, called, refuse
from tfmigrate.families.native_steps.graph import SYNC, Graph
from tfmigrate.families.native_steps.steps import free_name
from tfmigrate.model.edits import Code
from tfmigrate.resolve.calls import argument, has_star_arguments

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
        if found.synchrony is not Synchrony.ALWAYS:
            how = (
                "do not step together"
                if found.synchrony is Synchrony.NEVER
                else "may step together"
            )
            refuse(server, f"the workers of the cluster {how}")
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
            target = statement.targets[0]
            if (
                isinstance(inner, ast.Name)
                and isinstance(target, ast.Name)
                and target.id == inner.id
            ):
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
                    return
        refuse(self._server, "the graph is not in the block of a replica_device_setter")
