"""``--vendor``: a copy of the runtime's modules that a program needs, next to the program.

The copy is a package named ``tfmigrate_vendored``, which the program imports. There is one in every
folder from which programs import it: the first folder above a file that is not a package.
"""

import ast
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfmigrate import __version__
from tfmigrate.files.discover import shown
from tfmigrate.files.quiet_parse import quiet_parse
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import UNWRITTEN_FILE, Finding, Severity
from tfmigrate.tables.runtime_modules import (
    RUNTIME,
    VENDORED,
    Needs,
    RuntimeMissing,
    imported_names,
    needs,
)

_NEWLINE = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
_WORD = re.compile(rf"(?<![\w.]){RUNTIME}\b")
_MARK = "tfmigrate --vendor"
_LICENSE = Path(__file__).parents[1] / "data" / "LICENSE"


class VendorRefused(Exception):  # noqa: N818 - caught as a description, like UnwritableFile
    """A copy that was not made; the message is one line.

    Attributes:
        folder: where it would be.
    """

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(reason)
        self.folder = folder


@dataclass(frozen=True)
class Copy:
    """A copy of the runtime's modules.

    Attributes:
        folder: where it is, or would be.
        needs: what is in it, and what that needs.
    """

    folder: Path
    needs: Needs


def renamed(text: str, tree: ast.AST) -> str:
    """Returns a program that imports the copy instead of the runtime."""
    lines = _NEWLINE.split(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)) or (
            isinstance(node, ast.Name) and node.id == RUNTIME
        ):
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = _WORD.sub(VENDORED, lines[line])
    return "".join(lines)


def vendored(
    sources: Sequence[SourceFile], texts: dict[Path, str], dry_run: bool
) -> tuple[list[Copy], list[Finding]]:
    """Makes the copies that programs need, and changes the programs to import them.

    Args:
        texts: the new texts of those that change; gets those that import a copy.
        dry_run: whether to write nothing.

    Returns:
        The copies that were, or would be, made or changed, and an ERROR finding for each that
        could not be: the programs below it import the runtime as before.
    """
    trees = {}
    for source in sources:
        text = texts.get(source.path, source.text)
        if RUNTIME not in text and VENDORED not in text:
            continue
        try:
            trees[source.path] = quiet_parse(source.python(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # the engine has reported it
    written, findings, refused = [], [], []
    try:
        wanted = copies(trees)
    except VendorRefused as error:
        return [], [_error(error)]
    for copy in wanted:
        try:
            if write(copy, dry_run):
                written.append(copy)
        except VendorRefused as error:
            findings.append(_error(error))
            refused.append(copy.folder.parent)
    for source in sources:
        if source.path in trees and import_root(source.path) not in refused:
            text = texts.get(source.path, source.text)
            if (renamed_text := renamed(text, trees[source.path])) != text:
                texts[source.path] = renamed_text
    return written, findings


def copies(trees: Mapping[Path, ast.AST]) -> list[Copy]:
    """Returns the copies that programs need.

    Args:
        trees: Python files by their paths; those that import nothing of the runtime need nothing.

    Raises:
        VendorRefused: the runtime cannot be copied.
    """
    imported = {path: imported_names(tree) for path, tree in trees.items()}
    importing = {path: names for path, names in imported.items() if names}
    planned = []
    for root in sorted({import_root(path) for path in importing}):
        below = [path for path in importing if root in path.resolve().parents]
        try:
            need = needs(sorted(set().union(*(importing[path] for path in below))))
        except RuntimeMissing as error:
            raise VendorRefused(root / VENDORED, str(error)) from error
        planned.append(Copy(root / VENDORED, need))
    return planned


def import_root(path: Path) -> Path:
    """Returns the folder of a file's absolute imports: the first one that is not a package."""
    folder = path.resolve().parent
    while (folder / "__init__.py").exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def write(copy: Copy, dry_run: bool) -> bool:
    """Makes a copy, in one step; an older one is replaced.

    Returns:
        Whether anything changed, or would change.

    Raises:
        VendorRefused: something else has the name, or the folder cannot be read or written.
    """
    wanted = _contents(copy)
    try:
        there = {
            path.relative_to(copy.folder).as_posix(): path.read_bytes()
            for path in copy.folder.rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }
        if there == wanted:
            return False
        if copy.folder.exists() and _MARK.encode() not in there.get("README.md", b""):
            reason = f"{VENDORED} exists and was not created by tfmigrate; rename it"
            raise VendorRefused(copy.folder, reason)
        if not dry_run:
            _replace(copy.folder, wanted)
    except OSError as error:
        reason = f"the runtime cannot be copied: {error.strerror or error}"
        raise VendorRefused(copy.folder, reason) from error
    return True


def _replace(folder: Path, wanted: Mapping[str, bytes]) -> None:
    """Replaces a folder with a new one; removes what was begun if that fails."""
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        new = beside / "new"
        for name, data in wanted.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        old = beside / "old"
        try:
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
        except BaseException:  # Ctrl-C among them
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _contents(copy: Copy) -> dict[str, bytes]:
    """Returns the files of a copy by their paths in it."""
    contents = {"LICENSE": _LICENSE.read_bytes(), "README.md": _readme(copy.needs).encode()}
    for module, path in copy.needs.modules.items():
        parts = module.split(".")[1:]
        name = "/".join([*parts, "__init__.py"] if path.name == "__init__.py" else parts)
        name = name if name.endswith(".py") else f"{name}.py"
        text = path.read_text(encoding="utf-8")
        origin = "/".join([RUNTIME, name])
        head = f"# Copied from {origin} of tfmigrate {__version__}; names of modules changed.\n"
        licence = "# Apache License 2.0, see LICENSE in the folder of the package.\n"
        contents[name] = (head + licence + re.sub(rf"\b{RUNTIME}\b", VENDORED, text)).encode()
    return contents


def _readme(need: Needs) -> str:
    distributions = "\n".join(f"* {name}" for name in need.distributions)
    return f"""# {VENDORED}

The {len(need.modules)} modules of {RUNTIME} {__version__} that this project uses, copied by
`{_MARK}`. Running the command again overwrites changes made here. Apache License 2.0, see
LICENSE.

Requirements:

{distributions}
"""


def _error(error: VendorRefused) -> Finding:
    where = shown(error.folder)
    return Finding(where, 1, 1, UNWRITTEN_FILE, Severity.ERROR, str(error), "", applied=False)
