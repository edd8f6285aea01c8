"""Tries tfmigrate on public repositories and lists what goes wrong, by the family of the files.

Every file of a repository that imports TensorFlow is migrated alone and in its repository, by
default and with ``--unsafe --py2``. What comes of it is asked without the migrator's tables: does
it compile, does a second run change it, is every name of it in the installed TensorFlow, and if
not, does a finding say so. Repositories stay as they are; copies of them are migrated.

    python scripts/survey --repos FOLDER --out FOLDER    # one repository in each folder of --repos
    python scripts/survey ... --only NAME --again        # one of them, whatever --out has of it
    python scripts/survey --out FOLDER --table           # the tables of what --out has
    python scripts/survey --out FOLDER --page            # the first table of coverage.md

The names of the repositories are in scripts/survey/repositories.txt. It takes the tfmigrate that
is importable. Names and imports are compared with TensorFlow 1.15 by ``--reference-python``.
``--imports`` also RUNS code of the repositories, as importing.py describes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from typing import Any

from answers import Interpreter
from importing import Importers
from migrating import MODES
from report import failures, fill_page, table
from repository import ALONE, AS_IT_IS, TOGETHER, UPGRADE, Interpreters, Limits, Repository

_THREAD = local()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repos", type=Path, help="folder with one repository in each folder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the answers, as JSON")
    parser.add_argument("--only", action="append", help="name of a repository; may be repeated")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="also what --out has already")
    parser.add_argument("--alone", type=int, default=10, help="files of a repository tried alone")
    parser.add_argument("--mode", action="append", choices=(*MODES, UPGRADE))
    parser.add_argument("--reference-python", help="an interpreter with TensorFlow 1.15")
    parser.add_argument("--seconds", type=int, default=300, help="limit for a repository")
    parser.add_argument("--imports", action="store_true", help="also import files: RUNS them")
    parser.add_argument("--once", action="store_true", help="ask for no second run")
    parser.add_argument("--table", action="store_true", help="print the tables and end")
    parser.add_argument(
        "--page", action="store_true", help="write docs/explanation/coverage.md and end"
    )
    options = parser.parse_args()
    if options.table or options.page:
        answers = [json.loads(path.read_text()) for path in sorted(options.out.glob("*.json"))]
        print(table(answers), failures(answers), sep="\n")
        if options.page:
            fill_page(answers)
        return
    if not options.repos:
        parser.error("--repos is needed")
    if options.imports and not options.reference_python:
        parser.error("--imports needs --reference-python")
    options.out.mkdir(parents=True, exist_ok=True)
    folders = sorted(path for path in options.repos.iterdir() if path.is_dir())
    folders = [path for path in folders if not options.only or path.name in options.only]
    # The small ones first, so that one that is ended early has seen many.
    folders.sort(key=lambda folder: sum(1 for _ in folder.rglob("*.py")))
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda folder: _one(folder, options), folders))


def _one(folder: Path, options: argparse.Namespace) -> None:
    answer = options.out / f"{folder.name}.json"
    runs = json.loads(answer.read_text())["runs"] if answer.exists() else []
    wanted = _wanted(options)
    runs = [run for run in runs if (run["scope"], run["mode"]) not in wanted or not options.again]
    wanted -= {(run["scope"], run["mode"]) for run in runs}
    if not wanted:
        return
    if not hasattr(_THREAD, "interpreters"):
        _THREAD.interpreters = Interpreters(
            Interpreter(sys.executable),
            Interpreter(sys.executable, TF_USE_LEGACY_KERAS="1"),
            Interpreter(options.reference_python) if options.reference_python else None,
        )
        _THREAD.importers = Importers(options.reference_python) if options.imports else None
    limits = Limits(options.alone, options.seconds, not options.once)
    repository = Repository(folder, _THREAD.interpreters, _THREAD.importers, limits)
    runs += [repository.run(scope, mode) for scope, mode in sorted(wanted)]
    answer.write_text(json.dumps({"name": folder.name, "runs": runs}, indent=1))
    print(folder.name, *_summary(runs), file=sys.stderr, flush=True)


def _wanted(options: argparse.Namespace) -> set[tuple[str, str]]:
    modes = options.mode or (*MODES, UPGRADE)
    alone = {(ALONE, mode) for mode in modes} if options.alone else set()
    return alone | {(TOGETHER, AS_IT_IS)} | {(TOGETHER, mode) for mode in modes if mode in MODES}


def _summary(runs: list[dict[str, Any]]) -> list[str]:
    counts = Counter(
        kind for run in runs for file in run["files"] for kind in {p[0] for p in file["problems"]}
    )
    return [f"{kind} {count}" for kind, count in counts.most_common()]


if __name__ == "__main__":
    main()
