"""A package of TensorFlow 1.x becomes the runtime's: its names, in every form of import."""

import ast
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache

from tfmigrate.families.tf1.core_names import goes_to_core
from tfmigrate.families.tf1.is_tf1 import is_kept_off, legacy_modules
from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceExpression, ReplaceStatement
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.control_flow import block_of
from tfmigrate.resolve.module import Module, Use, aliases, asked_once, imports
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.basics import Drafts, Program
from tfmigrate.rulekit.runtime_import import (
    alias_below_stars,
    import_of,
    is_alias_of,
    runtime_import,
    runtime_name,
)
from tfmigrate.rulekit.tensorflow_import import is_tensorflow
from tfmigrate.tables.deep_paths import DEEP_PATHS
from tfmigrate.tables.equivalents import packages
from tfmigrate.tables.family_names import FAMILY, OPTIMIZER, WRAPPER
from tfmigrate.tables.runtime_api import PACKAGES, Package

CONTRIB = "tensorflow.contrib"


def renamed(
    program: Program,
    package: Package,
    going: Callable[[Module], Collection[ast.expr]] = lambda module: (),
) -> Drafts:
    """Yields one draft for every file that uses names the runtime has, with all its edits.

    Files that belong to no migrated program are left alone.
    """
    legacy = set(program.once(legacy_modules))
    for module in migrated(program, *_words(package.source)):
        places: list[ast.AST] = []
        edits: list[Edit] = []
        imported: set[tuple[ast.AST, str]] = set()
        gone = {id(node) for node in going(module)}
        for statement in _aliases_that_go(module, package):
            places.append(statement)
            gone.add(id(statement.value))
            # The import replaces it in its place, or is added at the top.
            is_below = alias_below_stars(module, package) is not None
            codes = (Code(import_of(package.target, package.name)),) * is_below
            added = runtime_import(module, package, statement)
            edits += [ReplaceStatement(statement, codes), *added]
        gone |= {id(statement.value) for statement in aliases_of_core_names(module)}
        for use in module.uses:
            edit = _renamed_use(module, use, package)
            if edit is None or id(use.node) in gone or is_kept_off(program, module, use.node):
                continue
            places.append(use.node)
            edits += [edit, *runtime_import(module, package, use.node)]
        for binding in imports(module):
            change = _changed_import(module, binding, package, module in legacy, gone)
            if change is None or is_kept_off(program, module, binding.statement):
                continue
            if (place := _place(module, change)) in imported:
                change = replace(change, code="")  # the block has it by another import
            imported.add(place)
            places.append(binding.alias)
            edits.append(change)
        if places:
            yield file_draft(program, module, places, edits, f"{package.title} -> {package.target}")


def _place(module: Module, change: ChangeImport) -> tuple[ast.AST, str]:
    """Returns the first statement of the block that an import is in, and its new code."""
    return block_of(module, change.statement)[0], change.code


@cache
def _words(source: str) -> tuple[str, ...]:
    """Returns words, one of which is in every file that uses a package of TensorFlow 1.x."""
    deep = [path for path, public in DEEP_PATHS.items() if f"{public}.".startswith(f"{source}.")]
    last = source.rpartition(".")[2]
    return (last, *(path.rpartition(".")[2] for path in deep if last not in path))


def _aliases_that_go(module: Module, package: Package) -> list[ast.Assign | ast.AnnAssign]:
    """Returns the assignments that the import of the runtime's package replaces."""
    core = aliases_of_core_names(module)
    return [
        statement
        for statement, _ in aliases(module)
        if statement not in core
        and is_alias_of(module, statement, package)
        and runtime_name(module, package) == package.name
    ]


def _renamed_use(module: Module, use: Use, package: Package) -> Edit | None:
    """Returns the edit of an attribute chain that starts above the package."""
    if not package.offers_qualified(use.qualified) or goes_to_core(module, use):
        return None
    root = module.names.root_import(use.node)
    if given_name := module.names.given(use.node):
        if package.has(canonical(given_name)):
            return None
    elif root is not None:
        if not _binds_tensorflow(root) and package.has(canonical(root.qualified)):
            return None
    else:
        alias = module.names.root_alias(use.node)
        held = module.resolve(alias.value) if alias else None
        if held is None or not (CONTRIB + ".").startswith(held + "."):
            return None
    name = use.qualified.removeprefix(package.source).lstrip(".")
    chain = ".".join(filter(None, [runtime_name(module, package), name]))
    return ReplaceExpression(use.node, Code(chain))


