"""Makes docs/images/terminal.svg: a program is migrated and verified, as a terminal shows it.

    python scripts/pages/terminal_picture.py    a minute; needs tfmigrate[runtime]

The commands are run as they are shown, in a project with git. There is no TensorFlow 1.x: the
original runs on this interpreter's TensorFlow.
"""

from __future__ import annotations

import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[2]
PROJECT = Path(__file__).parent / "transcript_project"
TARGET = ROOT / "docs/images/terminal.svg"
WIDTH = 104
COMMANDS = (
    "tfmigrate model.py train.py",
    "tfmigrate verify train.py --git HEAD --replicas 2 -- --model_dir {out} --steps 40",
)


def shown(command: str, folder: Path) -> str:
    """Returns what a tfmigrate command prints on a terminal, colours included.

    Raises:
        CalledProcessError: It failed.
    """
    ours, theirs = pty.openpty()
    variables = {**os.environ, "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    variables.pop("NO_COLOR", None)
    variables.pop("TFMIGRATE_REFERENCE_PYTHON", None)
    words = [sys.executable, "-m", *command.split()]
    # What verify runs is on stderr, with a clock.
    with subprocess.Popen(
        words, cwd=folder, env=variables, stdout=theirs, stderr=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        output = b""
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not read:
                break
            output += read
    os.close(ours)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return output.decode().replace("\r\n", "\n")


def main() -> None:
    """Runs the commands in a copy of the program, and draws what they print."""
    screen = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "digits"
        shutil.copytree(PROJECT, folder)
        identity = ("-c", "user.name=User", "-c", "user.email=user@example.org")
        for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "Two GPUs")):
            subprocess.run(("git", *words), cwd=folder, check=True)
        for command in COMMANDS:
            screen.print(Text(f"$ {command}", style="bold"))
            screen.print(Text.from_ansi(shown(command, folder).strip("\n")))
            screen.print()
    picture = screen.export_svg(title="tfmigrate", theme=DIMMED_MONOKAI, unique_id="terminal")
    # Pages that show the picture load no fonts from elsewhere.
    TARGET.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL), "utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
