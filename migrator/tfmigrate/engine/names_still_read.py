"""Names that edits take from a file although its code, or another file, still reads them."""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfmigrate.families.tf1.core_names import simple_core_name
from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceStatement
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import is_dead
from tfmigrate.resolve.names_in_texts import names_in_texts
from tfmigrate.resolve.references import chain_of_import
from tfmigrate.resolve.scopes import AssignBinding, ImportBinding
from tfmigrate.resolve.stars import all_sources, is_of_package, read_from
from tfmigrate.resolve.syntax import syntax_of
from tfmigrate.rulekit.basics import Module, Program
from tfmigrate.rulekit.runtime_import import import_of
from tfmigrate.tables.internal_names import public_name
from tfmigrate.tables.present_names import KERAS_2, KERAS_3, missing_part
from tfmigrate.tables.runtime_api import PACKAGES

_V1 = "tensorflow.compat.v1"
_ROOTS = ("tensorflow", "keras")


@dataclass(frozen=True)
class StillRead:
    """A name that a file's new text does not bind any more.

    Attributes:
        name: the name.
        meaning: what it meant ("tensorflow.contrib.rnn").
        binding: what bound it.
        is_dead: whether only code reads it that never runs on TensorFlow 2.16 and newer.
    """

    name: str
    meaning: str
    binding: ImportBinding | AssignBinding
    is_dead: bool


def still_read(program: Program, afters: Mapping[Module, Module]) -> dict[Module, list[StillRead]]:
    """Returns what files no longer bind and code still reads.

    Args:
        program: the files as they were.
        afters: the migrated form of the files that change.
    """
    lost = {module: _lost(module, after) for module, after in afters.items()}
    if not (lost := {module: names for module, names in lost.items() if names}):
        return {}
    taken = _taken(program, afters, lost)
    reads: dict[Module, list[StillRead]] = {}
    for module, names in lost.items():
        live, dead = _read_in(afters[module], names)
        live |= taken[module]
        reads[module] = [
            StillRead(name, _meaning(module, binding), binding, name not in live)
            for name, binding in names.items()
            if name in live | dead
        ]
    return {module: names for module, names in reads.items() if names}


def keeping(
    program: Program, edits: Mapping[Module, Sequence[Edit]], texts: Mapping[Path, str]
) -> dict[Module, list[Edit]]:
    """Returns other edits for the files from which edits remove names that are still read."""
    afters = {
        module: Module(replace(module.source, text=texts[module.source.path]))
        for module in edits
        if module.source.path in texts
    }
    new_edits: dict[Module, list[Edit]] = {}
    for module, names in still_read(program, afters).items():
        codes = {id(s.binding): _import(s) for s in names}
        new = [_keeping(module, edit, codes) for edit in edits[module]]
        if new != list(edits[module]):
            new_edits[module] = new
    return new_edits


def _lost(module: Module, after: Module) -> dict[str, ImportBinding | AssignBinding]:
    """Returns the names of TensorFlow that only the old text of a file binds."""
    lost: dict[str, ImportBinding | AssignBinding] = {}
    bound = after.names.scope_of[after.tree].bindings
    for name, bindings in module.names.scope_of[module.tree].bindings.items():
        first = bindings[0]
        if name in bound or not isinstance(first, (ImportBinding, AssignBinding)):
            continue
        if _meaning(module, first).partition(".")[0] in _ROOTS:
            lost[name] = first
    return lost


def _meaning(module: Module, binding: ImportBinding | AssignBinding) -> str:
    if isinstance(binding, ImportBinding):
        return binding.qualified
    return module.resolve(binding.value) or ""


def _read_in(after: Module, names: Collection[str]) -> tuple[set[str], set[str]]:
    """Returns which names a file itself reads, and which in code that never runs."""
    free = _free_nodes(after, names)
    dead = {node.id for node in free if is_dead(after, node)}
    live = {node.id for node in free if not is_dead(after, node)}
    texts = names_in_texts(syntax_of(after.source.path, after.source.text))
    return live | texts.intersection(names), dead


