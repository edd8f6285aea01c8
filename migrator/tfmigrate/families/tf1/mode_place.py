"""Where the starting file of a program chooses its modes, and by which name.

The calls follow the first import of TensorFlow, before any file is imported that runs TensorFlow
while it is imported.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.tf1.entry_functions import entry_functions
from tfmigrate.families.tf1.generations import SAME_IN_BOTH_MODES
from tfmigrate.families.tf1.keras_2 import import_of_os, setting, setting_at_the_top
from tfmigrate.model.edits import ChangeImport, Code, Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.module import Module, Use, aliases, asked_once, imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.resolve.starts import called_by, calls_when_imported, main_blocks
from tfmigrate.rulekit.runtime_import import import_anchor, prepares

_V1 = "tensorflow.compat.v1"


@dataclass(frozen=True)
class Root:
    """One import that gives a file TensorFlow.

    Attributes:
        statement: the import.
        local: the name that it binds.
        v1: what TensorFlow 1.x's names are below, once the file is migrated.
    """

    statement: ast.stmt
    local: str
    v1: str


def root_of(binding: ImportBinding, migrated: bool) -> Root | None:
    """Returns how an import binds TensorFlow; None where it binds only something in it.

    Args:
        binding: the import.
        migrated: whether TensorFlow's import in this file becomes that of compat.v1.
    """
    alias, statement = binding.alias, binding.statement
    if isinstance(statement, ast.ImportFrom):
        local = alias.asname or alias.name
        v1 = {_V1: local, "tensorflow.compat": f"{local}.v1"}.get(binding.qualified)
        return Root(statement, local, v1) if v1 else None
    if alias.asname:
        if alias.name == "tensorflow":
            v1 = alias.asname if migrated else f"{alias.asname}.compat.v1"
            return Root(statement, alias.asname, v1)
        return Root(statement, alias.asname, alias.asname) if alias.name == _V1 else None
    if alias.name.partition(".")[0] != "tensorflow":
        return None
    moved = alias.name == "tensorflow" or (alias.name + ".").startswith("tensorflow.contrib.")
    return Root(statement, "tensorflow", "tensorflow" if migrated and moved else _V1)


def roots_at_once(module: Module, migrated: bool) -> list[Root]:
    """Returns the imports of TensorFlow that run when a file is executed."""
    return [root for root in _roots(module, migrated) if _runs_at_once(module, root.statement)]


def roots_in(module: Module, function: ast.AST, migrated: bool) -> list[Root]:
    """Returns the imports of TensorFlow in a function, or in all where that is the module."""
    return [
        root
        for root in _roots(module, migrated)
        if not _runs_at_once(module, root.statement)
        and (function is module.tree or function in module.ancestors(root.statement))
    ]


def _roots(module: Module, migrated: bool) -> list[Root]:
    candidates = [root_of(binding, migrated) for binding in imports(module)]
    return [root for root in candidates if root is not None]


def _runs_at_once(module: Module, statement: ast.stmt) -> bool:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return not any(isinstance(a, definitions) for a in module.ancestors(statement))


@asked_once
def acts_when_imported(module: Module) -> bool:
    """Returns whether a file calls TensorFlow while it is imported, except for flags and logs."""
    calls = calls_when_imported(module)
    inner = {id(call) for part in called_by(module, calls) for call in module.all(ast.Call, part)}
    now = inner | {id(call) for call in calls}
    return any(id(module.call_of(use.node)) in now and _acts(use) for use in module.uses)


def _acts(use: Use) -> bool:
    parts = use.qualified.split(".")
    return len(parts) > 1 and parts[1] not in SAME_IN_BOTH_MODES


def mode_edits(
    program: Program,
    module: Module,
    switches: list[str],
    *,
    migrated: bool,
    shared: bool,
    alone: bool,
    keras: bool,
) -> tuple[Edit, ...]:
    """Returns the edits that choose the modes in a script.

    Args:
        switches: the functions of TensorFlow to call.
        migrated: whether its own import becomes that of compat.v1.
        shared: whether other files import it: those get no switch with it.
        alone: whether it imports no file that needs the modes too.
        keras: whether it asks for Keras 2.
    """
    if not switches:
        return setting_at_the_top(module) if keras else ()
    asked = (setting(module),) if keras else ()
    roots = roots_at_once(module, migrated)
    commands = program.once(entry_functions).get(module, [])
    called = {function.name for function in commands}
    blocks = [
        block
        for block in main_blocks(module)
        if block.body[0].lineno > block.test.lineno and not called & {n.id for n in _names(block)}
    ][:1]
    if shared and (blocks or commands) and not acts_when_imported(module):
        places: list[ast.If | ast.FunctionDef] = [*blocks, *commands]
        added = import_of_os(module, places) if keras else ()
        for block in places:
            added += _in_block(module, block, roots, switches, asked)
        return added
    inner = roots_in(module, module.tree, migrated)
    if not roots and inner and alone:
        edits = [e for root in inner for e in _behind(root, root.statement, switches, blank=False)]
        return (*(setting_at_the_top(module) if keras else ()), *edits)
    calls = _at_the_top(program, module, roots, switches, asked)
    below = [e.statement for e in calls if isinstance(e, InsertBefore)]
    below += [_next(module, e.statement) for e in calls if isinstance(e, InsertAfter)]
    return _above(module, import_of_os(module, below) if keras else (), calls)


def _next(module: Module, statement: ast.stmt) -> ast.stmt:
    """Returns the statement of a file below one, or that one where there is none."""
    body = module.tree.body
    index = body.index(statement) + 1 if statement in body else len(body)
    return body[index] if index < len(body) else statement


def _above(module: Module, added: tuple[Edit, ...], calls: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Returns the edits that add an import and calls that need it, the import above the calls."""
    above = [edit for edit in added if isinstance(edit, InsertBefore)]
    other_edits = [edit for edit in added if edit not in above]
    behind = [edit.statement for edit in calls if isinstance(edit, InsertAfter)]
    if above and behind and behind[0].lineno < above[0].statement.lineno:
        return (*other_edits, *(InsertAfter(behind[0], edit.code) for edit in above), *calls)
    # Of what is inserted above one statement, the last comes first.
    return (*other_edits, *calls, *above)


