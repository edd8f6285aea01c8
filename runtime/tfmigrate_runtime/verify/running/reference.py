"""Whether an interpreter can run originals of TensorFlow 1.x."""

import json
import subprocess
from pathlib import Path
from typing import Any

# Looks for packages by their folders: importing TensorFlow takes seconds. Runs on Python 2 too.
_PROBE = """
import glob, json, os, sys
found = [os.path.basename(path) for folder in sys.path
         for path in glob.glob(os.path.join(folder or ".", "tensorflow*-*.dist-info"))]
print(json.dumps([list(sys.version_info[:2]), found]))
"""
_NAMES = ("tensorflow", "tensorflow_cpu", "tensorflow_gpu")
_SECONDS = 20.0


def why_not(python: str) -> str | None:
    """Returns why an interpreter cannot run originals, None where it can or is not known.

    Args:
        python: the interpreter.
    """
    if (version := _about(python)) is None:
        return None
    (major, minor), packages = version
    if major < 3:
        return f"is Python {major}.{minor}: the recorder needs Python 3.6 or newer"
    for name, _, number in [part.rpartition(".")[0].rpartition("-") for part in packages]:
        if name in _NAMES and not number.startswith("1."):
            return (
                f"has TensorFlow {number}, not 1.x. Pass one with TensorFlow 1.x, or --legacy, "
                "which runs the original on TensorFlow 2"
            )
    return None


def _about(python: str) -> Any:
    """Returns what the probe prints; None where it cannot be run."""
    try:
        done = subprocess.run(
            [python, "-c", _PROBE], capture_output=True, timeout=_SECONDS, check=False
        )
        return json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def is_python_2(script: Path) -> bool:
    """Whether a script is not Python 3, but has what Python 2 alone accepts."""
    if script.suffix == ".npz":  # the trace of a port
        return False
    try:
        compile(script.read_bytes(), str(script), "exec")
    except SyntaxError as error:
        return "Missing parentheses" in str(error) or "multiple exception types" in str(error)
    except (OSError, ValueError):
        return False
    return False
