"""One program of a session: the graph becomes functions, the runs become calls of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

from tfmigrate.families.device_setter.synchrony import Synchrony, synchrony
from tfmigrate.families.native.conversion import (
    REPEATED,
    Conversion,
    called,
    free_name,
    refuse,
)
from tfmigrate.families.native.optimizers import convert_optimizer
from tfmigrate.families.native_steps.asynchronous import AsynchronousCluster
from tfmigrate.families.native_steps.batches import convert_batches
from tfmigrate.families.native_steps.callees import find_early
from tfmigrate.families.native_steps.checks import (
    check_changes,
    check_state,
    check_training,
)
from tfmigrate.families.native_steps.clusters import SERVER, Cluster
from tfmigrate.families.native_steps.counters import convert_steps
from tfmigrate.families.native_steps.fetched_batches import (
    check_only_fetched,
    convert_fetched,
    fetches_batches,
)
from tfmigrate.families.native_steps.flagged import SYNC, drop_empty
from tfmigrate.families.native_steps.functions import functions_of
from tfmigrate.families.native_steps.graph import INITS, Graph, Kind, assigned
from tfmigrate.families.native_steps.inline import convert_inline
from tfmigrate.families.native_steps.late import find_late
from tfmigrate.families.native_steps.moving_averages import convert_averages, read_averages
from tfmigrate.families.native_steps.own_collections import OwnCollections
from tfmigrate.families.native_steps.regions import region_of
from tfmigrate.families.native_steps.run_calls import convert_run
from tfmigrate.families.native_steps.runs import Run, read_run
from tfmigrate.families.native_steps.sessions import SessionPart
from tfmigrate.families.native_steps.steps import (
    Steps,
    check_reads,
    in_indentation,
    name_functions,
)
from tfmigrate.families.native_steps.summaries import Summaries
from tfmigrate.families.native_steps.tensor_code import STORE, TensorCode
from tfmigrate.families.native_steps.training import Training, read_training
from tfmigrate.families.native_steps.variables import Variables
from tfmigrate.model.edits import Code, RemoveWithItem
from tfmigrate.resolve.calls import argument, has_star_arguments
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.syntax import is_text
from tfmigrate.tables.native.tensor_functions import LOOKUPS

_MOVED = (Kind.VARIABLE, Kind.PLAIN, Kind.OPTIMIZER, Kind.RATE, Kind.PLACEHOLDER)
_REMOVED = (Kind.STEP, Kind.INIT, Kind.CONFIG, Kind.SUMMARY, Kind.SHOWN, Kind.OPERATION)
_RESETS = tuple(
    f"tensorflow.{package}reset_default_graph" for package in ("", "python.framework.ops.")
)
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_BLOCKS = (ast.For, ast.While, ast.If, ast.Try)


def _configures(call: ast.Call, done: ast.expr) -> bool:
    """Says whether a statement only makes a call, or runs the operation that it returns."""
    if isinstance(done, ast.Call) and isinstance(done.func, ast.Attribute) and not done.args:
        return done is call or (done.func.attr == "run" and done.func.value is call)
    return done is call


class SessionConversion:
    """Plans the conversion of one program."""

    def __init__(self, plan: Conversion, module: Module, session: ast.Call) -> None:
        self._plan = plan
        self._module = module
        home = module.function(session)
        if isinstance(home, ast.AsyncFunctionDef):
            refuse(home, "the session is in an asynchronous function")
        self._graph = Graph(plan, module, home, module.statement(session))
        self._code = TensorCode(plan, module, self._graph.summaries)
        self._variables = Variables(plan, self._graph, self._code)
        self._collections = OwnCollections(plan, self._graph)

    def convert(self) -> None:
        """Plans the edits.

        Raises:
            Refusal: something has no successor.
        """
        graph, module = self._graph, self._module
        training = read_training(graph)
        part = SessionPart(self._plan, graph)
        optimizer = training.name or free_name(module, "optimizer", "keras_optimizer")
        summaries = Summaries(self._plan, graph, part.runs(), optimizer)
        if not self._plan.unwritten:
            summaries.convert()
        late = find_late(graph, part.runs())
        for unread in graph.of(Kind.LATE):
            if all(unread not in group.leaves for group in late):
                self._plan.remove(module, unread)
        tensors = graph.of(Kind.TENSOR)
        self._check_assigned_once(tensors)
        check_training(graph, training)
        runs = [read_run(graph, call) for call in part.runs()]
        if not any(run.trains for run in runs):
            refuse(graph.session, "no run of this session trains")
        batches = graph.of(Kind.BATCH)
        steps = Steps(
            graph,
            training,
            optimizer,
            free_name(module, "model", "forward", "compute"),
            free_name(module, "train_step", "training_step", "step_function"),
            self._parameters(runs, batches),
        )
        fed = bool(graph.of(Kind.PLACEHOLDER))
        if batches and late and not fed:
            refuse(late[0].leaves[0], "a tensor is made below the session, and reads the Dataset")
        if not batches or fed:
            steps.early, steps.late = find_early(graph, runs, steps.parameters, late), late
        name_functions(steps, runs)
        steps.averages = read_averages(graph, training, runs)
        self._remove(graph.of(*_REMOVED))
        for call in module.calls_of(*_RESETS, *INITS):
            done = module.statement(call)
            if isinstance(done, ast.Expr) and _configures(call, done.value):
                self._plan.remove(module, done)
        kept: list[ast.expr] = [] if training.name else [training.made]
        kept += [training.applied] if training.applied is not None else []
        self._plan.drop(module, training.leaf, kept)
        cluster = self._cluster()
        if isinstance(cluster, AsynchronousCluster):
            steps.strategy, steps.workers = cluster.strategy, cluster.workers
            steps.index = cluster.index
            cluster.convert()
        elif cluster is not None:
            leaf = training.leaf.value
            assert isinstance(leaf, ast.Call) and isinstance(leaf.func, ast.Attribute)
            if called(module, graph.value_of(leaf.func.value)) not in SYNC:
                refuse(leaf, "the optimizer that trains is not the one that synchronizes")
            steps.strategy = cluster.strategy
            cluster.convert()
        if steps.averages is not None and cluster is not None:
            refuse(steps.averages.leaf, "moving averages of several workers")
        workers = cluster if isinstance(cluster, AsynchronousCluster) else None
        found = convert_batches(
            self._plan, graph, self._code, workers, replicated=cluster is not None
        )
        steps.batches, steps.fetched = (None, found) if fed else (found, None)
        self._placeholders()
        self._variables.convert()
        steps.model_begins = self._collections.convert(late)
        if steps.model_begins and steps.early is not None:
            refuse(
                steps.early.first, "a run needs a part of the model only, and it has collections"
            )
        self._code.convert([*tensors, *(leaf for group in late for leaf in group.leaves)])
        self._gradients(training)
        steps.counts = convert_steps(self._plan, steps, self._code.functions)
        self._check_functions()
        check_changes(graph, self._code.functions)
        if self._code.stores and summaries.reads_steps:
            refuse(graph.session, "a summary of the learning rate, and functions of variables")
        steps.sparse = self._optimizer(training.made) and cluster is not None
        steps.trained = free_name(module, "trainable_variables", "trained_variables")
        for run in runs:
            if fetches_batches(steps, run):
                convert_fetched(self._plan, steps, run)
            elif run.inline is not None:
                convert_inline(self._plan, self._code, steps, run)
            else:
                convert_run(self._plan, steps, run)
        part.convert(steps)
        if isinstance(cluster, Cluster):
            cluster.remove_blocks()
        drop_empty(self._plan, module, graph.home)
        last = self._move(steps, tensors)
        if isinstance(cluster, AsynchronousCluster):
            cluster.divide(last)
        computed = [*tensors, *(leaf for group in late for leaf in group.leaves)]
        given = graph.pipeline.statements() if graph.pipeline is not None else ()
        inside = {node for leaf in (*computed, *given) for node in module.walk(leaf)}
        names = {name for leaf in computed for name in assigned(module, leaf)}
        names |= self._batch_names()
        check_reads(graph, self._plan, inside, names)
        self._remove_functions()

    def check_state(self) -> None:
        """Refuses a program whose variables, or whose graph, change in ways that are not followed.

        Raises:
            Refusal: they do.
        """
        check_state(self._graph, self._code.functions)
        self._variables.check_shared()

    def _gradients(self, training: Training) -> None:
        """Moves the statements of gradients into the training step."""
        for leaf in self._graph.of(Kind.GRADIENT):
            self._gradient(leaf, training)
        if training.applied is not None:
            self._code.convert([training.applied])

    def _gradient(self, leaf: ast.stmt, training: Training) -> None:
        """Moves a statement of gradients; the one that computes them becomes that of a tape."""
        assert isinstance(leaf, ast.Assign)
        if leaf.value is training.computed:
            self._plan.remove(self._module, leaf)
            return
        self._plan.drop(self._module, leaf, (leaf.value,))
        self._code.convert([leaf.value])

    def _cluster(self) -> Cluster | AsynchronousCluster | None:
        servers = self._module.calls_of(SERVER)
        if not servers and self._module.calls_of(*SYNC):
            refuse(self._module.calls_of(*SYNC)[0], "synchronous workers without a server")
        if len(servers) > 1:
            refuse(servers[1], "the program has several servers")
        if not servers:
            return None
        found = self._plan.program.once(synchrony, self._module)
        if found.synchrony is Synchrony.NEVER:
            return AsynchronousCluster(self._plan, self._graph, servers[0])
        return Cluster(self._plan, self._graph, servers[0])

    def _check_assigned_once(self, tensors: Sequence[ast.stmt]) -> None:
        """Refuses names of which the function would read another value than the graph did."""
        graph = self._graph
        own = {name for leaf in tensors for name in assigned(self._module, leaf)}
        within = {node for leaf in graph.leaves for node in self._module.walk(leaf)}
        read = {
            node.id
            for leaf in tensors
            for node in self._module.walk(leaf)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        self._check_stores(read - own - self._batch_names(), within)

    def _batch_names(self) -> set[str]:
        """Returns the names of a batch, which are parameters, unless they are set below it."""
        found = set[str]()
        for leaf in self._graph.of(Kind.BATCH):
            place = self._module.position(leaf)
            below = {
                node.id
                for node in self._module.all(ast.Name, self._graph.home)
                if isinstance(node.ctx, ast.Store)
                and self._graph.is_here(node)
                and self._module.position(self._module.statement(node)) > place
            }
            found |= set(assigned(self._module, leaf)) - below
        return found

    def _check_stores(self, names: Set[str], within: Set[ast.AST]) -> None:
        """Refuses names that are assigned several times, or below the graph."""
        stores: dict[str, list[ast.Name]] = {}
        for node in self._module.all(ast.Name, self._graph.home):
            if isinstance(node.ctx, ast.Store) and self._graph.is_here(node):
                stores.setdefault(node.id, []).append(node)
        for name in sorted(names & stores.keys()):
            first, *others = stores[name]
            if others or first not in within:
                refuse(others[0] if others else first, f"`{name}` of the graph is set anew")

    def _check_functions(self) -> None:
        """Refuses functions of the graph that read names which change."""
        read = {
            node.id
            for function in self._code.functions
            for node in self._module.all(ast.Name, function)
            if isinstance(node.ctx, ast.Load) and self._graph.is_here(node)
        }
        self._check_stores(read, set(self._module.walk(self._graph.home)))
        for function in self._code.functions:
            for node in self._module.all(ast.Name, function):
                if self._graph.kind_of(node) in (Kind.PLACEHOLDER, Kind.TENSOR, Kind.BATCH):
                    refuse(node, f"a function reads the tensor `{node.id}`", "pass it to it")

    def _parameters(self, runs: Sequence[Run], batches: Sequence[ast.stmt]) -> list[str]:
        placeholders = [
            n for s in self._graph.of(Kind.PLACEHOLDER) for n in assigned(self._module, s)
        ]
        if batches and placeholders:
            check_only_fetched(self._graph)
        elif batches:
            return [name for leaf in batches for name in assigned(self._module, leaf)]
        first = next(run for run in runs if run.trains)
        order = list(first.feeds)
        if set(order) != set(placeholders):
            refuse(first.call, "a training step does not feed all placeholders")
        return order

    def _remove(self, leaves: Sequence[ast.stmt]) -> None:
        for leaf in leaves:
            if self._graph.kinds[leaf] is Kind.SUMMARY and self._plan.unwritten:
                self._plan.unsafe.append((self._module, leaf, self._plan.unwritten))
            if self._graph.kinds[leaf] is Kind.SHOWN:
                self._plan.unsafe.append((self._module, leaf, "a tensor of the graph is not shown"))
            if self._graph.kinds[leaf] is Kind.STEP:
                self._check_counter(leaf)
            self._plan.remove(self._module, leaf)

    def _remove_functions(self) -> None:
        """Removes functions that only write summaries, where nothing else calls them."""
        for function in self._graph.summaries.functions:
            named = [n for n in self._module.all(ast.Name) if n.id == function.name]
            if all(self._plan.is_removed(node) for node in named):
                self._plan.remove(self._module, function)

    def _check_counter(self, leaf: ast.stmt) -> None:
        """Refuses a global step that does not begin at 0."""
        value = leaf.value if isinstance(leaf, ast.Assign) else None
        name = called(self._module, value)
        if not isinstance(value, ast.Call) or name not in (
            "tensorflow.Variable",
            "tensorflow.get_variable",
        ):
            return
        start = argument(value, 0, "initial_value")
        if name.endswith("get_variable"):
            start = argument(value, 3, "initializer")
            if called(self._module, start).endswith("zeros_initializer"):
                return
            start = argument(start, 0, "value") if isinstance(start, ast.Call) else start
        if not isinstance(start, ast.Constant) or start.value != 0:
            refuse(leaf, "the global step does not begin at 0")

    def _placeholders(self) -> None:
        for leaf in self._graph.of(Kind.PLACEHOLDER):
            assert isinstance(leaf, ast.Assign) and isinstance(leaf.value, ast.Call)
            call = leaf.value
            if has_star_arguments(call):
                refuse(call, "the arguments of a placeholder")
            dtype, shape = argument(call, 0, "dtype"), argument(call, 1, "shape")
            name = argument(call, 2, "name")
            if dtype is None:
                refuse(call, "a placeholder without a type")
            parts, texts = [dtype], ["None", "{0}"]
            if shape is not None:
                parts.append(shape)
                texts[0] = "{1}"
            if isinstance(shape, ast.Constant) and shape.value is None:
                texts[0] = "{1}"
            if isinstance(name, ast.Constant):
                parts.append(name)
                texts.append(f"name={{{len(parts) - 1}}}")
            function = call.func
            root = function.value if isinstance(function, ast.Attribute) else None
            if not isinstance(root, ast.Name):
                refuse(call, "a placeholder whose function is not written as one of TensorFlow")
            target = f"{root.id}.TensorSpec"
            self._plan.replace(self._module, call, Code(target, tuple(parts), tuple(texts)))

    def _optimizer(self, made: ast.Call) -> bool:
        """Converts the optimizer; says whether gradients of embeddings are sparse."""
        nodes = [
            n for leaf in self._graph.of(Kind.TENSOR) for n in self._module.all(ast.Call, leaf)
        ]
        nodes += [n for f in self._code.functions for n in self._module.all(ast.Call, f)]
        lookups = [node for node in nodes if called(self._module, node) in LOOKUPS]
        sparse = bool(lookups)
        for leaf in self._graph.of(Kind.STEP):
            if isinstance(leaf, ast.Assign):
                self._plan.counters.add(leaf.value)
        if sparse and self._module.calls_of(*SYNC):
            self._check_lookups(lookups, nodes)
            self._plan.write_out(self._module, "worker_average")
        convert_optimizer(self._plan, self._module, made, sparse)
        return sparse

    def _check_lookups(self, lookups: Sequence[ast.Call], nodes: Sequence[ast.Call]) -> None:
        """Refuses rows of several lookups: workers average them in the order of the gradient."""
        reason = "workers average the rows of several lookups, in an order that is not known"
        if len(lookups) > 1:
            refuse(lookups[1], reason)
        function = self._module.function(lookups[0])
        named = [n for n in self._module.all(ast.Name) if n.id == getattr(function, "name", "")]
        loops = [a for a in self._module.ancestors(lookups[0]) if isinstance(a, REPEATED)]
        if loops or len(named) > 1 or (function is not self._graph.home and not named):
            refuse(lookups[0], reason)
        if function is not self._graph.home:
            calls = [node for node in nodes if node.func in named]
            around = [a for node in calls for a in self._module.ancestors(node)]
            if len(calls) != 1 or any(isinstance(a, REPEATED) for a in around):
                refuse(lookups[0], reason)
            if self._module.function(calls[0]) is not self._graph.home:
                refuse(lookups[0], reason)

    def _move(self, steps: Steps, tensors: Sequence[ast.stmt]) -> ast.stmt:
        """Plans the function that the tensors' statements become; returns the last of the graph."""
        kinds = (Kind.OPTIMIZER, Kind.RATE, Kind.GRADIENT)
        made = [*self._graph.of(*kinds), steps.training.leaf]
        for batch in self._graph.of(Kind.BATCH) if not steps.strategy else ():
            # An optimizer above what gives the batches stays there.
            place = self._module.position(batch)
            made = [leaf for leaf in made if self._module.position(leaf) > place]
        first, last = self._region([*tensors, *made])
        if steps.strategy:
            self._check_scope([first, *self._graph.of(Kind.VARIABLE)])
        start, end = self._module.position(first), last.end_lineno or 0
        before: list[Code] = []
        savers: list[Code] = []
        for leaf in self._graph.leaves:
            inside = start <= self._module.position(leaf) and leaf.lineno <= end
            early = self._graph.kinds[leaf] is Kind.SAVER and self._module.position(leaf) < start
            if not (inside or early) or leaf in tensors or self._plan.is_removed(leaf):
                continue
            if is_text(leaf):
                continue
            if self._graph.kinds[leaf] in _MOVED:
                before.append(self._hoisted(leaf))
            elif self._graph.kinds[leaf] is Kind.SAVER:
                savers.append(self._hoisted(leaf))
            else:
                refuse(leaf, "a statement between those of the graph")
        for run in self._graph.skipped:
            inside = start <= self._module.position(run) and run.lineno <= end
            if inside and not self._plan.is_removed(run):
                refuse(run, "the session is used between the statements of the graph")
        after = [*self._following(steps), *savers]
        for statement in self._module.all(ast.stmt, self._graph.home):
            here = self._module.function(statement) is self._graph.home
            inside = start < self._module.position(statement) and statement.lineno <= end
            if here and inside and isinstance(statement, _DEFINITIONS):
                refuse(statement, "a definition between the statements of the graph")
        self._scopes(tensors)
        self._plan.edits[self._module] += functions_of(steps, first, last, before, after)
        return last

    def _check_scope(self, statements: Sequence[ast.stmt]) -> None:
        """Refuses variables that would be made outside of the scope of the strategy."""
        for statement in statements:
            around = [a for a in self._module.ancestors(statement) if isinstance(a, ast.With)]
            items = {item for block in around for item in block.items}
            if not items & self._graph.kept_items:
                refuse(statement, "a part of the graph is outside of the replica_device_setter")

    def _hoisted(self, leaf: ast.stmt) -> Code:
        """Returns a statement as code for another place, and removes it from its own."""
        if isinstance(leaf, ast.Expr):
            self._plan.drop(self._module, leaf, (leaf.value,))
            return Code("{0}", (leaf.value,))
        if isinstance(leaf, ast.Assign) and len(leaf.targets) == 1:
            self._plan.drop(self._module, leaf, (leaf.value,))
            return Code(f"{ast.unparse(leaf.targets[0])} = {{0}}", (leaf.value,))
        refuse(leaf, "a statement between those of the graph")

    def _following(self, steps: Steps) -> Iterator[Code]:
        training = steps.training
        made = Code(f"{steps.optimizer} = {{0}}", (training.made,))
        if steps.counts and not training.name:
            yield made  # the model reads its count
        if self._code.stores:
            given = steps.given
            if steps.batches is not None:
                given = steps.batches.spec("0" if steps.workers else "")
            text = f"tf.function({steps.model}).get_concrete_function({given})"
            yield Code(f"{text}  # makes the variables")
        if self._graph.of(Kind.VARIABLE):
            names = ", ".join(self._variables.trained())
            yield Code(f"{steps.trained} = [{names}]")
        else:
            yield Code(f"{steps.trained} = {STORE}.trainable_variables")
        if not steps.counts and not training.name:
            yield made
        yield Code(f"{steps.optimizer}.build({steps.trained})")
        yield from convert_averages(self._plan, steps)
        for code in steps.definitions():
            yield in_indentation(self._module, code)

    def _region(self, tensors: Sequence[ast.stmt]) -> tuple[ast.stmt, ast.stmt]:
        return region_of(self._module, tensors, "the graph is built in several branches")

    def _scopes(self, tensors: Sequence[ast.stmt]) -> None:
        """Removes the scopes of the graph, and blocks that are empty now."""
        for scope in self._graph.scopes:
            inner = [s for s in self._graph.leaves if scope in self._module.ancestors(s)]
            functions = [s for s in scope.body if isinstance(s, ast.FunctionDef)]
            gone = all(self._plan.is_removed(s) for s in inner) and not functions
            holds_session = any(n is self._graph.session for n in self._module.walk(scope))
            if gone and not holds_session:
                self._plan.drop(self._module, scope, self._kept_in(inner))
                continue
            inside = [s for s in inner if s in tensors]
            removed = [item for item in scope.items if not self._keeps_scope(item, inside)]
            if removed:
                first, *others = removed
                edit = RemoveWithItem(scope, first, tuple(others))
                self._plan.edits[self._module].append(edit)

    def _kept_in(self, inner: Sequence[ast.stmt]) -> list[ast.AST]:
        return [n for s in inner for n in self._module.walk(s) if not self._plan.is_removed(n)]

    def _keeps_scope(self, item: ast.withitem, tensors: Sequence[ast.stmt]) -> bool:
        """Makes a scope of variables one of the store; says whether it is one."""
        if item in self._graph.kept_items:
            return True
        name = called(self._module, item.context_expr)
        if (
            name == "tensorflow.variable_scope"
            and tensors
            and self._code.stores
            and self._code.scope_of_variables(item)
        ):
            return True
        if isinstance(item.optional_vars, ast.Name):
            self._code.check_unused(item.optional_vars)
        self._plan.leave_out(self._module, item)
        return False
