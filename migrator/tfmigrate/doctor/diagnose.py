"""Finds the names that a tree of files needs and the installed packages do not have.

A separate process (``tfmigrate_runtime.doctor``) looks up the names. It imports TensorFlow and its
companion packages, and none of the files.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tfmigrate.families.tf1.symbols import Symbol, rule_of_unknown, symbol
from tfmigrate.files.discover import discover
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import Finding
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.references import PACKAGES, Reference, own_names, references
from tfmigrate.resolve.stars import given_chains, own_stars
from tfmigrate.tables import symbol_table
from tfmigrate.tables.chains import Chain
from tfmigrate.tables.present_names import only_raises

_KERAS = "TF_USE_LEGACY_KERAS"
_RUNTIME = "tfmigrate_runtime"
_HELP = "run pip install 'tfmigrate[runtime]' there, or select a different one with --python"


class DoctorError(Exception):
    """The installed packages cannot be examined; the message is one line."""


@dataclass(frozen=True)
class MissingName:
    """A name that a file needs and the installed packages do not have.

    Attributes:
        path: the file as shown to the user.
        places: where the file needs it: (cell of a notebook or 0, line, column).
        name: the whole name ("tensorflow.contrib.layers.flatten").
        reason: Python's error message for it.
        symbol: what is known about it; None for nothing.
    """

    path: str
    places: tuple[tuple[int, int, int], ...]
    name: str
    reason: str
    symbol: Symbol | None

    @property
    def rule(self) -> str:
        """The code of the rule that migrates or reports it; "" for none."""
        if self.symbol is not None:
            return self.symbol.rule
        unknown = self.name.startswith("tensorflow.") and not only_raises(self.name)
        return rule_of_unknown() if unknown else ""


@dataclass
class Diagnosis:
    """What the doctor found.

    Attributes:
        missing: the missing names, in the order of files and lines.
        errors: the files and folders that could not be read or parsed.
        parsed: how many files were looked at.
        names: how many different names they need.
        versions: the versions of the installed packages, by package.
    """

    missing: list[MissingName] = field(default_factory=list)
    errors: list[Finding] = field(default_factory=list)
    parsed: int = 0
    names: int = 0
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0 every name was found, 1 some are missing, 2 a file could not be read."""
        return 2 if self.errors else 1 if self.missing else 0


def diagnose(paths: Sequence[str], exclude: Sequence[str], python: str) -> Diagnosis:
    """Looks up every name that the files of some paths need.

    Args:
        paths: files and folders.
        exclude: patterns in gitignore syntax for files not to take.
        python: the interpreter whose packages are examined.

    Raises:
        UsageError: a path or a pattern cannot be used.
        DoctorError: the interpreter cannot be run, or has no TensorFlow.
    """
    from tfmigrate.engine.migration import parsed
    from tfmigrate.engine.run import read_files

    result = Diagnosis()
    discovery = discover(paths, exclude)
    sources, unreadable = read_files(discovery.candidates, (*PACKAGES, "import *"))
    modules, unparsable = parsed(sources)
    result.errors = sorted([*discovery.findings, *unreadable, *unparsable])
    program = Program(modules, discovery.roots)
    module_chains = {module: given_chains(module, program) for module in modules}
    own = frozenset(name for module in modules for name in own_names(module, module_chains[module]))
    needed = {module: references(module, module_chains[module], own) for module in modules}
    result.parsed = sum(bool(needed[m]) or not own_stars(m) for m in modules)
    answers = _Answers(python)
    for keras, group in _by_keras(program).items():
        chains = {c for module in group for r in needed[module] for c in r.chains}
        answers.ask(keras, sorted(chains, key=lambda chain: (chain.root != _RUNTIME, chain)))
        for module in group:
            result.missing += _missing(module.source, needed[module], answers, keras)
    result.missing.sort(key=lambda name: (name.path, name.places))
    result.versions = answers.versions
    result.names = answers.count
    return result


def _by_keras(program: Program) -> dict[str, list[Module]]:
    """Returns the files by what selects Keras 2 in their program: "1", the runtime, or nothing."""
    choice: dict[Module, str] = {}
    for module in program.modules:
        reached = program.reachable(module)
        if any(map(_sets_keras, reached)):
            choice.update(dict.fromkeys(reached, "1"))
        elif any(map(_imports_runtime, reached)):
            choice.update({m: _RUNTIME for m in reached if m not in choice})
    groups = defaultdict(list)
    for module in program.modules:
        groups[choice.get(module, "")].append(module)
    return groups


