"""Measures how many files of real programs need no name that the installed TensorFlow lacks.

Give it a folder with one code base in each of its folders. Every file that parses and uses one of
the families (tf.contrib.learn with Experiment, replicate_model_fn, replica_device_setter), or that
uses TensorFlow and belongs to such a program, is looked at three times: as it is, after
``tfmigrate --unsafe``, and after TensorFlow's tf_upgrade_v2. The code bases stay as they are.

    python scripts/measure_coverage.py FOLDER > table.md
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tfmigrate.discover import discover
from tfmigrate.doctor import MissingName, diagnose
from tfmigrate.doctor_report import known_of, short
from tfmigrate.engine import Options, parsed
from tfmigrate.legacy import uses_family, uses_parameter_servers
from tfmigrate.module import Module
from tfmigrate.program import Program
from tfmigrate.references import references
from tfmigrate.run import read_files, run

_MIGRATED = "tfmigrate --unsafe"
STATES = ("before", _MIGRATED, "tf_upgrade_v2")
SHOWN_NAMES = 60
# Its own command stops at the first file that it fails on; here such a file stays as it is.
_UPGRADE = """
import json, os, sys
from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2
files = json.load(sys.stdin)
for file in files:
    upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
    try:
        upgrader.process_file(file, file + ".new")
    except Exception as error:
        print(file, type(error).__name__, error, file=sys.stderr)
    else:
        os.replace(file + ".new", file)
"""


@dataclass
class Base:
    """One code base.

    Attributes:
        name: its folder's name.
        files: the files that count, relative to the code base.
        open: the names that each of them misses, by state and file.
    """

    name: str
    files: list[str]
    open: dict[str, dict[str, list[MissingName]]] = field(default_factory=dict)

    def resolved(self, state: str) -> int:
        """Returns how many of the files miss no name in a state."""
        return sum(not self.open[state].get(file) for file in self.files)


def main() -> None:
    """Prints the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--state", choices=STATES, action="append", help="measure only this")
    options = parser.parse_args()
    states, folder = options.state or STATES, options.folder.resolve()
    sources = sorted(path for path in folder.iterdir() if path.is_dir())
    bases = [Base(path.name, legacy_files(path)) for path in sources]
    bases = [base for base in bases if base.files]
    with tempfile.TemporaryDirectory() as scratch:
        for number, state in enumerate(states):
            # The measured copies stand side by side; each is a repository, so that the search
            # for what a file imports ends there.
            tree = Path(scratch) / str(number)
            for base in bases:
                shutil.copytree(folder / base.name, tree / base.name)
                (tree / base.name / ".git").mkdir(exist_ok=True)
            print(f"{state} ...", file=sys.stderr)
            _convert(state, tree, bases)
            _measure(state, tree, bases)
    print(_shares(bases, states))
    if _MIGRATED in states:
        print(_names(bases, _MIGRATED))


def legacy_files(root: Path) -> list[str]:
    """Returns the files of a code base that count, relative to it."""
    found = discover([str(root)])
    sources, _ = read_files(found.candidates, ("tensorflow",))
    modules, _ = parsed(sources)
    program = Program(modules, found.roots)
    centres = {m for m in modules if uses_family(m) or uses_parameter_servers(m)}
    centres |= set(program.groups)
    reached: set[Module] = set()
    for module in modules:
        around = program.reachable(module)
        if module in centres:
            reached |= around
        if around & centres:
            reached.add(module)
    return sorted(
        str(module.source.path.resolve().relative_to(root.resolve()))
        for module in reached
        if references(module)
    )


def _convert(state: str, tree: Path, bases: list[Base]) -> None:
    if state == _MIGRATED:
        for base in bases:
            run([str(tree / base.name)], [], Options(unsafe=True), dry_run=False)
    elif state == "tf_upgrade_v2":
        files = [str(tree / base.name / file) for base in bases for file in base.files]
        question = json.dumps(files)
        command = [sys.executable, "-c", _UPGRADE]
        subprocess.run(command, input=question, text=True, check=True, stdout=subprocess.DEVNULL)


def _measure(state: str, tree: Path, bases: list[Base]) -> None:
    diagnosis = diagnose([str(tree / base.name) for base in bases], [], sys.executable)
    missing: dict[Path, list[MissingName]] = defaultdict(list)
    for name in diagnosis.missing:
        missing[Path(name.path).resolve()].append(name)
    for base in bases:
        root = (tree / base.name).resolve()
        base.open[state] = {file: missing[root / file] for file in base.files}


def _shares(bases: list[Base], states: Sequence[str]) -> str:
    lines = [f"| code base | files | {' | '.join(states)} |", "|---|---|" + "---|" * len(states)]
    for base in bases:
        counts = " | ".join(str(base.resolved(state)) for state in states)
        lines.append(f"| {base.name.replace('+', '/')} | {len(base.files)} | {counts} |")
    total = sum(len(base.files) for base in bases)
    shares = []
    for state in states:
        resolved = sum(base.resolved(state) for base in bases)
        shares.append(f"**{resolved} ({100 * resolved / total:.0f}%)**")
    lines.append(f"| **all** | **{total}** | {' | '.join(shares)} |")
    return "\n".join(lines) + "\n"


def _names(bases: list[Base], state: str) -> str:
    """Returns the names that are left in a state, by the number of files that miss them."""
    files: Counter[str] = Counter()
    known = {}
    for base in bases:
        for names in base.open[state].values():
            for name in names:
                files[name.name] += 1
                known[name.name] = known_of(name)
    lines = ["| name | files | what is known |", "|---|---|---|"]
    for name, count in files.most_common(SHOWN_NAMES):
        lines.append(f"| `{short(name)}` | {count} | {known[name].replace('|', chr(92) + '|')} |")
    rest = len(files) - SHOWN_NAMES
    if rest > 0:
        lines.append(f"| {rest} other names | | |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
