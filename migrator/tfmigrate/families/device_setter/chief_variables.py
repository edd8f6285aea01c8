"""Variables that a synchronous program makes, or averages, on some of its workers only.

On parameter servers a variable of the chief's graph hurt nobody. Under MultiWorkerMirroredStrategy
each worker has a copy of every variable, so all must make the same: a program with
``if is_chief: averages.apply(losses)`` would stop at its start. The average of a tensor is that of
all workers there, who wait for each other in it: one that runs it alone would wait forever.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.device_setter.synchrony import Plan
from tfmigrate.families.device_setter.worker_conditions import WorkerConditions
from tfmigrate.families.towers.obstacles import functions_elsewhere, run_in_program
from tfmigrate.resolve.calls import argument, called, called_on
from tfmigrate.resolve.cluster_calls import SETTER
from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.origins import definition_of, origins
from tfmigrate.rulekit.basics import Module, Program, Refusal

_GRAPH = "tensorflow.Graph"
_AVERAGE = "tensorflow.train.ExponentialMovingAverage"
_VARIABLES = ("tensorflow.Variable", "tensorflow.train.create_global_step")
# With `reuse`, these take the variables that are there.
_SHARED = (
    "tensorflow.get_variable",
    "tensorflow.nn.bidirectional_dynamic_rnn",
    "tensorflow.nn.dynamic_rnn",
    "tensorflow.nn.static_rnn",
    *(
        f"tensorflow.contrib.{package}.{name}"
        for package in ("framework", "slim")
        for name in ("model_variable", "variable")
    ),
    *(
        f"tensorflow.contrib.{package}.{name}"
        for package in ("layers", "slim")
        for name in (
            "batch_norm", "bias_add", "conv2d", "conv2d_transpose", "conv3d", "convolution",
            "convolution2d", "embed_sequence", "fully_connected", "layer_norm", "linear", "relu",
            "repeat", "separable_conv2d", "stack",
        )
    ),
    *(
        f"tensorflow.layers.{name}"
        for name in (
            "batch_normalization", "conv1d", "conv2d", "conv2d_transpose", "conv3d",
            "conv3d_transpose", "dense", "separable_conv1d", "separable_conv2d",
        )
    ),
)  # fmt: skip
_LISTS = (
    "tensorflow.Variable", "tensorflow.get_variable", "tensorflow.global_variables",
    "tensorflow.model_variables", "tensorflow.moving_average_variables",
    "tensorflow.trainable_variables",
)  # fmt: skip
_OF_OPTIMIZERS = ("apply_gradients", "minimize")
_LEAVES = (ast.Return, ast.Continue, ast.Break)


@dataclass(frozen=True)
class _Place:
    """Code that is run; and whether the variables of the scope are there already."""

    module: Module
    node: ast.AST
    reuses: bool


def variables_of_some_workers(program: Program, plan: Plan) -> Iterator[Refusal]:
    """Yields a variable, or an average, under each condition that holds on some workers only.

    Args:
        plan: how the program synchronizes its workers.
    """
    conditions = WorkerConditions(program, plan.files)
    reported: set[ast.expr] = set()
    for module in plan.files:
        nodes: list[ast.If | ast.IfExp] = [*module.all(ast.If), *module.all(ast.IfExp)]
        for node in nodes:
            if not conditions.differs(module, node.test):
                continue
            if any(_is_other_graph(program, module, outer) for outer in module.ancestors(node)):
                continue
            creation = _made_by_one_branch(program, module, node)
            if creation is not None and creation not in reported:
                reported.add(creation)
                yield _refusal(module, node, creation)


def _refusal(module: Module, node: ast.If | ast.IfExp, creation: ast.expr) -> Refusal:
    condition = f"`{ast.unparse(node.test)}` ({module.source.place(node.test.lineno)})"
    if not isinstance(creation, ast.Call):
        return Refusal(
            creation,
            f"which worker uses this average depends on {condition}, but the workers of "
            "MultiWorkerMirroredStrategy average tensors together, and one alone would wait "
            "forever",
            "use this on all workers",
        )
    return Refusal(
        creation,
        f"which worker makes these variables depends on {condition}, but the workers of "
        "MultiWorkerMirroredStrategy each have a copy of every variable and do not start with "
        "different ones",
        "move this, and what runs it, out of the condition, so that all workers do the same",
    )


def _made_by_one_branch(
    program: Program, module: Module, node: ast.If | ast.IfExp
) -> ast.expr | None:
    """Returns what makes variables, or averages tensors, in one branch and not in the other."""
    calls = [
        {
            call: ast.unparse(call)
            for place in _places(module, branch, reuses=_reused_before(module, node))
            for call in _made(program, place)
        }
        for branch in _branches(module, node)
    ]
    for ours, others in (calls, calls[::-1]):
        if left := Counter(ours.values()) - Counter(others.values()):
            return next(call for call, text in ours.items() if text in left)
    return None


def _branches(module: Module, node: ast.If | ast.IfExp) -> tuple[list[ast.AST], list[ast.AST]]:
    """Returns what is run where a condition holds, and what is run where it does not."""
    if isinstance(node, ast.IfExp):
        return [node.body], [node.orelse]
    block = block_of(module, node)
    after = block[block.index(node) + 1 :]
    body: list[ast.AST] = [*node.body]
    orelse: list[ast.AST] = [*node.orelse]
    # `if not is_chief: return loss`: what comes after it is of the other branch alone.
    if _leaves(node.body):
        orelse += after
    elif _leaves(node.orelse):
        body += after
    return body, orelse


def _reused_before(module: Module, node: ast.If | ast.IfExp) -> bool:
    statement = module.statement(node)
    block = block_of(module, statement)
    return any(map(_begins_reuse, block[: block.index(statement)]))


def _places(module: Module, nodes: list[ast.AST], *, reuses: bool) -> Iterator[_Place]:
    """Yields the statements of a block, each with whether variables are reused from there on."""
    for node in nodes:
        reuses = reuses or _begins_reuse(node)
        yield _Place(module, node, reuses)


def _begins_reuse(node: ast.AST) -> bool:
    """Returns whether a statement calls ``reuse_variables`` of a scope."""
    return called_on(getattr(node, "value", None), "reuse_variables") is not None


def _leaves(statements: list[ast.stmt]) -> bool:
    return bool(statements) and isinstance(statements[-1], _LEAVES)


def _made(program: Program, start: _Place) -> Iterator[ast.expr]:
    """Yields the calls that make variables of the program's graph, in functions that run too.

    A call is yielded once for all functions that lead to it. Names of averages are yielded as well.
    """
    seen: set[tuple[ast.AST, bool]] = set()
    waiting = [start]
    while waiting:
        place = waiting.pop()
        module, node = place.module, place.node
        if (node, place.reuses) in seen or _is_other_graph(program, module, node):
            continue
        seen.add((node, place.reuses))
        reuses = place.reuses or _reuses(module, node)
        if isinstance(node, (ast.Name, ast.Attribute)) and _is_average_of_tensors(module, node):
            yield node
        if isinstance(node, ast.Call):
            if _makes_variables(module, node, reuses):
                yield node
            waiting += [_Place(m, s, reuses) for m, s in _code_of(program, module, node)]
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            children = ast.iter_child_nodes(node)
            waiting += reversed([_Place(module, child, reuses) for child in children])


def _makes_variables(module: Module, call: ast.Call, reuses: bool) -> bool:
    qualified = module.resolve(call.func)
    if qualified is not None or not isinstance(call.func, ast.Attribute):
        return qualified in _VARIABLES or (qualified in _SHARED and not reuses)
    return call.func.attr in _OF_OPTIMIZERS or _applies_average(module, call)


def _applies_average(module: Module, call: ast.Call) -> bool:
    average = called_on(call, "apply")
    if average is None or not module.mentions("ExponentialMovingAverage"):
        return False
    values = origins(module, average)
    return values is None or any(called(module, value) == _AVERAGE for value in values)


def _is_average_of_tensors(module: Module, node: ast.Name | ast.Attribute) -> bool:
    """Returns whether a name means what ``ExponentialMovingAverage.apply`` returned for tensors."""
    if not isinstance(node.ctx, ast.Load):
        return False
    calls = [value for value in origins(module, node) or () if isinstance(value, ast.Call)]
    return any(_applies_average(module, c) and not _is_of_variables(module, c) for c in calls)


def _is_of_variables(module: Module, average: ast.Call) -> bool:
    """Returns whether all that is averaged is certainly variables, by default the trainable."""
    averaged = argument(average, 0, "var_list")
    waiting = [averaged] if averaged is not None else []
    seen: set[ast.expr] = set()
    while waiting:
        if (node := waiting.pop()) in seen:
            continue
        seen.add(node)
        for value in origins(module, node) or (None,):
            if isinstance(value, (ast.List, ast.Tuple)):
                waiting += value.elts
            elif called(module, value) not in _LISTS:
                return False
    return True


def _code_of(program: Program, module: Module, call: ast.Call) -> Iterator[tuple[Module, ast.stmt]]:
    """Yields the statements of the program's function, or of the constructor, that is called."""
    known = definition_of(module, call.func)
    functions: list[tuple[Module, ast.FunctionDef]] = []
    if isinstance(known, ast.FunctionDef):
        functions = [(module, known)]
    elif isinstance(known, ast.ClassDef):
        functions = [(module, f) for f in _methods(known, "__init__")]
    else:
        functions = functions_elsewhere(program, module, call.func, by_method=False)
        if isinstance(call.func, ast.Attribute) and not functions:
            functions = [(module, f) for f in _methods_of_object(module, call.func)]
    for owner, function in functions:
        yield from ((owner, statement) for statement in function.body)


