"""Names in the new texts that fail after a migration and that no rule reports."""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfmigrate.engine.names_still_read import still_read
from tfmigrate.families.tf1.is_tf1 import is_of_v1, is_root, legacy_modules, names_of_v2
from tfmigrate.families.tf1.keras_2 import asks_for_keras
from tfmigrate.families.tf1.renamed_package import CONTRIB
from tfmigrate.files.logical_lines import lines_before
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.references import Reference, doubts, own_names, references
from tfmigrate.resolve.scopes import AssignBinding, ImportBinding
from tfmigrate.resolve.stars import given_chains, own_stars
from tfmigrate.rulekit.basics import Draft, Program
from tfmigrate.rulekit.registry import Missing
from tfmigrate.tables import symbol_table
from tfmigrate.tables.chains import Chain
from tfmigrate.tables.present_names import KERAS_2, KERAS_3, missing_part
from tfmigrate.tables.runtime_modules import RUNTIME, VENDORED

_EITHER = frozenset((KERAS_2, KERAS_3))
_ROOTS = ("tensorflow", "keras", RUNTIME)


@dataclass(frozen=True)
class Decided:
    """What the rules reported about one file.

    Attributes:
        lines: the lines that they said something of that is not fixed.
        waiting: the lines of edits that are not made.
        is_held_back: whether there are such edits.
    """

    lines: Collection[int]
    waiting: Collection[int]
    is_held_back: bool


def unresolved(
    program: Program,
    texts: Mapping[Path, str],
    decided: Mapping[Module, Decided],
    draft_of: Missing,
    known: Sequence[Module] = (),
) -> Iterator[Draft]:
    """Yields a draft for each name that a file's new text needs and TensorFlow 2.21 lacks.

    Args:
        texts: the new texts of those that change.
        decided: what the rules said of each file.
        draft_of: what the rule about such names says of one.
        known: files with new texts that are parsed already.
    """
    parsed = {(module.source.path, module.source.text): module for module in known}
    afters = {module: _after(module, texts, parsed) for module in program.modules}
    kerases = _kerases(program, afters)
    legacy = set(program.once(legacy_modules))
    changed = {module: after for module, after in afters.items() if after is not module}
    gone = still_read(program, changed)
    ours = [m for m in program.modules if m.mentions(*_ROOTS) or own_stars(m)]
    module_chains = {module: given_chains(module, program, afters.__getitem__) for module in ours}
    own = frozenset(name for m in ours for name in own_names(afters[m], module_chains[m]))
    for module in program.modules:
        for lost in gone.get(module, ()):
            if not lost.is_dead:
                node = _node_of(lost.binding)
                yield draft_of(module, node, lost.meaning, lost.meaning, "", 0)
        if module not in module_chains:
            continue
        after = afters[module]
        decision = decided[module]
        # An unchanged file may be written for either generation of TensorFlow.
        either = (decision.is_held_back and module in legacy) or (
            is_of_v1(module) and bool(names_of_v2(module))
        )
        # The change that an unchanged file waits for may be the one that selects Keras 2.
        keras = _EITHER if (decision.is_held_back and after is module) else kerases[module]
        needed = references(after, module_chains[module], own, both_modes=module in legacy)
        if failing := _missing(program, module, needed, keras, either):
            places = _first_places(module, after, failing, decision)
            yield from _once(draft_of(module, *place, "", 0) for place in places)
        yield from _in_doubt(module, after, keras, decision, draft_of)


