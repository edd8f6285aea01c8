"""What is wrong with one migrated file, asked without the migrator's own tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from chains import Chain, Names, Need
from program_graph import reachable
from structure import (
    double_imports,
    eager_session,
    graph_methods,
    has_main,
    late_switch,
    starts,
    switches,
    tf2_evidence,
    unused_imports,
)
from texts import OTHER, TF2, Text, original_lines

SLOW_FILE = 2.0
_DOTTED = re.compile(r"\w+(?:\.\w+)+")
REFUSED = "cannot be rewritten"
SECOND_RUN = "a second run would change"
UNNEEDED, MODE = "changed_though_resolved", ".disable_"


@dataclass
class Original:
    """A file as it was.

    Attributes:
        text: its text.
        family: what it uses.
        needs: the names it needs; none where it does not parse.
        missing: how many of them are not in TensorFlow 2.
        absent: the names that TensorFlow 1.15 does not have either.
    """

    text: Text
    family: str
    needs: list[Need]
    missing: int
    absent: set[str]


@dataclass
class Judged:
    """One file after one run.

    Attributes:
        file: its path in the repository.
        family: what it uses.
        parses: whether its result parses as Python 3.
        changed: whether it has a new text.
        missing: how many names are not in TensorFlow 2.
        lacks: these names; of a module that is missing only the module.
        left: how many findings are left.
        problems: kind, place in the result and what it is.
    """

    file: str
    family: str
    parses: bool = False
    changed: bool = False
    missing: int = 0
    lacks: list[str] = field(default_factory=list)
    left: int = 0
    problems: list[tuple[str, str, str]] = field(default_factory=list)


def original(
    text: Text, family: str, missing: Callable[[Need], str], missing_before: Callable[[Need], str]
) -> Original:
    """Looks at a file before anything is done to it."""
    needs = Names(text.tree).needs() if text.tree else []
    open_names = [need for need in needs if missing(need)]
    absent = {
        need.name
        for need in open_names
        if need.name.startswith("tensorflow.") and missing_before(need)
    }
    if family == OTHER and text.tree and not open_names and not any(map(_is_legacy, needs)):
        family = TF2
    return Original(text, family, needs, len(open_names), absent)


def judged(
    file: str,
    was: Original,
    now: Text,
    changed: bool,
    findings: list[list[Any]],
    missing: Callable[[Need], str],
) -> Judged:
    """Looks at a file after a run.

    Args:
        file: its path.
        was: what it was.
        now: its text.
        changed: whether it was written.
        findings: what the run said of it, as ``Migrated.findings`` has it.
        missing: says why TensorFlow 2 lacks a name; "" where it has it.
    """
    result = Judged(file, was.family, now.tree is not None, changed)
    add = result.problems.append
    left = [finding for finding in findings if not finding[2]]
    result.left = len(left)
    for code, severity, _, line, _, message, _ in left:
        if REFUSED in message:
            kind = "second_run_refused" if SECOND_RUN in message else "refused"
            add((kind, str(line), f"{code} {message}"))
        elif code == "TFM909":
            add(("internal_error", str(line), f"{code} {message}"))
        elif severity == "error" and was.text.tree is not None:
            add(("refused_though_it_parses", str(line), f"{code} {message}"))
    if now.tree is None:
        if was.text.tree is not None:
            add(("destroyed", "", "the result does not compile"))
        return result
    names = Names(now.tree)
    lines: list[int] = []
    for need in names.needs():
        reason = missing(need)
        if reason:
            result.missing += 1
            result.lacks.append(reason if reason.startswith("No module named") else need.name)
            lines = lines or original_lines(was.text.code, now.code)
            kind = _told(need, lines, was.text, left, changed)
            if kind and need.name in was.absent:
                kind += "_not_in_1.15"
            if kind:
                add((kind, now.shown(need.line), f"{need.name}: {reason}"))
    result.lacks = sorted(set(result.lacks))
    found = []
    if changed and was.text.tree is not None:
        found = _of_changes(was, now, names)
    result.problems += [(kind, now.shown(line), what) for kind, line, what in found]
    return result


def _of_changes(was: Original, now: Text, names: Names) -> list[tuple[str, int, str]]:
    assert was.text.tree is not None and now.tree is not None
    found = []
    became = {need.name: need.line for need in names.needs() if _is_legacy(need)}
    if not was.missing and became and not runs_graphs(was):
        evidence = tf2_evidence(Names(was.text.tree), was.text.tree)
        name, line = next(iter(became.items()))
        if evidence:
            found.append(("tf2_program_changed", line, evidence))
        elif not graph_methods(was.text.tree):
            what = f"all its names are in TensorFlow 2; gets {name}"
            found.append((UNNEEDED, line, what))
    for line, name in unused_imports(was.text.tree, now.tree):
        found.append(("unused_import", line, name))
    for line, name in double_imports(was.text.tree, now):
        found.append(("double_import", line, name))
    place = late_switch(names, now.tree)
    if place:
        found.append(("late_switch", place, "a TensorFlow call runs above the mode switch"))
    return found


def without_switch(
    files: Mapping[str, Text], graph: Mapping[str, set[str]], old: Collection[str]
) -> dict[str, str]:
    """Returns the start files of programs that make sessions and never choose graph mode.

    Args:
        files: the files after a run.
        graph: which of them each imports.
        old: those that were written for TensorFlow 1.x: sessions of others know of both modes.
    """
    trees = {file: text.tree for file, text in files.items() if text.tree}
    session, switching = {}, set()
    for file, tree in trees.items():
        line = eager_session(Names(tree), tree)
        if line and file in old:
            session[file] = f"{file}:{files[file].shown(line)}"
        if switches(tree):
            switching.add(file)
    found = {}
    imported = {other for file in trees for other in reachable(file, graph) - {file}}
    for file, tree in trees.items():
        around = reachable(file, graph)
        if (
            (has_main(tree) or (starts(tree) and file not in imported))
            and around & session.keys()
            and not around & switching
        ):
            where = session[min(around & session.keys(), key=lambda other: other != file)]
            found[file] = f"a session is made ({where}), and nothing chooses graph mode"
    return found


def runs_graphs(was: Original) -> bool:
    """Returns whether a file is one of TensorFlow 1.x."""
    return was.missing > 0 or any(_is_legacy(need) for need in was.needs)


def _is_legacy(need: Need) -> bool:
    return "compat.v1" in need.name or need.name.startswith("tfmigrate_runtime")


def _told(need: Need, lines: list[int], text: Text, left: list[list[Any]], changed: bool) -> str:
    """Returns "" where a finding tells of a missing name, "untold" or "silent" otherwise."""
    if not left:
        return "silent"
    if not changed:
        return ""
    line = lines[need.line] if need.line < len(lines) else 0
    place = text.places[line - 1] if 0 < line <= len(text.places) else (0, 0)
    leaf = _leaf(need.chains)
    for _, _, _, at, cell, message, action in left:
        if (cell, at) == place or any(part in f"{message} {action}" for part in leaf):
            return ""
        if any(_is_above_or_below(word, need.name) for word in _DOTTED.findall(message)):
            return ""
    return "untold"


def _is_above_or_below(word: str, name: str) -> bool:
    """Returns whether a finding names a package of a missing name, or something in it."""
    name = re.sub(r"^tensorflow\.compat\.v[12]\.", "tensorflow.", name)
    word = f"tensorflow{word[2:]}" if word.startswith("tf.") else word
    if name.startswith("tensorflow.contrib."):  # findings have public names, as a rule
        name, word = name.replace(".python.", "."), word.replace(".python.", ".")
    deep = word not in ("tensorflow.contrib", "tensorflow.compat", "tensorflow.python")
    return f"{word}.".startswith(f"{name}.") or (deep and name.startswith(f"{word}."))


def _leaf(chains: tuple[Chain, ...]) -> set[str]:
    parts = [part for part in ".".join(filter(None, chains[0])).split(".") if part]
    return {".".join(parts[-2:]), parts[-1]} if len(parts) > 1 else set(parts)
