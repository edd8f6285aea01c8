"""Imports of the runtime's packages in a migrated file, and the names they get there.

The name may be taken: programs call their own object ``estimator``, and a star import of a
program's module may bind any name, now or later. Where only functions import TensorFlow, the file
can be imported without it, and so it has to stay.
"""

import ast
import sys
from itertools import chain, count

from tfmigrate.model.edits import Code, Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.family_members import serves_only_the_family
from tfmigrate.resolve.guards import may_be_missing
from tfmigrate.resolve.module import Module, imports, unknown_stars
from tfmigrate.resolve.scopes import AssignBinding, Binding, ImportBinding
from tfmigrate.resolve.starts import main_blocks
from tfmigrate.resolve.syntax import is_text
from tfmigrate.tables.family_names import FAMILY
from tfmigrate.tables.runtime_api import ESTIMATOR, Package

# Their star imports bind none of our names.
_KNOWN_STARS = sys.stdlib_module_names | {"numpy", "tensorflow", "tfmigrate_runtime"}
# Calls of these between imports run nothing of TensorFlow (`matplotlib.use("Agg")`).
_PREPARING = sys.stdlib_module_names | {"matplotlib", "numpy"}


def runtime_name(module: Module, package: Package = ESTIMATOR) -> str:
    """Returns the name of a runtime package in a module, once it is imported."""
    for binding in _top_level(module):
        if binding.qualified == package.target:
            return binding.local
    # Most programs call the object `estimator`: `estimator = tf.estimator.Estimator(...)`.
    candidates = (package.name, f"tf_{package.name}", f"tfmigrate_{package.name}")
    names = chain(candidates, (f"{candidates[-1]}_{n}" for n in count(2)))
    if _may_be_bound_unseen(module, package.name) and not alias_below_stars(module, package):
        next(names)
    return next(
        name
        for name in names
        if all(_is_removed(module, binding, package) for binding in module.names.bindings_of(name))
    )


def _may_be_bound_unseen(module: Module, name: str) -> bool:
    """Returns whether a star import of a user's module may bind a name, now or later."""
    if not module.names.bindings_of(name) and any(n.id == name for n in module.all(ast.Name)):
        return True
    return bool(unknown_stars(module, _KNOWN_STARS))


def alias_below_stars(module: Module, package: Package) -> ast.Assign | None:
    """Returns the assignment of a package to our name for it that an import of ours replaces.

    Below the star imports that may bind the name too: an import further up would be overwritten.
    """
    if not _may_be_bound_unseen(module, package.name):
        return None
    bindings = module.names.bindings_of(package.name)
    if len(bindings) != 1 or not isinstance(bindings[0], AssignBinding):
        return None
    if (statement := bindings[0].statement) not in module.tree.body:
        return None
    if not is_alias_of(module, statement, package) or isinstance(statement, ast.AnnAssign):
        return None
    early = [n for n in module.tree.body if n.lineno < statement.lineno]
    uses = {id(u.node) for u in module.uses if package.has(u.qualified)}
    if any(id(node) in uses for part in early for node in module.walk(part)):
        return None
    return statement


def runtime_import(
    module: Module, package: Package = ESTIMATOR, *nodes: ast.AST
) -> tuple[Edit, ...]:
    """Returns the edits that import a runtime package, none if it is already imported.

    Args:
        nodes: where it replaces names of TensorFlow (see ``added_import``).
    """
    name = runtime_name(module, package)
    if alias_below_stars(module, package):
        return ()
    for binding in _top_level(module):
        # An import of the package that it replaces is converted to ours.
        ours = canonical(binding.qualified) in (package.target, package.source)
        if ours and binding.local == name and _always_runs(module, binding.statement):
            return ()
    code = import_of(package.target, name)
    return tuple(dict.fromkeys(added_import(module, code, node) for node in nodes or (None,)))


def import_of(qualified: str, bound: str) -> str:
    """Returns the import that binds a name to a member of a package."""
    parent, _, last = qualified.rpartition(".")
    return f"from {parent} import {last}" + f" as {bound}" * (bound != last)


def _always_runs(module: Module, statement: ast.stmt) -> bool:
    """Returns whether a file cannot be executed without a statement of it."""
    child: ast.AST = statement
    for ancestor in module.ancestors(statement):
        if isinstance(ancestor, (ast.If, ast.ExceptHandler, ast.For, ast.While)):
            return False
        if isinstance(ancestor, ast.Try) and child in ancestor.orelse:
            return False
        child = ancestor
    return True


def is_local(module: Module, node: ast.AST) -> bool:
    """Returns whether what is imported for a node is imported in its function."""
    return imports_locally(module) and module.function(node) is not module.tree