def _once(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Yields the drafts that say something new: a missing module is one, whatever is used of it."""
    said: set[tuple[str, str]] = set()
    for draft in drafts:
        if (draft.message, draft.action) not in said:
            said.add((draft.message, draft.action))
            yield draft


def _node_of(binding: ImportBinding | AssignBinding) -> ast.AST:
    return binding.alias if isinstance(binding, ImportBinding) else binding.statement


def _in_doubt(
    module: Module, after: Module, keras: frozenset[str], decision: Decided, draft_of: Missing
) -> Iterator[Draft]:
    """Yields a draft for each import of TensorFlow 1.x that the file binds something else to."""
    if not (doubtful := doubts(after)):
        return
    line_of = _lines_before(module, after)
    reported: set[tuple[str, int]] = set()
    for doubt in doubtful:
        chain = doubt.reference.chains[0]
        line, again = line_of(doubt.reference.position[0]), line_of(doubt.line)
        part = _part(chain, keras, False)
        if part is None or (doubt.name, again) in reported or line in decision.lines:
            continue
        # A loop over counts may call them `tf` too: `tf.Session` shows that it is not a count.
        if symbol_table.is_found(canonical(part).removeprefix("tensorflow."), symbol_table.OLD):
            reported.add((doubt.name, again))
            node = _place(module, line, doubt.reference.position[1] if after is module else 1)
            yield draft_of(module, node, chain.qualified, part, doubt.name, again)


def _after(
    module: Module, texts: Mapping[Path, str], parsed: Mapping[tuple[Path, str], Module]
) -> Module:
    path = module.source.path
    if (text := texts.get(path, module.source.text)) == module.source.text:
        return module
    return parsed.get((path, text)) or Module(replace(module.source, text=text))


def _missing(
    program: Program,
    module: Module,
    needed: Sequence[Reference],
    kerases: frozenset[str],
    either: bool,
) -> list[tuple[Reference, str]]:
    """Returns the references of a file that fail, each with its first missing part."""
    failing = []
    for reference in needed:
        parts = [_part(chain, kerases, either) for chain in reference.chains]
        if all(parts) and not any(_is_own(program, module, c) for c in reference.chains):
            failing.append((reference, parts[0] or ""))
    return failing


def _is_own(program: Program, module: Module, chain: Chain) -> bool:
    name = ".".join(part for part in (chain.module, chain.member) if part)
    return "." in name and program.is_own(module, name)


def _part(chain: Chain, kerases: frozenset[str], either: bool) -> str | None:
    chains = [chain]
    if either and chain.root == "tensorflow":
        name = chain.qualified.split(".")
        below = name[3:] if name[1:3] in (["compat", "v1"], ["compat", "v2"]) else name[1:]
        chains += [Chain(f"tensorflow.compat.{v}", "", ".".join(below)) for v in ("v1", "v2")]
    parts = [missing_part(c, keras) for c in chains for keras in sorted(kerases)]
    return parts[0] if all(parts) else None


def _first_places(
    module: Module, after: Module, unresolved: Sequence[tuple[Reference, str]], decision: Decided
) -> Iterator[tuple[ast.AST, str, str]]:
    """Yields every name that no rule reports: its first place, the name, and the missing part."""
    line_of = _lines_before(module, after)
    places: dict[str, list[tuple[int, int, Reference, str]]] = {}
    for reference, part in unresolved:
        line = line_of(reference.position[0])
        name = canonical(reference.chains[0].qualified)
        places.setdefault(name, []).append((line, reference.position[1], reference, part))
    said = {u.qualified for u in module.uses if module.position(u.node)[0] in decision.lines}
    held = tuple(f"{name}." for name in _held_packages(module, decision))
    used = {n for n, those in places.items() if any(r.chains[0].attributes for *_, r, _ in those)}
    failing = [
        b.qualified for b in imports(module) if module.position(b.alias)[0] in decision.lines
    ]
    for name, those in places.items():
        if (
            name in said
            or name.startswith(held)
            # An import that fails, and is reported, needs no finding for what is used of it.
            or any(_is_below(name, i) and _is_below(i, those[0][3]) for i in failing)
            or any(line in decision.lines for line, *_ in those)
        ):
            continue
        if all(line in decision.waiting for line, *_ in those):
            continue
        # An import of names that are reported one by one need not be reported as well.
        if name not in used and any(other.startswith(name + ".") for other in used | said):
            continue
        line, column, reference, part = those[0]
        node = _place(module, line, column if after is module else 1)
        yield node, reference.chains[0].qualified, part


def _is_below(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")


def _held_packages(module: Module, decision: Decided) -> Iterator[str]:
    """Yields the packages of tf.contrib whose import, or alias, a rule reports or waits to change.

    What is in them need not be reported name by name.
    """
    known = {*decision.lines, *decision.waiting}
    bound: list[tuple[str | None, ast.AST]] = [
        (canonical(b.qualified), b.alias) for b in imports(module)
    ]
    bound += [
        (module.resolve(statement.value), statement)
        for statement in module.all(ast.Assign)
        if isinstance(statement.value, (ast.Name, ast.Attribute))
    ]
    for name, place in bound:
        if name and name.startswith(f"{CONTRIB}.") and module.position(place)[0] in known:
            yield name


def _place(module: Module, line: int, column: int) -> ast.AST:
    """Returns a node for a place of a file for which its tree has none."""
    text = module.lines[line - 1]
    column = column if column > 1 else len(text) - len(text.lstrip()) + 1
    offset = len(text[: column - 1].encode())
    return ast.Pass(lineno=line, col_offset=offset, end_lineno=line, end_col_offset=offset)


def _lines_before(module: Module, after: Module) -> Callable[[int], int]:
    """Returns the function that gives the line of the old text for one of the new text."""
    if after is module:
        return lambda line: line
    rows = lines_before(module.lines, after.lines)
    return [1, *(min(row + 1, len(module.lines)) for row in rows)].__getitem__


def _kerases(program: Program, afters: Mapping[Module, Module]) -> dict[Module, frozenset[str]]:
    """Returns which Keras each file may run with.

    The file that a program starts with decides, by what it and its modules import; where no such
    file reaches it, a file that no other one imports.
    """
    runtime = {m for m, after in afters.items() if _asks_for_keras_2(after)}
    asks = {m for m, after in afters.items() if asks_for_keras(after)}
    kerases: dict[Module, set[str]] = {module: set() for module in program.modules}
    for start in program.modules:
        if not is_root(program, start):
            continue
        reached = program.reachable(start)
        keras = KERAS_2 if (program.keras_2 or reached & (runtime | asks)) else KERAS_3
        for module in reached:
            kerases[module].add(keras)
    return {m: frozenset(k) if k else _EITHER for m, k in kerases.items()}


def _asks_for_keras_2(module: Module) -> bool:
    """Returns whether a file imports the runtime or a copy of it, which selects Keras 2."""
    named = [alias.name for statement in module.all(ast.Import) for alias in statement.names]
    named += [s.module or "" for s in module.all(ast.ImportFrom) if not s.level]
    return any(name.partition(".")[0] in (RUNTIME, VENDORED) for name in named)
