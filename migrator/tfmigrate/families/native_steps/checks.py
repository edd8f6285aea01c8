"""What a function cannot do as the graph did: build again, or read a name that changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.families.native.conversion import called, refuse
from tfmigrate.families.native.steady import changed, check_steady, runs_once
from tfmigrate.families.native_steps.graph import INITS, Graph, Kind, assigned
from tfmigrate.families.native_steps.training import Training
from tfmigrate.resolve.module import Module

_OF_SOME = tuple(
    f"tensorflow.{name}"
    for name in ("variables_initializer", "initialize_variables", "report_uninitialized_variables")
)


def check_built_once(graph: Graph) -> None:
    """Refuses a graph that is built several times: its variables are those of the file.

    Raises:
        Refusal: it may be.
    """
    if not runs_once(graph.module, graph.session):
        refuse(graph.session, "the graph and its session may be made again")


def check_state(graph: Graph, functions: Sequence[ast.FunctionDef]) -> None:
    """Refuses what needs a graph of its own: to build or initialize again, or to read late.

    Raises:
        Refusal: something does.
    """
    module, tensors = graph.module, graph.of(Kind.TENSOR, Kind.COLLECTED, Kind.GRADIENT)
    check_built_once(graph)
    _check_initialized_once(graph)
    code = [(module, place) for place in (*tensors, *functions)]
    check_steady(graph.plan, code, (module, min(tensors, key=module.position)), graph.home)


def _check_initialized_once(graph: Graph) -> None:
    """Refuses to initialize variables again, or some of them: they have their values for good.

    Raises:
        Refusal: the program may do so.
    """
    module = graph.module
    for call in module.calls_of(*_OF_SOME):
        refuse(call, f"`{ast.unparse(call.func)}` initializes some variables")
    runs = [
        call
        for call in module.all(ast.Call)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("run", "restore")
        and any(isinstance(n, ast.Name) and n.id in _session_names(graph) for n in ast.walk(call))
    ]
    done: dict[str, ast.Call] = {}
    for call in sorted(module.all(ast.Call), key=module.position):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("run", "eval"):
            continue
        found = {name for node in ast.walk(call) for name in _initializers(graph, node)}
        if not found:
            continue
        if not runs_once(module, call, graph.home) or module.function(call) is not graph.home:
            refuse(call, "variables may be initialized again")
        earlier = [run for run in runs if run is not call and run not in done.values()]
        if found & done.keys() or any(_is_before(module, run, call) for run in earlier):
            refuse(call, "variables are initialized again")
        done.update(dict.fromkeys(found, call))


def _session_names(graph: Graph) -> list[str]:
    """Returns what the program calls its session."""
    held: list[ast.expr | None] = []
    if isinstance(graph.session, ast.Assign):
        held = list(graph.session.targets)
    elif isinstance(graph.session, ast.With):
        held = [item.optional_vars for item in graph.session.items]
    return [node.id for node in held if isinstance(node, ast.Name)]


def _initializers(graph: Graph, node: ast.AST) -> set[str]:
    """Returns what an expression initializes, by the names of the functions of TensorFlow."""
    if isinstance(node, ast.Name) and graph.names.get(node.id) is Kind.INIT:
        value = graph.values.get(node.id)
        inner = ast.walk(value) if value is not None else ()
        found = {called(graph.module, n).replace("initialize_all", "global") for n in inner}
        return {name.rpartition("_initializer")[0] or name for name in found if name} or {node.id}
    name = called(graph.module, node)
    if name not in INITS:
        return set()
    return {name.replace("initialize_all", "global").rpartition("_initializer")[0] or name}


def _is_before(module: Module, run: ast.Call, call: ast.Call) -> bool:
    """Says whether a run is above another, and not in another branch of a test."""
    if module.position(run) > module.position(call):
        return False
    around = dict(_branches(module, run))
    return all(around.get(a, b) is b for a, b in _branches(module, call))


def _branches(module: Module, node: ast.AST) -> Iterator[tuple[ast.If, list[ast.stmt]]]:
    inner: ast.AST = node
    for outer in module.ancestors(node):
        if isinstance(outer, ast.If):
            yield outer, outer.body if inner in outer.body else outer.orelse
        inner = outer


def check_training(graph: Graph, training: Training) -> None:
    """Refuses what a training step would compute of other values than the graph did.

    Raises:
        Refusal: something would be.
    """
    module = graph.module
    for leaf in graph.of(Kind.TENSOR):
        late = module.position(leaf) > module.position(training.leaf)
        if late and training.loss in assigned(module, leaf):
            refuse(leaf, f"`{training.loss}` is assigned again after it is minimized")
    for node in (*training.made.args, *(k.value for k in training.made.keywords)):
        _check_reads(
            graph, node, "the optimizer depends", Kind.PLACEHOLDER, Kind.TENSOR, Kind.VARIABLE
        )
    gradients = [leaf for leaf in graph.of(Kind.GRADIENT) if isinstance(leaf, ast.Assign)]
    applied = [] if training.applied is None else [training.applied]
    for node in [*(leaf.value for leaf in gradients), *applied]:
        if node is not training.computed:
            _check_reads(graph, node, "the gradients depend", Kind.TENSOR, Kind.BATCH, Kind.STEP)


def check_changes(graph: Graph, functions: Sequence[ast.FunctionDef]) -> None:
    """Refuses to change a list or another object that exists before a function is called.

    Raises:
        Refusal: each tracing of the function would change it again.
    """
    module = graph.module
    tensors = graph.of(Kind.TENSOR)
    own = {name for leaf in tensors for name in assigned(module, leaf)}
    for place in tensors:
        for name in changed(module, place):
            if name.id not in own:
                refuse(name, f"`{name.id}` is changed, and exists before a step is traced")
    for function in functions:
        for name in changed(module, function):
            found = module.names.scope_of[name].lookup(name.id)
            home = found[0].node if found is not None else module.tree
            if home is not function and function not in module.ancestors(home):
                refuse(name, f"`{name.id}` is changed, and exists before a step is traced")


def _check_reads(graph: Graph, node: ast.expr, what: str, *kinds: Kind) -> None:
    for inner in graph.module.walk(node):
        if isinstance(inner, ast.Name) and graph.kind_of(inner) in kinds:
            refuse(inner, f"{what} on the tensor `{inner.id}`")
