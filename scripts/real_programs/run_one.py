"""Takes one public program through everything: fetched, fed, migrated, verified."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from real_program import HERE, RealProgram

from tfmigrate.py2.convert import NotPython2, converted

ROOT = HERE.parents[1]
SECONDS = 3000  # for verify: two programs, or runs of them
_COULD_NOT_RUN, _NOT_DECIDED = "could not run", "not decided"  # verdicts of verify
# By target: the rule that converts programs, and words that its result has not.
_FORMS = {
    "keras": ("TFM801", ("compat.v1", "tfmigrate", "tf_keras")),
    "eager": ("TFM804", ("disable_v2_behavior", "disable_eager_execution", "Session(")),
}
_PACKAGES = Path(tempfile.gettempdir()) / "real_program_packages"
_WITH_STAND_INS = {"MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"}
_TOOL = [sys.executable, "-m", "tfmigrate"]


class StepFailedError(RuntimeError):
    """A step before the comparison failed: which, and what it printed last."""


@dataclass
class Outcome:
    """What came of one program.

    Attributes:
        name: of the program.
        outcome: "equal", "undecided", "manual", "different" or "failed".
        reason: why it is not equal; empty where it is.
        loss: greatest difference of losses, as verify shows it.
        variables: greatest difference of variables, as verify shows it.
        steps: compared.
        seconds: of ``tfmigrate`` over the whole repository.
        files: Python files in it.
        changed: of them.
        findings: of them all, code -> count.
        manual: those of state manual, as "code file:line".
        summary_lines: of what the command prints with --quiet left out.
        outside: changed files without a construct of TensorFlow 1.x that was found in them.
        not_compiled: changed files that are no Python any more.
        import_errors: changed files that could be imported on TensorFlow 1.x and cannot be now.
        imported: changed files that could be imported before and after.
        same: whether verify found the same, None where it was not run to its end.
        rungs: verify's, as number, name, verdict and figure.
    """

    name: str
    outcome: str = "failed"
    reason: str = ""
    loss: str = ""
    variables: str = ""
    steps: str = ""
    seconds: float = 0.0
    files: int = 0
    changed: int = 0
    findings: dict[str, int] = field(default_factory=dict)
    manual: list[str] = field(default_factory=list)
    summary_lines: int = 0
    outside: list[str] = field(default_factory=list)
    not_compiled: list[str] = field(default_factory=list)
    import_errors: list[str] = field(default_factory=list)
    imported: int = 0
    same: bool | None = None
    rungs: list[list[str]] = field(default_factory=list)


def checked(
    command: Sequence[str | Path], what: str, codes: Sequence[int] = (0,), **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs a command.

    Raises:
        StepFailedError: it ended with another code than these.
    """
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode not in codes:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise StepFailedError(f"{what} ended with exit code {done.returncode}:\n{last}")
    return done


def _check_out(target: Path, commit: str) -> None:
    """Checks a commit out, without large files, which a clone may lack."""
    git = ["git", "-C", str(target)]
    listed = checked([*git, "ls-tree", "-r", "-z", commit], "git ls-tree").stdout.split("\0")
    pairs = [line.split("\t", 1) for line in listed if line]
    objects = {name: entry.split()[2] for entry, name in pairs}
    known = checked(
        [*git, "cat-file", "--batch-check"], "git cat-file", input="\n".join(objects.values())
    ).stdout.splitlines()
    missing = [n for n, said in zip(objects, known, strict=True) if said.endswith("missing")]
    if missing:
        patterns = ["/*", *(f"!/{name}" for name in missing)]
        checked([*git, "sparse-checkout", "set", "--no-cone", *patterns], "git sparse-checkout")
    checked([*git, "checkout", "--quiet", commit], "git checkout")
    if missing:
        checked([*git, "rm", "--quiet", "--cached", "--sparse", *missing], "git rm")


