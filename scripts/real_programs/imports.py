"""Tells which of some files can be imported, with the interpreter that runs this.

    python imports.py FILE ... < /dev/null

Every file is imported in a fork of this process, which has imported TensorFlow, with its folder
and the current one on sys.path. Prints a JSON object: file -> "" or the last line of the error.
Runs on Python 3.6 with TensorFlow 1.12 and newer.
"""

import importlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

SECONDS = 60


def _import(path):
    """Imports a file as the module that it is seen from the current folder."""
    file = Path(path).resolve()
    names = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    sys.path[:0] = [str(folder), str(Path.cwd())]
    sys.argv = [path]
    importlib.import_module(".".join(names))


def outcome(path):
    """Returns what came of the import of a file: "" or the error."""
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(1, 2)
            signal.alarm(SECONDS)
            error = ""
            try:
                _import(path)
            except BaseException as raised:
                error = f"{type(raised).__name__}: {raised}".splitlines()[0][:300]
            os.pwrite(answer.fileno(), error.encode(), 0)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status != 0:
            return f"ended with status {status}"
        answer.seek(0)
        return answer.read().decode()


if __name__ == "__main__":
    # Which is imported depends on the interpreter; either makes all forks start at once.
    import tensorflow  # noqa: F401

    print(json.dumps({path: outcome(path) for path in sys.argv[1:]}))
