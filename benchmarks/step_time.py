"""Where the time of a step goes: the ops of a migrated program, from a trace of fused steps.

Shares are of the time in ops, which run side by side. Tracing itself takes time: compare shares.

    python benchmarks/step_time.py embedding
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from contenders import STEPS, prepare, settings_of


def main() -> None:
    """Prints the types of ops that take longest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", choices=STEPS)
    parser.add_argument("--replicas", type=int, default=2, help="CPU devices (default: 2)")
    arguments = parser.parse_args()
    settings = settings_of(arguments.model, arguments.replicas, STEPS[arguments.model])
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), arguments.model)
        subprocess.run(
            [sys.executable, "traced.py"],
            cwd=Path(folder, arguments.model, "default"),
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **settings},
            check=True,
        )


if __name__ == "__main__":
    main()
