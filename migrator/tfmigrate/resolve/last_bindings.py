"""Which of several bindings of a variable a place sees: the last one before it."""

import ast

from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import Binding, ImportBinding, place_of

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BRANCHES = (*_LOOPS, ast.If, ast.Try)  # what may not run, or not to its end


def last_binding(module: Module, name: ast.Name) -> Binding | None:
    """Returns the binding of a variable that a place sees; None where a branch decides.

    Also None where another function binds it, or an earlier turn of a loop may have.
    """
    places: list[tuple[ast.stmt, Binding]] = []
    for binding in module.bindings(name):
        if isinstance(binding, ImportBinding):
            return None
        node = place_of(binding)
        loop = module.parent(node)
        if isinstance(loop, ast.comprehension):
            return None if name in ast.walk(loop.iter) else binding
        if module.function(node) is not module.function(name):
            return None
        places.append((module.statement(node), binding))
    own = module.statement(name)
    start = module.position(name)
    earlier = [(p, b) for p, b in places if p is not own and module.position(p) < start]
    if not earlier:
        return None
    last, binding = max(earlier, key=lambda pair: module.position(pair[0]))
    return binding if _is_seen(module, last, name, [place for place, _ in places]) else None


def _is_seen(module: Module, last: ast.stmt, name: ast.Name, places: list[ast.stmt]) -> bool:
    around = list(module.ancestors(name))
    if isinstance(last, _BRANCHES) and last not in around:
        return False
    if last not in around and not any(s in around for s in block_of(module, last)):
        return False
    outer = {last, *module.ancestors(last)}
    inner = {node for node in around if node not in outer}
    return not any(isinstance(node, ast.Lambda) for node in inner) and not any(
        isinstance(node, _LOOPS) and node in inner
        for place in places
        for node in (place, *module.ancestors(place))
    )
