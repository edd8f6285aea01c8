"""`make demo`: migrates a TensorFlow 1.x multi-GPU program and shows that it trains the same.

The original is compared as real TensorFlow 1.15.5 trained it (its stored trace); the migrated
program is trained here, on two CPU devices instead of two GPUs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CASE = ROOT / "fixtures/replicate_model_fn/dense_adam"
FOLDER = ROOT / "demo"


def run(*arguments: str) -> int:
    """Shows a tfmigrate command and runs it; returns its exit code."""
    print(f"\n$ tfmigrate {' '.join(arguments)}\n", flush=True)
    return subprocess.run([sys.executable, "-m", "tfmigrate", *arguments], cwd=ROOT).returncode


def main() -> int:
    """Copies the program into demo/, migrates it there, and verifies it."""
    print("The demo takes about a minute: it trains 120 steps on two CPU devices.", flush=True)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    shutil.copy(CASE / "original.py", FOLDER / "original.py")
    shutil.copy(CASE / "trace.npz", FOLDER / "trace.npz")
    shutil.copy(CASE / "original.py", FOLDER / "train.py")
    if run("--diff", "demo/train.py") != 1:  # 1: there is something to do
        return 2
    if run("demo/train.py") != 0:
        return 2
    verdict = run(
        *("verify", "demo/original.py", "demo/train.py", "--replicas", "2"),
        *("--report", "demo/report.html"),
        *("--", "--model_dir", "{out}", "--train_steps", "120"),
    )
    if (FOLDER / "report.html").exists():  # not if a program could not be run
        print("\nThe same as a page, with both loss curves: demo/report.html")
    return verdict


if __name__ == "__main__":
    sys.exit(main())
