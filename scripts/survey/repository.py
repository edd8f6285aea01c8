"""The survey of one repository."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from answers import Interpreter
from chains import Names, Need
from importing import Importers
from judging import (
    MODE,
    SLOW_FILE,
    UNNEEDED,
    Judged,
    Original,
    judged,
    original,
    runs_graphs,
    without_switch,
)
from migrating import Migrated, migrate_alone, migrate_folder
from program_graph import imports_of, reachable, with_keras_2
from remains import lost_own_names, of_python, refused_arguments
from texts import HELPER, Text, family_of, original_lines, text_of, uses_tensorflow
from upgrading import upgraded

SLOW_PER_CHANGED = 0.2
IMPORTED = 20
TOGETHER, ALONE = "in the repository", "alone"
AS_IT_IS, UPGRADE = "as it is", "tf_upgrade_v2"


@dataclass(frozen=True)
class Limits:
    """How much is tried.

    Attributes:
        alone: how many files are tried alone; a sample where there are more.
        seconds: the limit of processor time for the whole repository.
        twice: whether each run is made again on its result.
    """

    alone: int
    seconds: int
    twice: bool


@dataclass
class Interpreters:
    """Who is asked for names: TensorFlow 2 with Keras 3 and with Keras 2, and TensorFlow 1.15."""

    keras_3: Interpreter
    keras_2: Interpreter
    reference: Interpreter | None

    def missing(self, need: Need, legacy_keras: bool) -> str:
        """Returns why TensorFlow 2 lacks a name; "" where it has it."""
        # The runtime selects Keras 2, which is too late once a process has looked at Keras 3.
        legacy_keras = legacy_keras or need.name.startswith("tfmigrate_runtime")
        asked = self.keras_2 if legacy_keras else self.keras_3
        if need.instead and not any(asked.missing([chain]) for chain in need.instead):
            return ""
        return asked.missing(need.chains)

    def missing_before(self, need: Need) -> str:
        """Returns why TensorFlow 1.15 lacks a name, as far as it is asked."""
        return self.reference.missing(need.chains) if self.reference else ""


class Repository:
    """One repository, which stays as it is.

    Args:
        root: its folder.
        interpreters: who is asked for names.
        importers: who imports the changed files; None for nobody.
        limits: how much is tried, and for how long.
    """

    def __init__(
        self, root: Path, interpreters: Interpreters, importers: Importers | None, limits: Limits
    ) -> None:
        self._root = root
        self._interpreters = interpreters
        self._importers = importers
        self._limits = limits
        self._originals = _originals(root, interpreters)
        self._sample = self._some(sorted(self._originals), limits.alone)

    def run(self, scope: str, mode: str) -> dict[str, Any]:
        """Returns what comes of one way to run, as it is written to a file."""
        if mode == AS_IT_IS:
            files = [
                Judged(file, was.family, was.text.tree is not None, missing=was.missing)
                for file, was in self._originals.items()
            ]
            return _run(scope, mode, files, None)
        if scope == TOGETHER:
            return self._together(mode)
        return self._alone(mode)

    def _some(self, files: Sequence[str], count: int) -> list[str]:
        return sorted(random.Random(self._root.name).sample(files, min(count, len(files))))

    def _together(self, mode: str) -> dict[str, Any]:
        run = migrate_folder(self._root, mode, self._limits.seconds, self._limits.twice)
        texts = _after(self._originals, run)
        everything = {**self._others(run), **texts}
        trees = {file: text.tree for file, text in everything.items() if text.tree}
        graph = imports_of(trees)
        legacy = with_keras_2(trees, graph)
        files = [self._judge(file, text, run, file in legacy) for file, text in texts.items()]
        self._add_switches(files, everything, graph)
        self._drop_needed_switches(files, graph)
        self._add_remains(files, everything, graph, run)
        result = _run(TOGETHER, mode, files, run)
        if self._importers:
            changed = [f for f in self._originals if f in run.changed and f.endswith(".py")]
            chosen = self._some(changed, IMPORTED)
            errors = self._importers.after(self._root, chosen, run, legacy)
            result["imported"] = len(errors)
            # Also in files that do not name TensorFlow, such as generated messages.
            reported = {f for f, found in run.findings.items() if not all(one[2] for one in found)}
            for one in result["files"]:
                error = errors.get(one["file"])
                if error and not reachable(one["file"], graph) & reported:
                    one["problems"].append(("import_broken", "", error))
        return result

    def _add_remains(
        self,
        files: list[Judged],
        after: Mapping[str, Text],
        graph: Mapping[str, set[str]],
        run: Migrated,
    ) -> None:
        """Adds what programs lack besides names of TensorFlow, where no finding is on the line."""
        before = {**self._others(Migrated()), **{f: o.text for f, o in self._originals.items()}}
        plain = [file for file in after if file.endswith(".py") and after[file].tree is not None]
        old = {f: before[f] for f in plain if f in before and before[f].tree is not None}
        found = [
            *lost_own_names(
                {f: t.tree for f, t in old.items() if t.tree is not None},
                {f: t for f in plain if (t := after[f].tree) is not None},
                graph,
            ),
            *of_python({f: old[f].code for f in old}, {f: after[f].code for f in plain}, graph),
        ]
        keras_2 = with_keras_2({f: t for f in plain if (t := after[f].tree) is not None}, graph)
        for file in set(run.changed).intersection(plain):
            tree = after[file].tree
            assert tree is not None
            legacy = file in keras_2
            asked = self._interpreters.keras_2 if legacy else self._interpreters.keras_3
            refused = refused_arguments(tree, Names(tree), asked.parameters)
            found += [(file, problem) for problem in refused]
        known = {one.file: one for one in files}
        for file, (kind, line, what) in found:
            was = before[file].code if file in before else ""
            left = {one[3] for one in run.findings.get(file, []) if not one[2]}
            texts = " ".join(one[5] for one in run.findings.get(file, []) if not one[2])
            # A finding names all places of a name by the first.
            if (
                original_lines(was, after[file].code)[line] in left
                or what in texts.replace(",", "").split()
            ):
                continue
            if file not in known:
                known[file] = Judged(file, HELPER, True)
                files.append(known[file])
            known[file].problems.append((kind, after[file].shown(line), what))

    def _others(self, run: Migrated) -> dict[str, Text]:
        """Returns the files that do not name TensorFlow: programs start with them, too."""
        found = {}
        for path in self._root.rglob("*.py"):
            file = str(path.relative_to(self._root))
            if file in self._originals or not path.is_file():
                continue
            changed = run.changed.get(file)
            data = path.read_bytes() if changed is None else changed.encode("latin-1")
            found[file] = text_of(data, notebook=False)
        return found

    def _alone(self, mode: str) -> dict[str, Any]:
        if mode == UPGRADE:
            runs = upgraded(self._root, self._sample)
        else:
            runs = migrate_alone(self._root, self._sample, mode, 60, self._limits.twice)
        files = []
        for file, run in runs.items():
            text = _after({file: self._originals[file]}, run)[file]
            trees = {file: text.tree} if text.tree else {}
            one = self._judge(file, text, run, bool(with_keras_2(trees, {file: set()})))
            self._add_switches([one], {file: text}, {file: set()})
            if run.seconds > SLOW_FILE:
                one.problems.append(("slow_file", "", f"{run.seconds:.1f} s"))
            if run.trouble:
                one.problems.append(("trouble", "", run.trouble))
            if mode == UPGRADE:
                one.problems = []
            files.append(one)
        return _run(ALONE, mode, files, None)

    def _add_switches(
        self, files: Sequence[Judged], texts: Mapping[str, Text], graph: Mapping[str, set[str]]
    ) -> None:
        old = [file for file, was in self._originals.items() if was.missing]
        places = without_switch(texts, graph, old)
        for one in files:
            legacy = runs_graphs(self._originals[one.file])
            if one.file in places and legacy and not one.left:
                one.problems.append(("no_switch", "", places[one.file]))

    def _drop_needed_switches(self, files: Sequence[Judged], graph: Mapping[str, set[str]]) -> None:
        """Drops changes of files that only start programs of TensorFlow 1.x: those need a mode."""
        old = {file for file, was in self._originals.items() if runs_graphs(was)}
        for one in files:
            if reachable(one.file, graph) & old:
                one.problems = [p for p in one.problems if p[0] != UNNEEDED or MODE not in p[2]]

    def _judge(self, file: str, now: Text, run: Migrated, legacy: bool) -> Judged:
        changed, findings = file in run.changed, run.findings.get(file, [])

        def missing(need: Need) -> str:
            return self._interpreters.missing(need, legacy)

        result = judged(file, self._originals[file], now, changed, findings, missing)
        if file in run.again:
            result.problems.append(("changed_again", "", "a second run changes it"))
        return result


def _originals(root: Path, interpreters: Interpreters) -> dict[str, Original]:
    found = {}
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.ipynb")]):
        inside = path.relative_to(root)
        if any(part.startswith(".") for part in inside.parts) or not path.is_file():
            continue
        data = path.read_bytes()
        if b"tensorflow" not in data and b"tf_slim" not in data:
            continue
        text = text_of(data, path.suffix == ".ipynb")
        if uses_tensorflow(text):
            found[str(inside)] = original(
                text,
                family_of(text),
                lambda need: interpreters.missing(need, legacy_keras=False),
                interpreters.missing_before,
            )
    return found


def _after(originals: Mapping[str, Original], run: Migrated) -> dict[str, Text]:
    return {
        file: text_of(run.changed[file].encode("latin-1"), file.endswith(".ipynb"))
        if file in run.changed
        else was.text
        for file, was in originals.items()
    }


def _run(scope: str, mode: str, files: Sequence[Judged], run: Migrated | None) -> dict[str, Any]:
    result: dict[str, Any] = {"scope": scope, "mode": mode, "files": [asdict(f) for f in files]}
    if run is not None:
        limit = SLOW_PER_CHANGED * max(len(run.changed), 10)
        slow = [f"{run.seconds:.0f} s for {len(run.changed)} changed files"]
        trouble = [run.trouble] if run.trouble else []
        result |= {
            "seconds": run.seconds,
            "trouble": trouble + (slow if run.seconds > limit else []),
            "others_changed": sorted(set(run.changed) - {f.file for f in files}),
        }
    return result