def _make_python_3(tree: Path) -> None:
    """Converts the files of a tree as --py2 does: TensorFlow 1.15 needs Python 3, too."""
    for path in tree.rglob("*.py"):
        with contextlib.suppress(NotPython2):
            path.write_text(converted(path.read_text(encoding="utf-8")).text, encoding="utf-8")


def fetched(program: RealProgram, mirror: Path | None, folder: Path, data: Path) -> Path:
    """Returns a checkout of the program's commit, with its edits."""
    url = f"https://github.com/{program.repository}.git"
    if mirror is not None:
        kept = mirror / program.repository.replace("/", "+")
        heads = [kept, *kept.glob("*"), *kept.glob("*/.git")]
        url = next((str(path) for path in heads if (path / "HEAD").is_file()), url)
    target = folder / program.repository.rpartition("/")[2]
    checked(["git", "clone", "--quiet", "--no-checkout", url, target], "git clone")
    _check_out(target, program.commit)
    if program.py2:
        _make_python_3(target)
    for file, find, replace in program.edits:
        text = (target / file).read_bytes().decode()
        if find not in text and replace in text:
            continue  # --py2 writes it by now: divisions of whole numbers
        if find not in text:
            raise StepFailedError(f"{file}: {find!r} is not in it")
        made = text.replace(find, replace.replace("{data}", str(data)))
        (target / file).write_bytes(made.encode())
    # What git shows as changed later is the migration's.
    git = ["git", "-C", target, "-c", "user.name=edits", "-c", "user.email=edits@localhost"]
    checked([*git, "commit", "--quiet", "--all", "--allow-empty", "-m", "edits"], "git commit")
    return target


def with_packages(python: Path, wanted: Sequence[str], folder: Path) -> dict[str, str]:
    """Installs packages beside an interpreter's own; returns the environment that sees them.

    Args:
        python: the interpreter.
        wanted: the packages.
        folder: has a folder for each set of packages, which is used again.
    """
    if not wanted:
        return {}
    key = hashlib.sha256("\n".join([str(python), *sorted(wanted)]).encode()).hexdigest()[:16]
    place = folder / key
    if not place.is_dir():
        made = folder / f"{key}.part"
        install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", made]
        checked([*install, *wanted], "pip install")
        made.rename(place)
    return {"PYTHONPATH": str(place)}


def _wrapper(python: Path, environment: Mapping[str, str], path: Path) -> Path:
    """Returns a command that runs the interpreter with an environment of its own."""
    paths = environment.get("PYTHONPATH", "")
    path.write_text(f'#!/bin/sh\nexport PYTHONPATH="{paths}"\nexec "{python}" "$@"\n')
    path.chmod(0o755)
    return path


def migrate(tree: Path, program: RealProgram, result: Outcome) -> None:
    """Migrates the whole repository in place and looks at what was changed."""
    options = ["--unsafe"] if program.unsafe else []
    options += ["--target", program.target] if program.target != "default" else []
    start = time.monotonic()
    paths = [tree / name for name in program.migrated_files] or [tree]
    done = checked([*_TOOL, *options, "--format", "json", *paths], "tfmigrate", (0, 1, 2))
    result.seconds = time.monotonic() - start
    found = json.loads(done.stdout)
    result.files = found["files"]["examined"]
    result.changed = len(found["files"]["changed"])
    concerned = set()
    for finding in found["findings"]:
        result.findings[finding["code"]] = result.findings.get(finding["code"], 0) + 1
        path = Path(finding["path"])
        if finding["applied"]:
            concerned.add(path.resolve())
        if finding["state"] in ("manual", "error"):
            where = (Path.cwd() / path).resolve().relative_to(tree.resolve())
            result.manual.append(f"{finding['code']} {where}:{finding['line']}")
    changed = [Path(path).resolve() for path in found["files"]["changed"]]
    diff = checked(["git", "-C", tree, "diff", "--name-only"], "git diff").stdout.split("\n")
    really = {(tree / path).resolve() for path in diff if path}
    names = {str(path.relative_to(tree.resolve())) for path in really - concerned}
    result.outside = sorted(names)
    for path in changed:
        try:
            compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        except SyntaxError as error:
            result.not_compiled.append(f"{path.relative_to(tree.resolve())}: {error}")


