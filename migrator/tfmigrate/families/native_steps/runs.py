"""What a session runs: which calls of ``run`` train, what they fetch and what they feed."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tfmigrate.families.native.conversion import refuse
from tfmigrate.families.native_steps.graph import Graph, Kind
from tfmigrate.resolve.calls import argument

STEP_OF_TRAINING = "the step"


@dataclass
class Run:
    """One call of ``session.run``, or of ``eval``.

    Attributes:
        call: the call.
        fetches: what it fetches, without the operations.
        several: whether they are fetched as a list or tuple.
        positions: the place of each fetch in that list.
        count: how many elements the list has.
        trains: whether it runs the training operation.
        feeds: what it feeds, by the name of the placeholder; None where a variable holds it.
        held: the dictionary that a variable holds.
        initializes: whether it runs an operation that initializes.
        inline: an expression of tensors that it fetches; None where that has a name.
    """

    call: ast.Call
    fetches: list[ast.expr] = field(default_factory=list)
    several: bool = False
    positions: list[int] = field(default_factory=list)
    count: int = 1
    trains: bool = False
    feeds: dict[str, ast.expr] = field(default_factory=dict)
    held: ast.Dict | None = None
    initializes: bool = False
    inline: ast.expr | None = None


def read_run(graph: Graph, call: ast.Call) -> Run:
    """Reads one call of ``session.run``.

    Raises:
        Refusal: it fetches or feeds in a form that is not followed.
    """
    fetched = argument(call, 0, "fetches")
    extra = [k for k in call.keywords if k.arg not in ("fetches", "feed_dict")]
    if fetched is None or extra or len(call.args) > 2:
        refuse(call, f"the arguments of `{ast.unparse(call.func)}`")
    run = Run(call)
    elements = [fetched]
    if isinstance(fetched, (ast.List, ast.Tuple)):
        run.several, elements = True, list(fetched.elts)
        run.count = len(elements)
    for position, element in enumerate(elements):
        _add_fetch(graph, run, position, element)
    _read_feeds(graph, run, argument(call, 1, "feed_dict"))
    return run


def _add_fetch(graph: Graph, run: Run, position: int, element: ast.expr) -> None:
    kind = graph.kind_of(element)
    if kind in (Kind.TRAINING, Kind.OPERATION):
        run.trains = True
    elif kind is Kind.INIT or is_init(graph, element):
        run.initializes = True
    elif kind is Kind.SUMMARY:
        return
    elif kind in (Kind.TENSOR, Kind.LATE, Kind.STEP, Kind.VARIABLE, Kind.GRADIENT, Kind.BATCH):
        run.fetches.append(element)
        run.positions.append(position)
    elif not run.several and not isinstance(element, (ast.Name, ast.Attribute, ast.Constant)):
        tensor = fetched_tensor(graph, element)
        run.inline = element
        run.fetches += [tensor] if tensor is not None else []
    else:
        refuse(
            element, f"`{ast.unparse(element)[:60]}` is fetched, which is no tensor of the graph"
        )


def fetched_tensor(graph: Graph, node: ast.expr) -> ast.Name | None:
    """Returns the one tensor of the graph that a fetched expression reads; None for none.

    Raises:
        Refusal: it reads several, or is no expression of TensorFlow.
    """
    reason = f"`{ast.unparse(node)[:60]}` is fetched, which is no tensor of the graph"
    names = [n for n in graph.module.walk(node) if isinstance(n, ast.Name)]
    kinds = {n: graph.kind_of(n) for n in names}
    known = (Kind.PLAIN, Kind.VARIABLE, Kind.TENSOR, Kind.LATE)
    tensors = [n for n in names if kinds[n] in (Kind.TENSOR, Kind.LATE)]
    made = isinstance(node, ast.Call) and (graph.module.resolve(node.func) or "").startswith(
        "tensorflow."
    )
    computed = bool(tensors) and isinstance(node, ast.BinOp)
    if any(kind not in known for kind in kinds.values()) or len(tensors) > 1:
        refuse(node, reason)
    if not (made or computed) or any(isinstance(n, ast.Lambda) for n in ast.walk(node)):
        refuse(node, reason)
    return tensors[0] if tensors else None


def is_init(graph: Graph, node: ast.expr) -> bool:
    """Says whether an expression is an operation that initializes."""
    name = graph.module.resolve(node.func) if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and name == "tensorflow.group" and node.args:
        return all(graph.kind_of(n) is Kind.INIT or is_init(graph, n) for n in node.args)
    return bool(name) and str(name).endswith(("_initializer", "initialize_all_variables"))


def _read_feeds(graph: Graph, run: Run, given: ast.expr | None) -> None:
    if given is None:
        return
    if isinstance(given, ast.Name):
        run.held = _held(graph, given)
        given = run.held
    if not isinstance(given, ast.Dict):
        refuse(given, "what is fed is not written out as a dictionary")
    for key, value in zip(given.keys, given.values, strict=True):
        if key is None or graph.kind_of(key) is not Kind.PLACEHOLDER:
            refuse(key or value, "what is fed is not a placeholder of this function")
        assert isinstance(key, ast.Name)
        run.feeds[key.id] = value


def _held(graph: Graph, name: ast.Name) -> ast.Dict:
    """Returns the dictionary that is assigned to a name right for one run."""
    module = graph.module
    found = module.names.scope_of[name].lookup(name.id)
    scope, bindings = found or (None, [])
    values = [getattr(b, "value", None) for b in bindings]
    dictionaries = [v for v in values if isinstance(v, ast.Dict)]
    above = [v for v in dictionaries if module.position(v) < module.position(name)]
    uses = [
        n
        for n in module.all(ast.Name, graph.home)
        if n.id == name.id
        and isinstance(n.ctx, ast.Load)
        and (module.names.scope_of[n].lookup(n.id) or (None,))[0] is scope
    ]
    if len(dictionaries) != len(values) or len(above) != 1 or len(values) != 1:
        refuse(name, f"`{name.id}`, which is fed, is not assigned once as a dictionary")
    for use in uses:
        parent = module.parent(use)
        fed = isinstance(parent, ast.keyword) and parent.arg == "feed_dict"
        positional = isinstance(parent, ast.Call) and use in parent.args[1:2]
        if not fed and not positional:
            refuse(use, f"`{name.id}`, which is fed, is used in another way")
    return above[0]
