"""What a name means in a program: followed through imports to the file that defines it."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.module import Module
from tfmigrate.resolve.origins import definition_of
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.scopes import Binding, ImportBinding, root_of

Definition = ast.FunctionDef | ast.ClassDef
_STEPS = 5  # from file to file: an __init__.py imports what others import from it


def definition(
    program: Program, module: Module, node: ast.expr
) -> tuple[Module, Definition] | None:
    """Returns the function or class of the program that an expression names, with its file."""
    if (own := definition_of(module, node)) is not None:
        return module, own
    owner, binding = only_bound_elsewhere(program, module, node) or (module, None)
    place = getattr(binding, "node", None)
    return (owner, place) if isinstance(place, (ast.FunctionDef, ast.ClassDef)) else None


def only_bound_elsewhere(
    program: Program, module: Module, node: ast.expr
) -> tuple[Module, Binding] | None:
    """Returns what alone binds a name of another file, with its file; None for what may be more."""
    if not all(isinstance(b, ImportBinding) for b in module.bindings(root_of(node))):
        return None
    bound = dict.fromkeys(bound_elsewhere(program, module, node))
    return next(iter(bound)) if len(bound) == 1 else None


def bound_elsewhere(
    program: Program, module: Module, node: ast.expr
) -> Iterator[tuple[Module, Binding]]:
    """Yields what binds a name that is imported, or a member of a file that is, with its file."""
    root = root_of(node)
    if not isinstance(root, ast.Name):
        return
    member = node.attr if isinstance(node, ast.Attribute) else ""
    scope, bindings = module.names.variable(root)
    if scope is None and not member:
        for other in program.star_sources(module):
            yield from bound_in(program, other, root.id)
    for binding in bindings:
        if not isinstance(binding, ImportBinding):
            continue
        if (source := program.source_of(module, binding)) is None:
            yield from _bound_behind(program, module, binding, member or binding.alias.name)
        elif bool(source[1]) != bool(member):
            yield from bound_in(program, source[0], source[1] or member)


def _bound_behind(
    program: Program, module: Module, binding: ImportBinding, name: str
) -> Iterator[tuple[Module, Binding]]:
    """Yields what binds a name in files that an import loads through others, as an __init__.py.

    Those that name nothing of TensorFlow are not of the run. ``import a.b`` binds ``a`` alone.
    """
    for other in program.once(_loaded, module, binding.statement):
        for bound in other.names.scope_of[other.tree].bindings.get(name, ()):
            if not isinstance(bound, ImportBinding):
                yield other, bound


def _loaded(
    program: Program, module: Module, statement: ast.Import | ast.ImportFrom
) -> list[Module]:
    return sorted(program.loaded_by(module, statement), key=lambda other: other.source.path)


def bound_in(
    program: Program, module: Module, name: str, steps: int = _STEPS
) -> Iterator[tuple[Module, Binding]]:
    """Yields what binds a name of a file; where the file imports it, what does so in the other."""
    bindings = module.names.scope_of[module.tree].bindings.get(name, [])
    sources = [] if bindings else [(other, name) for other in program.star_sources(module)]
    for binding in bindings:
        if isinstance(binding, ImportBinding) and (source := program.source_of(module, binding)):
            sources.append(source)
        else:
            yield module, binding
    for other, there in sources:
        if there and steps:
            yield from bound_in(program, other, there, steps - 1)