def _in_block(
    module: Module,
    block: ast.If | ast.FunctionDef,
    roots: list[Root],
    switches: list[str],
    asked: tuple[str, ...],
) -> tuple[Edit, ...]:
    """Returns the edits that put the calls into the block for ``__main__``, or a function."""
    within = next((r for r in roots if block in module.ancestors(r.statement)), None)
    before = [r for r in roots if r.statement.lineno < block.lineno]
    if within is not None and not before:
        return _behind(within, within.statement, switches, asked, blank=False)
    lines = [*asked, *(f"{(before or [_added(module)])[-1].v1}.{s}()" for s in switches)]
    if not before:
        lines.insert(0, f"import {_V1} as {_added(module).local}")
    has_text = isinstance(block, ast.FunctionDef) and ast.get_docstring(block) is not None
    first = block.body[1:] if has_text else block.body
    if not first:
        return tuple(InsertAfter(block.body[0], Code(line)) for line in lines)
    return tuple(InsertBefore(first[0], Code(line)) for line in reversed(lines))


def _at_the_top(
    program: Program, module: Module, roots: list[Root], switches: list[str], asked: tuple[str, ...]
) -> tuple[Edit, ...]:
    """Returns the edits that put the calls behind the first import of TensorFlow."""
    body = module.tree.body
    early = _first_acting(program, module)
    limit = body.index(early) if early is not None else len(body)
    tops = {id(root): body.index(_top(module, root.statement)) for root in roots}
    first = roots[0] if roots else None
    if first is None or tops[id(first)] > limit or _acts_before(module, first):
        root = first or _added(module)
        plain = root.v1 == f"{root.local}.compat.v1"
        code = f"import {'tensorflow' if plain else _V1} as {root.local}"
        lines = [*asked, *(f"{root.v1}.{switch}()" for switch in switches)]
        if (anchor := import_anchor(module)) is None or body.index(anchor) >= limit:
            place = body[min(limit, len(body) - 1)] if early is not None else body[0]
            added = [InsertBefore(place, Code(line)) for line in reversed([code, *lines])]
            return (*added, *_moved(module, root, place))
        behind = _last_of_imports(module, anchor, limit)
        return (
            InsertAfter(anchor, Code(code)),
            *(InsertAfter(behind, Code(line), blank_line=True) for line in lines),
        )
    top = body[tops[id(first)]]
    same = [r for r in roots if tops[id(r)] == tops[id(first)]]
    if top is not first.statement:
        place = first.statement if len(same) == 1 and _own_line(module, first) else top
        return _behind(first, place, switches, asked, blank=place is top)
    last = _last_of_imports(module, top, limit)
    end = body.index(last)
    bound = {r.local: r for r in roots if tops[id(r)] <= end}
    shortest = min(bound.values(), key=lambda root: len(root.v1))
    return _behind(shortest, last, switches, asked, blank=True)


