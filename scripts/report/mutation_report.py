"""Verifies wrong migrations of every fixture, and tells which of them are caught.

    python scripts/report/mutation_report.py --folder RUNS --each 10
    python scripts/report/mutation_report.py --folder RUNS --write

Every fixture's migrated program is changed in one place at a time (tests/mutations), and given to
``tfmigrate verify`` with the fixture's trace of TensorFlow 1.x. RUNS keeps a line of JSON for each
run, so that this can be interrupted, or made for some of the fixtures (--select). One that the
command calls the same (exit code 0) is run once more, for the graphs that it runs (graphs_run.py):
where these are those of the unchanged program, with the same feeds, or where all that it computes
is the same bit for bit, it is none, and another takes its place.

--write puts the tables into "Wrong migrations" of verification_results.md. Programs run in forks
of a process that has imported TensorFlow (tests/warm_python).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.running.run_program import run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
for _name in ("", "mutations", "warm_python"):
    sys.path.insert(0, str(ROOT / "tests" / _name))

from mutation_tables import SAME_GRAPHS, SAME_NUMBERS, Judged, section  # noqa: E402
from recorded_cases import Case, load_case, program_of  # noqa: E402
from verify_command import command_line, run_command  # noqa: E402
from warm_launcher import write_launcher  # noqa: E402
from wrong_migrations import Mutation, chosen, mutations_of  # noqa: E402

PAGE = ROOT / "docs/reference/verification_results.md"
GRAPHS_RUN = ROOT / "tests" / "mutations" / "graphs_run.py"
LOG = "runs.jsonl"
TIMEOUT_SECONDS = 180.0
_MESSAGE_LINES = 3


@dataclass(frozen=True)
class Wrong:
    """A wrong migration of a fixture.

    Attributes:
        case: the fixture.
        file: the changed file, relative to the migrated program's folder.
        mutation: what was changed.
    """

    case: Case
    file: Path
    mutation: Mutation

    @property
    def key(self) -> str:
        """What tells it from all others, and from itself in another form of the fixture."""
        digest = sha256(f"{self.file}\n{self.mutation.text}".encode()).hexdigest()
        return f"{self.case.folder.parent.name}-{self.case.folder.name}-{digest[:12]}"


@dataclass(frozen=True)
class Run:
    """What is kept of a run.

    Attributes:
        key: of what was run.
        code: the exit code of ``tfmigrate verify``.
        rung: that told it, "" where none did.
        details: what verify said, or the end of what a program wrote that failed.
        equivalent: whether it runs the graphs of the unchanged program; None: not looked at.
    """

    key: str
    code: int
    rung: str
    details: str
    equivalent: bool | None = None


class Runs:
    """All runs that were made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / LOG
        lines = log.read_text().splitlines() if log.exists() else []
        found = [Run(**json.loads(line)) for line in lines if line.endswith("}")]
        self._runs = {run.key: run for run in found}

    def trace(self, wrong: Wrong) -> Path:
        """Returns where the trace of a run is."""
        return self._folder / f"{wrong.key}.npz"

    def unchanged(self, case: Case) -> Path:
        """Returns where the trace of a fixture's program is as it should be."""
        return self._folder / f"{case.folder.parent.name}-{case.folder.name}.npz"

    def get(self, wrong: Wrong) -> Run | None:
        """Returns a run, None if it was not made."""
        return self._runs.get(wrong.key)

    def add(self, run: Run) -> None:
        """Adds a run, or what is known of it besides."""
        self._runs[run.key] = run
        with (self._folder / LOG).open("a") as stream:
            stream.write(json.dumps(asdict(run)) + "\n")


def wrong_forms(case: Case) -> list[Wrong]:
    """Returns all wrong migrations of a fixture."""
    folder = case.migrated.parent
    single = folder == case.folder
    restores = case.cluster is None and any(
        call["kind"] == "train" and call["before"] for call in load_trace(case.trace).calls or ()
    )
    return [
        Wrong(case, path.relative_to(folder), mutation)
        for path in ([case.migrated] if single else sorted(folder.rglob("*.py")))
        for mutation in mutations_of(path.read_text(), restores)
    ]


