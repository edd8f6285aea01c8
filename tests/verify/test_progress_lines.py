"""What is printed while programs run."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from tfmigrate_runtime.verify.progress import ProgressLines

PROGRAM = """
import time
from tfmigrate_runtime.verify.progress import ProgressLines
with ProgressLines(limit=600) as progress:
    progress("running [bold]a.py --model_dir {out}")
    time.sleep(0.5)
    progress("running b.py")
    time.sleep(0.5)
print("verdict")
"""


def test_lines_go_to_stderr_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines() as progress:
        progress("running [bold]a.py --model_dir {out}")
        progress("running " + "x" * 300)
    expected = f"running [bold]a.py --model_dir {{out}}\nrunning {'x' * 300}\n"
    captured = capsys.readouterr()
    assert (captured.err, captured.out) == (expected, "")


def test_quiet_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLines(quiet=True) as progress:
        progress("running a.py")
    assert capsys.readouterr().err == ""


def test_a_terminal_has_a_clock_that_goes_away() -> None:
    here, there = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stderr=there,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(there)
    shown = b""
    while True:
        try:
            received = os.read(here, 4096)
        except OSError:  # what Linux says once the other end is closed
            break
        if not received:
            break
        shown += received
    output, _ = done.communicate()
    os.close(here)
    assert done.returncode == 0 and output == "verdict\n"
    text = shown.decode()
    assert text.count("running [bold]a.py --model_dir {out}") == 1
    assert text.index("a.py") < text.index("0:00:00") < text.index("running b.py")
    assert "of at most 600 s" in text
    assert text.rstrip().endswith("\x1b[2K")  # the last clock's line is erased