def _taken(
    program: Program, afters: Mapping[Module, Module], lost: Mapping[Module, Collection[str]]
) -> dict[Module, set[str]]:
    """Returns which of the lost names other files read, directly or through further files."""
    taken: dict[Module, set[str]] = defaultdict(set)
    passed: list[tuple[Module, str, Module, str]] = []  # a name of one file, and of another one
    readers = [*program.modules, *program.parsed_outside(list(lost))]
    for module in readers:
        after = afters.get(module, module)
        for holder in all_sources(module, program.star_sources):
            taken[holder] |= _free(after, lost.get(holder, ()))
        for binding in after.import_bindings:
            held = None if is_of_package(binding) else program.source_of(module, binding)
            if held is None or held[0] not in lost:
                continue
            if not held[1]:
                taken[held[0]] |= {name for name, _ in read_from(after, binding.local)}
            elif _reads(after, binding.local):
                taken[held[0]].add(held[1])
            else:
                passed.append((module, binding.local, held[0], held[1]))
    _pass_on(taken, passed, program, readers)
    return taken


def _pass_on(
    names_read: dict[Module, set[str]],
    passed: Sequence[tuple[Module, str, Module, str]],
    program: Program,
    readers: Sequence[Module],
) -> None:
    """Adds the names that files import only for others that read them there."""
    between = {(module, local) for module, local, _, _ in passed}
    for module in readers if between else ():
        for binding in module.import_bindings:
            held = None if is_of_package(binding) else program.source_of(module, binding)
            if held is not None:
                names = [held[1]] if held[1] else [n for n, _ in read_from(module, binding.local)]
                names_read[held[0]] |= {name for name in names if (held[0], name) in between}
    for module, local, holder, name in reversed(passed):
        if local in names_read[module]:
            names_read[holder].add(name)


def _reads(after: Module, name: str) -> bool:
    texts = names_in_texts(syntax_of(after.source.path, after.source.text))
    return name in texts or any(node.id == name for node in after.all(ast.Name))


def _free(after: Module, names: Collection[str]) -> set[str]:
    """Returns which names a file reads and does not bind."""
    return {node.id for node in _free_nodes(after, names)}


def _free_nodes(after: Module, names: Collection[str]) -> list[ast.Name]:
    return [node for node in after.all(ast.Name) if node.id in names and not after.bindings(node)]


def _import(read: StillRead) -> str:
    """Returns the import that binds a name to what it meant; "" where nothing does."""
    binding = read.binding
    is_public = public_name(canonical(read.meaning)) is not None
    if isinstance(binding, ImportBinding) and _is_there(binding) and not is_public:
        return _written(binding)
    if read.is_dead:
        return ""
    return next(_replacements(canonical(read.meaning), read.name), "")


def _is_there(binding: ImportBinding) -> bool:
    chain = chain_of_import(binding)
    return chain is not None and not all(missing_part(chain, k) for k in (KERAS_2, KERAS_3))


def _written(binding: ImportBinding) -> str:
    name = binding.alias.name
    bound = f" as {binding.alias.asname}" if binding.alias.asname else ""
    if isinstance(binding.statement, ast.ImportFrom):
        return f"from {binding.statement.module} import {name}{bound}"
    return f"import {name}{bound}"


def _replacements(qualified: str, name: str) -> Iterator[str]:
    """Yields the imports of what has a name of TensorFlow 1.x, under a name of the file."""
    chains = []
    if public := public_name(qualified):
        chains.append(f"{_V1}.{public[0]}{public[1]}")
    if core := simple_core_name(qualified):
        chains.append(f"{_V1}.{core}")
    chains += [
        package.target + qualified.removeprefix(package.source)
        for package in PACKAGES
        if package.offers_qualified(qualified)
    ]
    for chain in chains:
        yield import_of(chain, name)


def _keeping(module: Module, edit: Edit, codes: Mapping[int, str]) -> Edit:
    """Returns an edit that removes a name, as one that binds it to what replaces it."""
    if isinstance(edit, ChangeImport) and not edit.code:
        bound = next(b for b in module.import_bindings if b.alias is edit.alias)
        return replace(edit, code=codes.get(id(bound), ""))
    if isinstance(edit, ReplaceStatement) and not edit.codes:
        for bindings in module.names.scope_of[module.tree].bindings.values():
            for binding in bindings:
                if isinstance(binding, AssignBinding) and binding.statement is edit.statement:
                    code = codes.get(id(binding), "")
                    return replace(edit, codes=(Code(code),) if code else ())
    return edit