def in_order(select: str) -> dict[str, list[Wrong]]:
    """Returns the wrong migrations of each fixture, in the order in which they are taken."""
    cases = [load_case(path.parent) for path in sorted(FIXTURES.glob(f"{select}/case.toml"))]
    cases.sort(key=lambda case: case.cluster is not None)  # clusters take longest
    forms = {case.folder: wrong_forms(case) for case in cases}
    occurrences = Counter(
        kind for found in forms.values() for kind in {wrong.mutation.kind for wrong in found}
    )
    ordered = {}
    for folder, found in forms.items():
        by_mutation = {wrong.mutation: wrong for wrong in found}
        taken = chosen([wrong.mutation for wrong in found], len(found), occurrences)
        ordered[f"{folder.parent.name}/{folder.name}"] = [by_mutation[one] for one in taken]
    return ordered


def run_program(case: Case, script: Path, python: str, target: Path) -> None:
    """Records a fixture's program.

    Raises:
        ProgramFailed: it failed.
    """
    run_recorded(program_of(case, script, python), target, TIMEOUT_SECONDS, case.trace)


@contextlib.contextmanager
def written(wrong: Wrong) -> Iterator[Path]:
    """Gives the start script of a wrong migration."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "migrated"
        migrated = wrong.case.migrated
        if migrated.parent == wrong.case.folder:
            tree.mkdir()
        else:
            shutil.copytree(migrated.parent, tree)
        (tree / wrong.file).write_text(wrong.mutation.text)
        yield tree / migrated.name


def make_run(wrong: Wrong, python: str) -> Run:
    """Verifies a wrong migration by the command."""
    with written(wrong) as script:
        ended = run_command(command_line(wrong.case, script), python)
    if ended.code == 2:
        lines = [line for line in ended.error.splitlines() if line.strip("| ")]
        told = "\n".join([lines[0][-200:], *lines[-_MESSAGE_LINES:]])
        return Run(wrong.key, ended.code, ended.told, told)
    return Run(wrong.key, ended.code, ended.told, ended.details)


def graphs_of(case: Case, script: Path, python: str, target: Path) -> list[str]:
    """Returns the graphs that a program runs, in a form that can be compared; writes its trace."""
    with tempfile.TemporaryDirectory() as scratch:
        observed = Path(scratch) / "python"
        observed.write_text(f'#!/bin/sh\nexec {python} {GRAPHS_RUN} "$@"\n')
        observed.chmod(0o755)
        os.environ["TFMIGRATE_GRAPHS"] = scratch
        run_program(case, script, str(observed), target)
        return sorted(path.read_text() for path in Path(scratch).glob("*.json"))


def judged(name: str, wrong: Wrong, runs: Runs) -> Judged | None:
    """Returns what became of a wrong migration; None where it was not run, or is none."""
    run = runs.get(wrong)
    if run is None:
        return None
    if run.code in (1, 2):
        return Judged(name, wrong.mutation, wrong.file, run.rung, run.details)
    if run.code == 3:
        return Judged(name, wrong.mutation, wrong.file, "", f"not decided: {run.details}")
    if run.equivalent:
        return Judged(name, wrong.mutation, wrong.file, "", SAME_GRAPHS, True)
    reason = how_far(wrong, runs.unchanged(wrong.case), runs.trace(wrong))
    return Judged(name, wrong.mutation, wrong.file, "", reason, reason == SAME_NUMBERS)


def how_far(wrong: Wrong, unchanged: Path, target: Path) -> str:
    """Reports how far what was recorded of a wrong migration is from that of the right one."""
    if not unchanged.exists():
        return "not compared with the unchanged program"
    with np.load(unchanged) as old, np.load(target) as new:
        names = {name for name in {*old.files, *new.files} if not name.endswith("meta")}
        only = [name for name in names if name not in old.files or name not in new.files]
        if only:
            return f"{len(only)} recorded arrays are only on one side"
        differences = {name: greatest_difference(old[name], new[name]).size for name in names}
    worst = max(differences, key=lambda name: differences[name])
    if not differences[worst]:
        return SAME_NUMBERS
    return f"differs by up to {differences[worst]:.1e} ({worst})"


def is_equivalent(wrong: Wrong, runs: Runs, python: str) -> bool:
    """Runs a wrong migration once more, and says whether its graphs are the unchanged program's."""
    trace = runs.unchanged(wrong.case)
    graphs = trace.with_suffix(".json")
    if not graphs.exists() or not trace.exists():
        found = graphs_of(wrong.case, wrong.case.migrated, python, trace)
        graphs.write_text(json.dumps(found))
    with written(wrong) as script:
        mine = graphs_of(wrong.case, script, python, runs.trace(wrong))
    return bool(mine == json.loads(graphs.read_text()))


