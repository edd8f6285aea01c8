"""Recordings of originals that are kept, and used again where nothing they depend on has changed.

A recording is kept under a digest of all that it depends on as far as can be seen: the files in the
program's folder and those that its arguments name, its arguments, the folder it is run in, the
interpreter with its packages, environment variables that TensorFlow and Python read or the program
names, the devices, and the recorder. What a program reads from elsewhere is not seen: --fresh.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.running.programs import is_skipped, root_of

FOLDER_VARIABLE = "TFMIGRATE_RECORDINGS"  # names the folder that they are kept in; "" for none
_RUNTIME = Path(__file__).parents[2]
_MOST_FILES = 2000  # of a program that are looked at; with more its recording is not kept
MOST_KEPT = 20
_HASHED_BYTES = 1 << 18  # of a larger file size and time tell whether it has changed
_PREFIXES = ("TF_", "PYTHON", "CUDA_", "XLA_", "KERAS_", "OMP_", "NVIDIA_", "LD_LIBRARY_PATH")


def folder() -> Path | None:
    """Returns where recordings are kept, None for nowhere."""
    if (named := os.environ.get(FOLDER_VARIABLE)) is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "tfmigrate" / "recordings"


def place_of(program: Program, checkpoint: Path | None = None) -> Path | None:
    """Returns where the recording of a program is kept, or would be.

    Args:
        program: the original, as it is to be run.
        checkpoint: what it restores, None for nothing.

    Returns:
        The path; None where recordings are not kept, or the program has too many files.
    """
    where = folder()
    files = list(_files_of(program))
    if where is None or len(files) > _MOST_FILES:
        return None
    texts = [_read(path) for path in files if path.suffix == ".py"]
    parts = {
        "program": {**vars(program), "checkpoint": None, "script": program.script.name},
        "files": {str(path): _content(path) for path in files},
        "folder": str(Path.cwd()),
        "interpreter": _interpreter(program.python),
        "environment": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(_PREFIXES) or _is_named(name, texts)
        },
        "restores": checkpoint
        and {
            path.name.removeprefix(checkpoint.name): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(checkpoint.parent.glob(f"{checkpoint.name}.*"))
        },
        "recorder": [_content(path) for path in sorted(_RUNTIME.rglob("*.py"))],
    }
    text = json.dumps(parts, sort_keys=True, default=str)
    return where / f"{hashlib.sha256(text.encode()).hexdigest()}.npz"


def fetch(place: Path, target: Path) -> float | None:
    """Copies a kept recording, with its checkpoint, to where a run would have written it.

    Returns:
        How many seconds ago it was made; None where there is none.
    """
    stored = place.with_suffix("")
    if not (stored / "trace.npz").is_file():
        return None
    for path in stored.iterdir():
        shutil.copy(path, target.with_name(path.name.replace("trace", target.stem, 1)))
    recorded_at = (stored / "trace.npz").stat().st_mtime
    os.utime(stored)  # it was used
    return time.time() - recorded_at


def keep(place: Path, recording: Path) -> None:
    """Keeps a recording, with its checkpoint; the one that was not used longest is removed."""
    where = place.parent
    where.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=where))
    for path in recording.parent.glob(f"{recording.stem}.*"):
        if path.is_file():
            shutil.copy(path, new / path.name.replace(recording.stem, "trace", 1))
    shutil.rmtree(place.with_suffix(""), ignore_errors=True)
    try:
        new.rename(place.with_suffix(""))
    except OSError:  # a run at the same time kept its own
        shutil.rmtree(new, ignore_errors=True)
    recordings = sorted(where.glob("[0-9a-f]*"), key=lambda path: path.stat().st_mtime)
    for path in recordings[:-MOST_KEPT]:
        shutil.rmtree(path, ignore_errors=True)


def _files_of(program: Program) -> Iterator[Path]:
    """Yields the files in the program's folder, and those that its arguments name."""
    yield from _below(root_of(program.script))
    for argument in program.arguments:
        path = Path(argument.partition("=")[2] or argument)
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from _below(path)


def _below(root: Path) -> Iterator[Path]:
    count = 0
    for where, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not is_skipped(Path(where) / name))
        for name in sorted(names):
            count += 1
            yield Path(where) / name
            if count > _MOST_FILES:
                return


def _is_named(variable: str, texts: list[bytes]) -> bool:
    """Whether a program names an environment variable."""
    names = [f"{quote}{variable}{quote}".encode() for quote in "\"'"]
    return any(name in text for name in names for text in texts)


def _content(path: Path) -> str:
    """Returns what changes when a file does; of a link, where it leads, too."""
    link = path.readlink() if path.is_symlink() else ""
    if path.is_file() and (about := path.stat()).st_size > _HASHED_BYTES:
        return f"{link} {about.st_size} {about.st_mtime_ns}"
    return f"{link} {hashlib.sha256(_read(path)).hexdigest()}"


def _read(path: Path) -> bytes:
    """Returns what is in a file; nothing of links that lead nowhere, pipes and sockets."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:  # not ours to read
        return b""


def _interpreter(python: str) -> list[str]:
    """Returns what an interpreter is, and when packages were installed into it or removed."""
    path = Path(shutil.which(python) or python)
    roots = {path.parent.parent, path.resolve().parent.parent, Path(sys.prefix)}
    packages = [
        package_folder
        for root in sorted(roots)
        for package_folder in sorted(root.glob("lib/python3*/site-packages"))
    ]
    return [
        str(path),
        *(f"{package_folder} {package_folder.stat().st_mtime_ns}" for package_folder in packages),
    ]
