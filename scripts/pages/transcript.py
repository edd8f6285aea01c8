"""Writes the end of docs/tutorial/getting_started.md: a new user's terminal, from real runs.

    python scripts/pages/transcript.py    takes a few minutes; needs git and tfmigrate[runtime]

The user has a small two-GPU program in git, and uses only what the README and `--help` name.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/tutorial/getting_started.md"
MARK = "<!-- scripts/pages/transcript.py writes what follows, from real runs. -->\n"
PROJECT = Path(__file__).parent / "transcript_project"
LONGEST = 110  # lines of output that are shown; of longer ones the first and the last
HEAD = """## A whole session

A small TensorFlow 1.x program that trains on two GPUs is in git. The machine has no GPU and no
TensorFlow 1.x; `tfmigrate[runtime]` is installed. Every step is one that the README names.
"""
VERIFY = "tfmigrate verify train.py --git HEAD --replicas 2 -- --model_dir {out} --steps 40"
# The text above a command, and the command.
SCRIPT = (
    ("The project.", "ls"),
    ("", "cat model.py"),
    ("", "cat train.py"),
    ("The options.", "tfmigrate --help"),
    ("Show the changes. This writes nothing.", "tfmigrate --diff ."),
    (
        "For CI: exit code 1 means that something would change.",
        "tfmigrate --check --quiet .; echo $?",
    ),
    ("Explain a finding.", "tfmigrate explain TFM735"),
    ("Migrate.", "tfmigrate ."),
    ("", "git diff --stat"),
    ("A second run changes nothing and reports what is left.", "tfmigrate ."),
    (
        "Does it still train the same? The original comes from git and runs unmodified on this "
        "machine's TensorFlow. Both programs use two CPU devices instead of two GPUs.",
        VERIFY,
    ),
    (
        "What if the migration had forgotten that the batch was split? Edit the line and verify "
        "again.",
        f"sed -i 's/global_batch=True/global_batch=False/' train.py\n$ {VERIFY}; echo $?",
    ),
    ("Restore the line.", "sed -i 's/global_batch=False/global_batch=True/' train.py"),
    ("Remove the dependency on tfmigrate.", "tfmigrate --vendor ."),
    ("", "ls tfmigrate_vendored && cat tfmigrate_vendored/README.md"),
)


def environment(programs: Path) -> dict[str, str]:
    """Returns a user's environment: `tfmigrate` is a command there, of this interpreter."""
    programs.mkdir()
    command = programs / "tfmigrate"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m tfmigrate "$@"\n')
    command.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }


def run(command: str, folder: Path, variables: dict[str, str]) -> str:
    """Returns what a command prints, as one sees it on a terminal."""
    done = subprocess.run(
        command.replace("\n$ ", "\n"),
        shell=True,
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    shown = done.stdout.replace(str(folder), "~/digits").replace(sys.executable, "python")
    return "\n".join(line.rstrip() for line in shown.split("\n"))


def shortened(output: str) -> str:
    """Returns an output without the middle of what is too long to read."""
    lines = output.rstrip("\n").split("\n")
    if len(lines) <= LONGEST:
        return "\n".join(lines)
    left_out = f"... ({len(lines) - LONGEST + 1} lines)"
    return "\n".join([*lines[: LONGEST - 16], left_out, *lines[-15:]])


def main() -> None:
    """Runs the commands in a copy of the project, and writes the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "digits"
        shutil.copytree(PROJECT, folder)
        variables = environment(Path(name) / "bin")
        commit = "git -c user.name=User -c user.email=user@example.org commit -qm 'Two GPUs'"
        run(f"git init -q . && git add . && {commit}", folder, variables)
        parts = [HEAD]
        for said, command in SCRIPT:
            output = shortened(run(command, folder, variables))
            if said:
                parts.append(f"{said}\n")
            shown = f"$ {command}\n{output}".rstrip("\n")
            parts.append(f"```console\n{shown}\n```\n")
            print(shown, flush=True)
    before = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(before + MARK + "\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