def make_run_and_judge(name: str, wrong: Wrong, runs: Runs, python: str) -> Judged:
    """Returns what became of a wrong migration, which is run where it was not."""
    run = runs.get(wrong)
    if run is None:
        run = make_run(wrong, python)
        runs.add(run)
    found = judged(name, wrong, runs)
    if found is not None and run.code == 0:
        if run.equivalent is None or not runs.unchanged(wrong.case).exists():
            same = is_equivalent(wrong, runs, python)
            runs.add(replace(run, equivalent=same))
            print(f"{name}: {found.place}: not told, equivalent: {same}", flush=True)
        found = judged(name, wrong, runs)
    assert found is not None
    return found


def make_runs(select: str, each: int, runs: Runs, python: str) -> None:
    """Runs what was not run yet, one of each fixture before a second one of any."""
    ordered = in_order(select)
    waiting = {name: iter(forms) for name, forms in ordered.items()}
    for _ in range(each):
        for name, forms in waiting.items():
            for wrong in forms:
                if not make_run_and_judge(name, wrong, runs, python).equivalent:
                    break


def all_judged(select: str, each: int, runs: Runs) -> list[Judged]:
    """Returns what became of the wrong migrations that were run."""
    found = []
    for name, forms in in_order(select).items():
        own = [one for one in (judged(name, wrong, runs) for wrong in forms) if one is not None]
        found += own
        wrong_ones = sum(not one.equivalent for one in own)
        if wrong_ones < each:
            print(f"{name}: {wrong_ones} of {each} were run", file=sys.stderr)
    return found


def main() -> None:
    """Makes the runs, prints the tables or writes them into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="where runs are kept")
    parser.add_argument("--each", type=int, default=10, help="of each program (default: 10)")
    parser.add_argument("--select", default="*/*", help="FAMILY/FIXTURE, a pattern")
    parser.add_argument("--table", action="store_true", help="run nothing, print the tables")
    parser.add_argument("--write", action="store_true", help="run nothing, write the page")
    options = parser.parse_args()
    runs = Runs(options.folder)
    if not (options.table or options.write):
        with tempfile.TemporaryDirectory(prefix="tfmigrate-warm-") as folder:
            python = str(write_launcher(Path(folder), sys.executable))
            make_runs(options.select, options.each, runs, python)
    text = section(all_judged(options.select, options.each, runs))
    if not options.write:
        print(text)
        return
    before, begin, rest = PAGE.read_text().partition("<!-- wrong migrations: begin -->\n")
    _, end, after = rest.partition("<!-- wrong migrations: end -->")
    if not begin or not end:
        sys.exit(f"{PAGE} has no place for the tables")
    PAGE.write_text(before + begin + text + end + after)


if __name__ == "__main__":
    main()