def _moved(module: Module, root: Root, place: ast.stmt) -> Iterator[Edit]:
    """Yields the edit that removes an import that another edit moves up."""
    statement = root.statement
    if statement not in module.tree.body or module.cell(statement) != module.cell(place):
        return
    if isinstance(statement, ast.Import) and root.v1 == root.local:
        for alias in statement.names:
            if (alias.asname or alias.name) == root.local:
                yield ChangeImport(statement, alias, "")


def _behind(
    root: Root, place: ast.stmt, switches: list[str], asked: tuple[str, ...] = (), *, blank: bool
) -> tuple[Edit, ...]:
    lines = [*asked, *(f"{root.v1}.{switch}()" for switch in switches)]
    return tuple(InsertAfter(place, Code(line), blank_line=blank) for line in lines)


def _last_of_imports(module: Module, first: ast.stmt, limit: int) -> ast.stmt:
    """Returns the last of the imports that follow one, in its cell.

    Between them is only what prepares them: no definition, and no code that runs TensorFlow.
    """
    body = module.tree.body
    used = {id(use.node) for use in module.uses}
    named = [statement for statement, _ in aliases(module)]  # slim = tf.contrib.slim
    last = first
    for statement in body[body.index(first) + 1 : limit]:
        if module.cell(statement) != module.cell(first):
            break
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            last = statement
        elif statement in named:
            continue
        elif (
            isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            or not prepares(module, statement)
            or any(id(node) in used for node in module.walk(statement))
        ):
            break
        elif isinstance(statement, ast.Try) and any(
            isinstance(node, (ast.Import, ast.ImportFrom)) for node in statement.body
        ):
            last = statement
    return last


def _first_acting(program: Program, module: Module) -> ast.stmt | None:
    """Returns the first statement that imports a file which runs TensorFlow at once."""
    for statement in module.tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(statement):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and any(
                acts_when_imported(m) for m in program.loaded_by(module, node) - {module}
            ):
                return statement
    return None


def _acts_before(module: Module, root: Root) -> bool:
    """Returns whether a file calls TensorFlow by another import before one of TensorFlow itself."""
    line = root.statement.lineno
    return any(
        use.node.lineno < line
        and module.function(use.node) is module.tree
        and module.call_of(use.node)
        and _acts(use)
        for use in module.uses
    )


def _top(module: Module, statement: ast.stmt) -> ast.stmt:
    """Returns the statement at the top level of a file that a statement is in."""
    around = [a for a in module.ancestors(statement) if isinstance(a, ast.stmt)]
    return around[-1] if around else statement


def _names(block: ast.If) -> Iterator[ast.Name]:
    return (node for node in ast.walk(block) if isinstance(node, ast.Name))


def _own_line(module: Module, root: Root) -> bool:
    """Returns whether an import in a compound statement is on a separate line."""
    parent = module.parent(root.statement)
    return isinstance(parent, ast.stmt) and root.statement.lineno > parent.lineno


def _added(module: Module) -> Root:
    """Returns the import for a file that has none."""
    local = module.names.free_name("tf", "tensorflow_v1")
    return Root(module.tree.body[0], local, local)
