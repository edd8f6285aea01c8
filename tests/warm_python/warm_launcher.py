"""Writes the ``python`` whose programs run in forks of a process that has imported TensorFlow."""

from __future__ import annotations

import os
from pathlib import Path

_HERE = Path(__file__).parent
_LAUNCHER = f"""#!{{interpreter}} -IS
import sys
sys.path.insert(0, {str(_HERE)!r})
import warm_client
warm_client.main({{interpreter!r}}, {{folder!r}}, sys.argv[1:])
"""


def write_launcher(folder: Path, interpreter: str) -> Path:
    """Returns the path of such a ``python``; its processes end with this one.

    Args:
        folder: where it is written, and where its sockets are: they end when it is removed.
        interpreter: the Python that it stands for.
    """
    (folder / "owner").write_text(str(os.getpid()))
    launcher = folder / "python"
    launcher.write_text(_LAUNCHER.format(interpreter=interpreter, folder=str(folder)))
    launcher.chmod(0o755)
    return launcher
