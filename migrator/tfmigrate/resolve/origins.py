"""Where the value of an expression comes from, as far as its file shows.

Followed are assignments, attributes of ``self`` that the class sets, parameters whose function
the file calls, what its functions return, ``with ... as``, and loops over lists that are written
out. None of it looks at how anything is called.
"""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.resolve.calls import passed_for
from tfmigrate.resolve.last_bindings import last_binding
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.scopes import (
    AssignBinding,
    Binding,
    ImportBinding,
    bindings_made_by,
    is_none,
    place_of,
)

_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


@asked_once
def origins(module: Module, node: ast.expr) -> tuple[ast.expr, ...] | None:
    """Returns the expressions that may have produced the value of an expression.

    Returns:
        The expressions, which nothing is known to lead further back from: calls, literals, names of
        imports. None where it may come from elsewhere, or cannot be resolved. The value None,
        which has no attributes, is left out.
    """
    sources: dict[ast.expr, None] = {}
    seen: set[ast.expr] = set()
    waiting = [node]
    while waiting:
        if (value := waiting.pop()) in seen:
            continue
        seen.add(value)
        if (further := one_step(module, value)) is None:
            return None
        if further:
            waiting += further
        elif not is_none(value):
            sources[value] = None
    return tuple(sources) or None


def class_around(module: Module, node: ast.AST) -> ast.ClassDef | None:
    """Returns the innermost class that contains a node."""
    return next((a for a in module.ancestors(node) if isinstance(a, ast.ClassDef)), None)


def is_self(module: Module, node: ast.AST) -> bool:
    """Returns whether a node is the object itself, in a method: the first parameter."""
    scope, bindings = module.names.variable(node)
    function = scope.node if scope else None
    if not isinstance(function, _METHODS) or not isinstance(module.parent(function), ast.ClassDef):
        return False
    first = [*function.args.posonlyargs, *function.args.args][:1]
    return bool(first) and [getattr(b, "node", None) for b in bindings] == first


@asked_once
def definition_of(module: Module, node: ast.expr) -> ast.FunctionDef | ast.ClassDef | None:
    """Returns the function or class of the file that a name, or a method of self, means."""
    if isinstance(node, ast.Name):
        places = [getattr(b, "node", None) for b in module.bindings(node)]
    elif isinstance(node, ast.Attribute) and is_self(module, node.value):
        own = class_around(module, node)
        places = [s for s in own.body if getattr(s, "name", "") == node.attr] if own else []
    else:
        return None
    (place,) = places if len(places) == 1 else (None,)
    return place if isinstance(place, (ast.FunctionDef, ast.ClassDef)) else None


def one_step(module: Module, node: ast.expr) -> Sequence[ast.expr] | None:
    """Returns what an expression gets its value from; () for an origin, None if unresolved."""
    if isinstance(node, ast.Name):
        steps = [_of_binding(module, b) for b in _reaching(module, node)]
        return _joined(steps) if steps else None
    if isinstance(node, ast.Attribute):
        return set_on_self(module, node) if is_self(module, node.value) else ()
    if isinstance(node, ast.IfExp):
        return (node.body, node.orelse)
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.NamedExpr):
        return (node.value,)
    if isinstance(node, ast.Call):
        function = definition_of(module, node.func)
        if isinstance(function, ast.FunctionDef):
            return returned(module, function)
    return ()


def _reaching(module: Module, node: ast.Name) -> Sequence[Binding]:
    """Returns the bindings that a read of a name may see: the last one before it, if that is sure.

    Of several ``with open(...) as f`` that is the one around it, if nothing there binds f again.
    """
    bindings = module.bindings(node)
    if len(bindings) < 2:
        return bindings
    if (last := last_binding(module, node)) is not None:
        return [last]
    by_node = {id(place_of(binding)): binding for binding in bindings}
    for around in module.ancestors(node):
        if isinstance(around, (*_METHODS, ast.Lambda, ast.withitem)):
            break  # read at another time, or before the block
        if isinstance(around, ast.With):
            within = [by_node[id(n)] for n in ast.walk(around) if id(n) in by_node]
            if any(within == [by_node.get(id(item.optional_vars))] for item in around.items):
                return within
            if within:
                break
    return bindings


def _joined(steps: Sequence[Sequence[ast.expr] | None]) -> list[ast.expr] | None:
    known = [step for step in steps if step is not None]
    return [value for step in known for value in step] if len(known) == len(steps) else None


def _of_binding(module: Module, binding: Binding) -> Sequence[ast.expr] | None:
    if isinstance(binding, AssignBinding):
        return (binding.value,)
    if isinstance(binding, ImportBinding):
        return None
    node = binding.node
    if isinstance(node, ast.arg):
        return given_for(module, node)
    place = module.parent(node)  # None of a target with several names, whose parent is a tuple
    if isinstance(place, ast.withitem):
        return (place.context_expr,)
    if isinstance(place, (ast.NamedExpr, ast.Assign)):
        return (place.value,)
    if isinstance(place, (ast.For, ast.comprehension)):
        return place.iter.elts if isinstance(place.iter, (ast.List, ast.Tuple)) else None
    return None


