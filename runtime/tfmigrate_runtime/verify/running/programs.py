"""Which two programs are compared: two files, one at two commits, or one and its migration.

The migrator is a separate package, which this one does not import: it is run as a command.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify.request import UsageError, VerifyRequest

_SKIPPED = ("__pycache__", "node_modules")
_MOST_FILES = 20_000
_REWRITTEN = (".py", ".ipynb", ".pyi")

Progress = Callable[[str], None]


class SourceError(Exception):
    """There are no two programs to compare."""

    cause = "source"


@dataclass(frozen=True)
class Pair:
    """Two programs.

    Attributes:
        original: the original's script.
        migrated: the migrated program's.
        names: what reports call them.
        warnings: what the user should know about them.
        module: the module name of both, where they are started as modules.
    """

    original: Path
    migrated: Path
    names: tuple[str, str]
    warnings: tuple[str, ...] = ()
    module: str = ""


def programs_of(request: VerifyRequest, folder: Path, progress: Progress) -> Pair:
    """Returns the two programs that are to be compared.

    Args:
        request: what to verify.
        folder: where copies are made.
        progress: is called with a line before each thing that is done.

    Raises:
        UsageError: a file is missing, or the two are not one module.
        SourceError: there are no two programs.
    """
    original, migrated = request.original, request.migrated
    if request.git is not None:
        pair = at_revision(original, migrated, request.git, folder, progress)
    elif migrated is None:
        script = start_of(original)
        pair = migrate_into(
            script,
            request.root,
            folder,
            request.unsafe,
            progress,
            lambda line: progress(f"  | {line}"),
        )
    else:
        for script in (original, migrated):
            if not script.is_file():
                raise UsageError(f"{script}: no such file")
        pair = Pair(original, migrated, (str(original), str(migrated)))
    if not request.as_module:
        return pair
    name = module_name(original if request.git else pair.original, request.root)
    end = tuple(name.split("."))
    for script in (pair.original, pair.migrated):
        if script.resolve().with_suffix("").parts[-len(end) :] != end:
            raise UsageError(f"{script} is not the module {name} that -m starts")
    return replace(pair, module=name)


def root_of(script: Path) -> Path:
    """Returns the folder whose files belong to a program: above the packages it lies in."""
    folder = script.resolve().parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def module_name(script: Path, root: Path | None) -> str:
    """Returns the name that ``python -m`` starts a script by, in the folder ``root``.

    Raises:
        SourceError: the script is not below the folder, or no module can have its name.
    """
    folder = (root or root_of(script)).resolve()
    if not script.resolve().is_relative_to(folder):
        raise SourceError(f"{script} is not in {folder}: pass the folder for -m with --root")
    parts = script.resolve().relative_to(folder).with_suffix("").parts
    if not all(part.isidentifier() for part in parts):
        raise SourceError(f"{'.'.join(parts)} is not a module name: python -m cannot start it")
    return ".".join(parts)


def start_of(path: Path) -> Path:
    """Returns the script of a path: the file, or the only script with ``__main__`` in a folder.

    Raises:
        SourceError: there is none, or more than one.
    """
    if path.is_file():
        return path
    if not path.is_dir():
        raise SourceError(f"{path}: no such file")
    scripts = [
        script
        for script in sorted(path.rglob("*.py"))
        if script.is_file() and "__main__" in script.read_text("utf-8", "replace")
    ]
    if len(scripts) == 1:
        return scripts[0]
    what = "several scripts" if scripts else "no script"
    listed = "".join(f"\n  {script}" for script in scripts[:10])
    raise SourceError(f"{path} has {what} with __main__: name the file to run{listed}")


def migrate_into(
    script: Path, root: Path | None, folder: Path, unsafe: bool, progress: Progress, show: Progress
) -> Pair:
    """Migrates a copy of a program's tree.

    Python files and notebooks are copied, everything else is linked.

    Args:
        script: the original.
        root: the folder of all its files, None for the one that ``root_of`` finds.
        folder: where the tree is made.
        unsafe: whether unsafe changes are made too.
        progress: is called with a line before the migration.
        show: is called with each line of the migrator's output.

    Raises:
        SourceError: the script is not below root, nothing in it is to be migrated, or the migrator
            failed.
    """
    root = (root or root_of(script)).resolve()
    if not script.resolve().is_relative_to(root):
        raise SourceError(f"{script} is not in {root}: pass the program's folder with --root")
    tree = folder / root.name
    copy_tree(root, tree)
    report = folder / "findings.json"
    command = [sys.executable, "-m", "tfmigrate", "--color", "never", "--report", str(report)]
    command += ["--unsafe"] if unsafe else []
    progress(f"migrating a copy of {root}")
    done = subprocess.run([*command, str(tree)], capture_output=True, text=True, check=False)
    for line in (done.stdout + done.stderr).splitlines():
        show(line.replace(f"{tree}{os.sep}", ""))
    unread = _unread_files(report, tree) if done.returncode == 2 else []
    if done.returncode not in (0, 1) and (
        not unread or str(script.resolve().relative_to(root)) in unread
    ):
        raise SourceError(
            f"tfmigrate failed with exit code {done.returncode}; nothing was verified"
        )
    migrated = tree / script.resolve().relative_to(root)
    if not _anything_changed(root, tree):
        raise SourceError(f"tfmigrate made no changes in {root}, so there is nothing to verify")
    warnings: tuple[str, ...] = ()
    if done.returncode == 1:
        warnings = ("tfmigrate left findings that need manual work; --unsafe may fix some of them",)
    if unread:
        warnings = (f"tfmigrate could not read {', '.join(unread)}: left unchanged",)
    return Pair(script, migrated, (str(script), f"{script}, migrated"), warnings)


def _unread_files(report: Path, tree: Path) -> list[str]:
    """Returns the files, relative to the tree, that the migrator could not read or parse.

    A tree may hold some that the program never imports, such as scripts for Python 2: where it does
    import one, it fails by it.

    Args:
        report: that of the migrator, missing if its command line was wrong.
        tree: what was migrated.
    """
    if not report.is_file():
        return []
    findings = json.loads(report.read_text("utf-8"))["findings"]
    unread = {Path(finding["path"]) for finding in findings if finding["severity"] == "error"}
    return sorted(str(path.relative_to(tree)) for path in unread)


def copy_tree(source: Path, target: Path) -> None:
    """Copies the files that may be rewritten, and links all others.

    Hidden folders, virtual environments and caches are left out.

    Raises:
        SourceError: there are too many files: this is not the folder of a program.
    """
    count = 0
    for folder, folders, files in os.walk(source):
        here = Path(folder)
        folders[:] = [name for name in folders if not is_skipped(here / name)]
        there = target / here.relative_to(source)
        there.mkdir(parents=True, exist_ok=True)
        count += len(files)
        if count > _MOST_FILES:
            raise SourceError(
                f"{source} has more than {_MOST_FILES} files: pass the program's folder with --root"
            )
        for name in files:
            if name.endswith(_REWRITTEN):
                shutil.copy(here / name, there / name)
            else:
                (there / name).symlink_to(here / name)


def is_skipped(folder: Path) -> bool:
    """Whether a folder has no files of a program: a hidden one, an environment, a cache."""
    return (
        folder.name.startswith(".")
        or folder.name in _SKIPPED
        or (folder / "pyvenv.cfg").is_file()
        or folder.is_symlink()
    )


def _anything_changed(source: Path, target: Path) -> bool:
    return any(
        path.read_bytes() != (source / path.relative_to(target)).read_bytes()
        for path in target.rglob("*")
        if not path.is_symlink() and path.is_file()
    )


def at_revision(
    script: Path, migrated: Path | None, revision: str, folder: Path, progress: Progress
) -> Pair:
    """Takes the original from git's history, and the migrated program from the work tree.

    The original does not have files that git does not track (data): name them by absolute paths in
    the program's arguments. Submodules are left out.

    Args:
        script: the program, as it lies in the work tree.
        migrated: the migrated one, where it has a different name.
        revision: of the original.
        folder: where the original's tree is made.
        progress: is called with a line before it is done.

    Raises:
        SourceError: there is no git, no repository, no such revision, or no such file in it.
    """
    place = script.resolve().parent
    while not place.is_dir():
        place = place.parent
    top = Path(_git(place, "rev-parse", "--show-toplevel").decode().strip())
    commit = _git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", what=revision)
    name = commit.decode().strip()
    relative = script.resolve().relative_to(top.resolve())
    progress(f"taking {relative} from {name[:12]}")
    with tarfile.open(fileobj=io.BytesIO(_git(top, "archive", "--format=tar", name))) as archive:
        # Python before 3.10.12 and 3.11.4 has no filters; what git wrote holds nothing to filter.
        filters: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder, **filters)
    original = folder / relative
    if not original.is_file():
        raise SourceError(f"{relative} is not in {revision}")
    new = migrated or script
    if not new.is_file():
        raise SourceError(f"{new}: no such file")
    return Pair(original, new, (f"{relative} at {name[:12]}", str(new)))


def _git(folder: Path, *arguments: str, what: str = "") -> bytes:
    """Returns what git prints.

    Raises:
        SourceError: it is not installed, or failed.
    """
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise SourceError(f"cannot run git: {error.strerror}") from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip() or f"no revision {what}"
        raise SourceError(f"git: {reason}")
    return done.stdout