def _methods_of_object(module: Module, method: ast.Attribute) -> Iterator[ast.FunctionDef]:
    """Yields the method of an object that the file makes from its own class."""
    for value in origins(module, method.value) or ():
        own = definition_of(module, value.func) if isinstance(value, ast.Call) else None
        if isinstance(own, ast.ClassDef):
            yield from _methods(own, method.attr)


def _methods(own: ast.ClassDef, name: str) -> list[ast.FunctionDef]:
    return [f for f in own.body if isinstance(f, ast.FunctionDef) and f.name == name]


def _is_other_graph(program: Program, module: Module, node: ast.AST) -> bool:
    """Returns whether a ``with`` has a graph of its own, in which no device setter is used."""
    if not isinstance(node, ast.With):
        return False
    has_graph = any(
        isinstance(call, ast.Call) and _is_graph(module, call)
        for item in node.items
        for call in ast.walk(item.context_expr)
    )
    return has_graph and not any(
        called(owner, inner) == SETTER
        for owner, inner in run_in_program(program, module, [node], by_method=False)
    )


def _is_graph(module: Module, call: ast.Call) -> bool:
    """Returns whether a call makes a graph, or has one that the program made as the default."""
    if called(module, call) == _GRAPH:
        return True
    graph = called_on(call, "as_default")
    values = (origins(module, graph) or ()) if graph is not None else ()
    return any(called(module, value) == _GRAPH for value in values)


def _reuses(module: Module, node: ast.AST) -> bool:
    """Returns whether the code in a node, or that it calls, takes the variables of a scope."""
    calls: list[ast.AST] = [node]
    if isinstance(node, ast.With):
        calls = [item.context_expr for item in node.items]
        if any(map(_begins_reuse, node.body)):
            return True
    return any(
        keyword.arg == "reuse" and _is_reuse(module, keyword.value)
        for call in calls
        if isinstance(call, ast.Call)
        for keyword in call.keywords
    )


def _is_reuse(module: Module, value: ast.expr) -> bool:
    is_true = isinstance(value, ast.Constant) and value.value is True
    return is_true or module.resolve(value) == "tensorflow.AUTO_REUSE"
