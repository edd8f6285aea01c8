"""Writes docs/tutorial/transcript.md: a new user's terminal, from real runs.

    python scripts/pages/transcript.py    takes a few minutes; needs git and tfmigrate[runtime]

The user has a small program of two GPUs in git, has read the README and `--help`, and nothing else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/tutorial/transcript.md"
PROJECT = Path(__file__).parent / "transcript_project"
LONGEST = 100  # lines of output that are shown; of longer ones the first and the last
HEAD = """# A new user's terminal

A small program that trains on two GPUs with TensorFlow 1.x lies in git. Its user has read the
README and `tfmigrate --help`. There is no GPU and no TensorFlow 1.x on this machine;
`tfmigrate[runtime]` is installed.

<!-- Written by scripts/pages/transcript.py from real runs. -->
"""
VERIFY = "tfmigrate verify train.py --git HEAD --replicas 2 -- --model_dir {out} --steps 40"
# What is said before a command, and the command.
SCRIPT = (
    ("What is there?", "ls"),
    ("", "cat model.py"),
    ("", "cat train.py"),
    ("What can the tool do?", "tfmigrate --help"),
    ("Look first. This writes nothing.", "tfmigrate --diff ."),
    ("The exit code says that there is something to do.", "tfmigrate --check --quiet .; echo $?"),
    ("What does one of the findings mean?", "tfmigrate explain TFM702"),
    ("Migrate.", "tfmigrate ."),
    ("", "git diff --stat"),
    ("A second run has nothing to do but to say what is left.", "tfmigrate ."),
    (
        "Does it still train the same? The original is taken from git and runs, unmodified, on "
        "this machine's TensorFlow, on two CPU devices in the place of two GPUs; so does the new "
        "program.",
        VERIFY,
    ),
    (
        "What if the migration had forgotten whose batch it is? Take that out by hand, and verify "
        "again.",
        f"sed -i 's/global_batch=True/global_batch=False/' train.py\n$ {VERIFY}; echo $?",
    ),
    ("Back to what the tool wrote.", "sed -i 's/global_batch=False/global_batch=True/' train.py"),
    ("And without a dependency on tfmigrate:", "tfmigrate --vendor ."),
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
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