def set_on_self(
    module: Module, node: ast.Attribute, in_class: bool = False
) -> list[ast.expr] | None:
    """Returns what the class around a place assigns to an attribute of self; None for others.

    Args:
        in_class: whether to add what the body of the class assigns, which others may override.
    """
    own = class_around(module, node) if is_self(module, node.value) else None
    values = list(_attributes(module, own).get(node.attr, [])) if own else []
    for statement in own.body if own and in_class else ():
        bound = bindings_made_by(statement) if isinstance(statement, ast.Assign) else ()
        values += [getattr(binding, "value", None) for name, binding in bound if name == node.attr]
    known = [value for value in values if value is not None]
    return known if known and len(known) == len(values) else None


@asked_once
def _attributes(module: Module, own: ast.ClassDef) -> dict[str, list[ast.expr | None]]:
    """Returns what a class assigns to each attribute of self; None where unresolved."""
    values_by_name: dict[str, list[ast.expr | None]] = {}
    for node in module.all(ast.Attribute, own):
        if isinstance(node.ctx, ast.Store) and is_self(module, node.value):
            statement = module.parent(node)
            plain = isinstance(statement, (ast.Assign, ast.AnnAssign))
            value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
            if value is not None or not isinstance(statement, ast.AnnAssign):
                values_by_name.setdefault(node.attr, []).append(value if plain else None)
    return values_by_name


def returned(module: Module, function: ast.FunctionDef) -> list[ast.expr] | None:
    """Returns what a function may return; None where it is a generator, or decorated."""
    if function.decorator_list:
        return None
    own = [n for n in module.walk(function) if module.function(n) is function]
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own):
        return None
    return [n.value for n in own if isinstance(n, ast.Return) and n.value is not None] or None


@asked_once
def places_of_definitions(module: Module) -> dict[ast.AST, list[ast.expr]]:
    """Returns the places that name each function and class of the file."""
    mentions: dict[ast.AST, list[ast.expr]] = {}
    places: list[ast.Name | ast.Attribute] = [*module.all(ast.Name), *module.all(ast.Attribute)]
    for node in places:
        definition = definition_of(module, node) if isinstance(node.ctx, ast.Load) else None
        if definition is not None:
            mentions.setdefault(definition, []).append(node)
    return mentions


def given_for(module: Module, parameter: ast.arg) -> list[ast.expr] | None:
    """Returns the arguments for a parameter in the file's calls; None where unknown."""
    function = module.parent(module.parent(parameter))
    if not isinstance(function, ast.FunctionDef):
        return None
    holder = module.parent(function)
    of_class = isinstance(holder, ast.ClassDef) and function.name == "__init__"
    named = holder if of_class else function
    calls = [module.parent(place) for place in places_of_definitions(module).get(named, ())]
    values = list(_arguments(module, calls, function, parameter.arg))
    known = [value for value in values if value is not None]
    return known if known and len(known) == len(values) else None


def _arguments(
    module: Module,
    calls: Sequence[ast.AST],
    function: ast.FunctionDef,
    name: str,
    seen: frozenset[ast.AST] = frozenset(),
) -> Iterator[ast.expr | None]:
    """Yields the argument for a parameter in each call; None where unknown."""
    for call in calls:
        if not isinstance(call, ast.Call):
            continue  # a base class, or a function that is given to another
        argument = passed_for(module, function, call, name)
        passed = [k.value for k in call.keywords if k.arg is None]
        hidden = any(isinstance(a, ast.Starred) for a in call.args)
        outer = _of_keywords(module, passed[0], name) if len(passed) == 1 else None
        if argument is None and outer is not None and outer not in seen and not hidden:
            mentions = places_of_definitions(module).get(outer, ())
            places = [module.parent(place) for place in mentions]
            yield from list(_arguments(module, places, outer, name, seen | {outer})) or [None]
        else:
            yield argument


def _of_keywords(module: Module, node: ast.expr, name: str) -> ast.FunctionDef | None:
    """Returns the function whose ``**kwargs`` a node is, if they are passed on as they came.

    ``name`` is the argument that is looked for among them.
    """
    function = module.function(node)
    if not isinstance(node, ast.Name) or not isinstance(function, ast.FunctionDef):
        return None
    if (parameter := function.args.kwarg) is None or parameter.arg != node.id:
        return None
    parameters = function.args
    taken = {a.arg for a in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)}
    if name in taken or isinstance(module.parent(function), ast.ClassDef):
        return None
    uses = [n for n in module.all(ast.Name, function) if n.id == node.id]
    return function if all(isinstance(module.parent(n), ast.keyword) for n in uses) else None


def keys_of(module: Module, mapping: ast.expr) -> frozenset[str] | None:
    """Returns the keys that a dictionary may have; None where they cannot be resolved."""
    keys: set[object] = set()
    mapping_origins = origins(module, mapping)
    for origin in mapping_origins or ():
        if isinstance(origin, ast.Dict):
            keys |= {k.value if isinstance(k, ast.Constant) else None for k in origin.keys}
        elif (
            isinstance(origin, ast.Call)
            and isinstance(origin.func, ast.Name)
            and origin.func.id == "dict"
            and not origin.args
        ):
            keys |= {keyword.arg for keyword in origin.keywords}
        else:
            return None
    return frozenset(map(str, keys)) if mapping_origins and None not in keys else None