def _binds_tensorflow(binding: ImportBinding) -> bool:
    """Returns whether it is `import tensorflow.x`, which binds the name tensorflow."""
    plain = isinstance(binding.statement, ast.Import) and not binding.alias.asname
    return plain and binding.alias.name.partition(".")[0] == "tensorflow"


def tensorflow_by_name(module: Module, binding: ImportBinding) -> str:
    """Returns what ``import tensorflow.contrib.x`` becomes: "" where nothing reads the name."""
    bound = module.names.scope_of[binding.statement].bindings["tensorflow"]
    block = block_of(module, binding.statement)
    before = block[: block.index(binding.statement)]
    # Of several imports of tf.contrib, the first becomes that of TensorFlow.
    is_there = any(
        b.alias.name == "tensorflow" or b.alias.asname or b.statement in before
        for b in bound
        if isinstance(b, ImportBinding) and b is not binding and is_tensorflow(b)
    )
    is_read = any(name.id == "tensorflow" for name in module.all(ast.Name))
    return "" if is_there or not is_read else "import tensorflow.compat.v1 as tensorflow"


def _changed_import(
    module: Module, binding: ImportBinding, package: Package, is_legacy: bool, gone: set[int]
) -> ChangeImport | None:
    """Returns the edit of an import of the package, of a name in it, or of a package above it."""
    if _binds_tensorflow(binding):
        if not package.has(canonical(binding.alias.name)):
            return None
        code = tensorflow_by_name(module, binding) if is_legacy else "import tensorflow"
        return ChangeImport(binding.statement, binding.alias, code)
    qualified = canonical(binding.qualified)
    if not package.has(qualified):
        return _removed_import(module, binding, package)
    name = qualified.removeprefix(package.source).lstrip(".")
    uses = module.uses_through(binding)
    if name.startswith("python.") and any(package.offers_qualified(u.qualified) for u in uses):
        name = ""  # a module in its folder, whose names are the package's
    if not package.offers(name):
        return None
    if uses and all(goes_to_core(module, use) for use in uses):
        return None  # it is removed with them
    if uses and all(id(use.node) in gone for use in uses):
        return ChangeImport(binding.statement, binding.alias, "")
    code = import_of(f"{package.target}{'.' * bool(name)}{name}", binding.local)
    return ChangeImport(binding.statement, binding.alias, code)


def _removed_import(
    module: Module, binding: ImportBinding, package: Package
) -> ChangeImport | None:
    """Returns the edit that removes `from tensorflow import contrib` where no use is left."""
    holds = (package.source + ".").startswith(binding.qualified + ".")
    if not holds or not binding.qualified.startswith((CONTRIB, "tensorflow.examples")):
        return None
    uses = module.uses_through(binding)
    ours = any(_renamed_use(module, use, package) for use in uses)
    if not ours or not all(is_replaced(module, use) for use in uses):
        return None
    return ChangeImport(binding.statement, binding.alias, "")


def is_replaced(module: Module, use: Use) -> bool:
    """Returns whether a rule replaces the use of a name that starts above its package."""
    if use.qualified in (FAMILY, WRAPPER, OPTIMIZER) or goes_to_core(module, use):
        return True
    return any(_renamed_use(module, use, package) for package in PACKAGES)


@asked_once
def aliases_of_core_names(module: Module) -> list[ast.Assign | ast.AnnAssign]:
    """Returns the assignments of tf.contrib packages whose uses are all replaced.

    They are removed; an assignment with a use that remains stays.
    """
    known = {*packages(), CONTRIB} | {package.source for package in PACKAGES}
    return [
        statement
        for statement, qualified in aliases(module)
        if qualified.startswith(CONTRIB)
        and qualified in known
        and not isinstance(module.names.scope_of[statement].node, ast.ClassDef)
        and (uses := module.uses_through_alias(statement))
        and all(is_replaced(module, use) for use in uses)
    ]