def check_form(target: str, path: Path, result: Outcome) -> None:
    """Looks for what a program of a target must not have.

    Raises:
        StepFailedError: the program kept its default form, or has it in part.
    """
    code, of_other_forms = _FORMS[target]
    words = [word for word in of_other_forms if word in path.read_text(encoding="utf-8")]
    if words or not result.findings.get(code):
        raise StepFailedError(f"not of target {target}: {', '.join(words)} {result.findings}")


def summary_lines(tree: Path, program: RealProgram) -> int:
    """Returns how many lines the summary of a run over the repository has."""
    options = ["--unsafe"] if program.unsafe else []
    options += ["--target", program.target] if program.target != "default" else []
    done = checked([*_TOOL, *options, "--check", "--statistics", tree], "tfmigrate", (0, 1, 2))
    return len(done.stdout.splitlines())


def _imports(
    python: str | Path, tree: Path, files: Sequence[str], root: str, own: Mapping[str, str]
) -> dict[str, str]:
    command = [python, HERE / "imports.py", *files]
    environment = {**own, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    if "PYTHONPATH" in environment and python != sys.executable:
        del environment["PYTHONPATH"]
    done = checked(command, "imports", cwd=tree / root, env=environment, stdin=subprocess.DEVNULL)
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


def _runs_when_imported(path: Path) -> bool:
    """Returns whether a file that no package holds is a script without a guard."""
    package = (path.parent / "__init__.py").is_file()
    return not package and "__main__" not in path.read_text(encoding="utf-8", errors="replace")


def compare_imports(
    before: Path,
    after: Path,
    program: RealProgram,
    reference: Path,
    environment: Mapping[str, str],
    result: Outcome,
) -> None:
    """Imports what was changed, before on TensorFlow 1.x and after on the current one.

    Args:
        before: the tree as it was.
        after: the migrated tree.
        program: the program.
        reference: the interpreter with TensorFlow 1.x, which finds its packages itself.
        environment: with the packages of the current TensorFlow's.
        result: gets the figures.
    """
    names = checked(["git", "-C", after, "diff", "--name-only"], "git diff").stdout.split("\n")
    root = (after / program.root).resolve()
    files = [
        str((after / name).resolve().relative_to(root))
        for name in names
        if name.endswith(".py") and (after / name).resolve().is_relative_to(root)
    ]
    # A script that trains when it is imported is verify's to run.
    files = [name for name in files if not _runs_when_imported(root / name)]
    old = _imports(reference, before, files, program.root, environment) if files else {}
    could = [name for name, error in old.items() if not error]
    new = _imports(sys.executable, after, could, program.root, environment) if could else {}
    result.imported = sum(not error for error in new.values())
    result.import_errors = [f"{name}: {error}" for name, error in new.items() if error]


def verify_command(
    program: RealProgram, tree: Path, migrated: Path, data: Path, reference: Path
) -> list[str]:
    """Returns the command that verifies the program, as a user would type it."""
    command = [*_TOOL, "verify", str(tree / program.file)]
    if program.target == "default":
        command += ["--root", str(tree / program.root)] + ["--unsafe"] * program.unsafe
    else:
        command += [str(migrated / program.file)]
    command += ["--reference-python", str(reference)]
    command += [] if program.cluster else ["--replicas", str(program.replicas)]
    command += ["--cluster", program.cluster] if program.cluster else []
    if program.migrated_cluster:
        command += ["--migrated-cluster", program.migrated_cluster]
    command += ["--module"] if program.module else []
    command += ["--turns"] if program.turns else []
    command += [*program.options, "--format", "json", "--"]
    return command + [value.replace("{data}", str(data)) for value in program.arguments]


def judge(said: str, printed: str, program: RealProgram, result: Outcome) -> None:
    """Takes outcome and figures over from verify's report.

    Args:
        said: the report, as JSON.
        printed: what verify printed beside it, with the findings of the migration.
        program: the program.
        result: gets them.
    """
    report = json.loads(said)
    if report["verdict"] == _COULD_NOT_RUN:
        result.reason = report["conclusion"]
        if any(code in printed for code in program.manual):
            result.outcome = "manual"
        return
    result.same = report["same"]
    for rung in report["rungs"]:
        result.rungs.append([str(rung[key]) for key in ("number", "name", "verdict", "figure")])
    figures = {name: figure for _, name, _, figure in result.rungs}
    for name, figure in figures.items():
        if "loss" in name and not result.loss:
            result.loss = figure
        elif "variables" in name and "trainable" not in name and not result.variables:
            result.variables = figure
        elif "steps" in name and not result.steps:
            result.steps = figure
    if report["verdict"] == _NOT_DECIDED:
        result.outcome, result.reason = "undecided", report["conclusion"]
    elif not result.same:
        wrong = [rung for rung in report["rungs"] if rung["verdict"] == "different"]
        result.outcome = "different"
        result.reason = "; ".join(f"{rung['name']}: {rung['details']}" for rung in wrong)
        result.reason = result.reason or report["conclusion"]
    else:
        result.outcome = "equal"


def run_one(
    program: RealProgram,
    mirror: Path | None,
    reference: Path,
    scratch: Path,
    tell: Callable[[str], None],
) -> Outcome:
    """Returns what came of a program.

    Args:
        program: the program.
        mirror: a folder with clones of repositories, None to clone from GitHub.
        reference: an interpreter with TensorFlow 1.15.5.
        scratch: an empty folder, where everything is made.
        tell: is told what is done next.
    """
    result = Outcome(program.name)
    try:
        tell("fetch")
        data = scratch / "data"
        tree = fetched(program, mirror, scratch, data)
        if program.data_folder:
            place = tree / program.root / program.data_folder
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(data)
        if program.data:
            tell("make data")
            checked([reference, HERE / "data" / f"{program.data}.py", data], "data maker")
        old = with_packages(reference, program.needed_with_original, _PACKAGES)
        new = with_packages(Path(sys.executable), program.needed_with_migrated, _PACKAGES)
        own = dict(program.environment)
        own = {key: value.replace("{data}", str(data)) for key, value in own.items()}
        if program.stand_ins:
            own = {**_WITH_STAND_INS, **own}
        found = [own.pop("PYTHONPATH", ""), str(HERE / "stand_ins") if program.stand_ins else ""]
        more = os.pathsep.join(filter(None, found))
        path = [new.get("PYTHONPATH", ""), more, os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, **own, "PYTHONPATH": os.pathsep.join(filter(None, path))}
        path = [old.get("PYTHONPATH", ""), more]
        old = {"PYTHONPATH": os.pathsep.join(filter(None, path))}
        wrapped = _wrapper(reference, old, scratch / "reference-python")
        tell("migrate the repository")
        migrated = scratch / "migrated" / tree.name
        shutil.copytree(tree, migrated, symlinks=True)
        migrate(migrated, program, result)
        if program.target in _FORMS:
            check_form(program.target, migrated / program.file, result)
        else:
            result.summary_lines = summary_lines(tree, program)
            tell("import what was changed")
            compare_imports(tree, migrated, program, wrapped, environment, result)
        tell("verify")
        done = checked(
            verify_command(program, tree, migrated, data, wrapped),
            "verify",
            (0, 1, 2, 3),
            cwd=tree / program.root,
            env=environment,
            timeout=SECONDS,
        )
        judge(done.stdout, done.stderr, program, result)
    except (StepFailedError, subprocess.TimeoutExpired) as error:
        result.reason = str(error)
    return result