def _sets_keras(module: Module) -> bool:
    named = [node for node in module.all(ast.Constant) if node.value == _KERAS]
    return any(not isinstance(module.parent(node), ast.Expr) for node in named)


def _imports_runtime(module: Module) -> bool:
    return any(b.qualified.partition(".")[0] == _RUNTIME for b in imports(module))


def _missing(
    source: SourceFile, needed: Sequence[Reference], answers: _Answers, keras: str
) -> list[MissingName]:
    """Returns the missing names of one file, each with all its places."""
    places = defaultdict(list)
    reasons = {}
    for reference in needed:
        explanations = [answers.why_missing(keras, chain) for chain in reference.chains]
        if all(explanations):
            name = _without_values(reference.chains[0].qualified)
            places[name].append(source.where(*reference.position))
            reasons[name] = explanations[0]
    return [
        MissingName(source.display, tuple(sorted(set(where))), name, reasons[name], _known(name))
        for name, where in places.items()
        # An import is not reported where each of its names is.
        if not any(other.startswith(name + ".") for other in places)
    ]


def _known(name: str) -> Symbol | None:
    return None if only_raises(name) else symbol(name)


def _without_values(name: str) -> str:
    """Returns a name up to the value it leads to: ``tf.flags.FLAGS``, whatever flag is read."""
    parts = name.split(".")
    for length in range(2, len(parts)):
        leaf = parts[length - 1]
        known = canonical(".".join(parts[:length])).partition(".")[2]
        if (leaf.isupper() or leaf.islower()) and symbol_table.is_leaf(known):
            return ".".join(parts[:length])
    return name


class _Answers:
    """Looks names up in the installed packages."""

    def __init__(self, python: str) -> None:
        # The process runs in another folder: a path is made absolute, links stay (.venv).
        self._python = os.path.abspath(python) if os.path.dirname(python) else python  # noqa: PTH100, PTH120
        self._known: dict[tuple[str, Chain], str] = {}
        self.versions: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many different names were looked up."""
        return len({chain for _, chain in self._known})

    def why_missing(self, keras: str, chain: Chain) -> str:
        """Returns why a name that was looked up is missing; "" where it is not."""
        return self._known[keras, chain]

    def ask(self, keras: str, chains: Sequence[Chain]) -> None:
        """Looks up names, in a process with the Keras version of the program.

        Raises:
            DoctorError: the interpreter cannot be run, or has no TensorFlow.
        """
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(
            str(Path(entry).resolve())
            for entry in environment.get("PYTHONPATH", "").split(os.pathsep)
            if entry
        )
        if keras == "1":
            environment[_KERAS] = "1"
        question = {"names": [[c.module, c.member, c.attributes] for c in chains]}
        answer = _run(self._python, environment, json.dumps(question))
        if "tensorflow" not in answer["versions"]:
            raise DoctorError(f"{self._python} has no TensorFlow; {_HELP}")
        self.versions = answer["versions"]
        for chain, reason in zip(chains, answer["missing"], strict=True):
            raises = "it exists but raises NotImplementedError"
            raises = raises if only_raises(chain.qualified) else ""
            self._known[keras, chain] = reason or raises


def _run(python: str, environment: dict[str, str], question: str) -> dict[str, dict[str, str]]:
    # An empty folder, so that nothing of the user's can be imported by accident.
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [python, "-m", f"{_RUNTIME}.doctor"],
                input=question,
                capture_output=True,
                text=True,
                encoding="utf-8",
                env=environment,
                cwd=folder,
            )
        except OSError as error:
            raise DoctorError(f"{python} cannot be run: {error.strerror or error}") from error
    if done.returncode:
        if f"No module named {_RUNTIME}" in done.stderr:
            raise DoctorError(f"{python} has no tfmigrate_runtime; {_HELP}")
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise DoctorError(f"{python} failed to look up the names: {last}")
    answer: dict[str, dict[str, str]] = json.loads(done.stdout)
    return answer