def imports_locally(module: Module) -> bool:
    """Returns whether only functions import TensorFlow: the file can be imported without it."""
    places = [b.statement for b in imports(module) if _imports_tensorflow(b.statement)]
    return bool(places) and all(module.function(s) is not module.tree for s in places)


def _local_import(module: Module, node: ast.AST, code: Code) -> Edit:
    """Returns the edit that adds an import to the function of a node.

    Behind the import of TensorFlow that its first name there is from, or else its functions'.
    """
    local = [b.statement for b in imports(module) if _imports_tensorflow(b.statement)]
    roots = (module.names.root_import(name) for name in module.all(ast.Name, node))
    named = next((b.statement for b in roots if b and b.statement in local), None)
    function = module.function(node)
    around = {function, *module.ancestors(function)}
    above = (s for s in local if module.parent(s) in around and s.lineno < _line(node))
    if (known := named or next(above, None)) is None:
        assert not isinstance(function, ast.Module)
        is_documented = is_text(function.body[0]) and len(function.body) > 1
        return InsertBefore(function.body[is_documented], code)
    # The first of its block, so that rules that each need the import add it at one place.
    block = module.parent(known)
    return InsertAfter(next(s for s in local if module.parent(s) is block), code)


def _line(node: ast.AST) -> int:
    line: int = getattr(node, "lineno", 0)
    return line


def added_import(module: Module, code: str, node: ast.AST | None = None) -> Edit:
    """Returns the edit that adds an import, at the top level of a module if it can be there.

    It follows the first statement that imports TensorFlow, or else the last import before other
    code, or else the docstring; without any of these it comes first. Where every import of
    TensorFlow may fail (``except ImportError``), it is below the same ``try``.

    Args:
        code: the import.
        node: code whose names of TensorFlow it replaces. Where only functions import TensorFlow,
            the file can be imported without it: then the import is added in the function.
    """
    if node is not None and is_local(module, node):
        return _local_import(module, node, Code(code))
    if (anchor := _optional_import(module) or import_anchor(module)) is None:
        return InsertBefore(module.tree.body[0], Code(code))
    return InsertAfter(anchor, Code(code))


def _optional_import(module: Module) -> ast.stmt | None:
    """Returns the first import of TensorFlow, if the file can be imported where each fails."""
    places = [b.statement for b in imports(module) if _imports_tensorflow(b.statement)]
    places = [s for s in places if module.function(s) is module.tree]
    optional = places and all(may_be_missing(module, statement) for statement in places)
    return min(places, key=_line) if optional else None


def import_anchor(module: Module) -> ast.stmt | None:
    """Returns the top-level statement that an added import follows, None if it comes first."""
    head: ast.stmt | None = None
    first = module.tree.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        head = first
    preparing = True
    for statement in module.tree.body:
        scope = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        # A main block is below what it needs, and does not run where the file is imported.
        inner = scope or statement in main_blocks(module)
        if not inner and any(_imports_tensorflow(node) for node in ast.walk(statement)):
            return statement
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            head = statement if preparing or head is None else head
        elif preparing:
            preparing = not scope and prepares(module, statement)
    return head


def prepares(module: Module, statement: ast.stmt) -> bool:
    """Returns whether a statement calls no code of the program, nor of TensorFlow."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    names = [(module.resolve(call.func) or "").partition(".")[0] for call in calls]
    return all(name in _PREPARING for name in names)


def _imports_tensorflow(node: ast.AST) -> bool:
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    return any((name + ".").startswith("tensorflow.") for name in names)


def is_alias_of(module: Module, statement: ast.Assign | ast.AnnAssign, package: Package) -> bool:
    """Returns whether a statement only assigns a package of TensorFlow 1.x to the name of ours.

    An import at the top of the file does the same. In a class the name is an attribute.
    """
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id == package.name
        and module.resolve(statement.value) == package.source
        and package.offers("")
        and not isinstance(module.names.scope_of[statement].node, ast.ClassDef)
    )


def _top_level(module: Module) -> list[ImportBinding]:
    """Returns the imports that every function of a module sees."""
    top = module.names.scope_of[module.tree]
    return [b for b in imports(module) if b in top.bindings.get(b.local, ())]


def _is_removed(module: Module, binding: Binding, package: Package) -> bool:
    """Returns whether a binding is an import that the migration removes or turns into ours."""
    if isinstance(binding, AssignBinding):
        return is_alias_of(module, binding.statement, package)
    if not isinstance(binding, ImportBinding):
        return False
    if canonical(binding.qualified) in (package.target, package.source):
        return True
    return binding.qualified == FAMILY and serves_only_the_family(module, binding)
