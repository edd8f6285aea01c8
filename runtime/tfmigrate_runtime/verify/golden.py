"""Records the golden traces of fixtures with a real TensorFlow 1.x.

python -m tfmigrate_runtime.verify.golden fixtures/*/* --reference-python PATH
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tfmigrate_runtime.verify.case import Case, load_case
from tfmigrate_runtime.verify.run_program import (
    REFERENCE_VARIABLE,
    Program,
    ProgramFailed,
    run_recorded,
)
from tfmigrate_runtime.verify.trace import Trace, TraceError, load_trace

TIMEOUT_SECONDS = 600.0


def main(arguments: Sequence[str]) -> int:
    """Records each fixture given; returns 0, or 2 where one failed."""
    parser = argparse.ArgumentParser(prog="golden", description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASE", help="folder of a fixture")
    parser.add_argument(
        "--reference-python",
        default=os.environ.get(REFERENCE_VARIABLE),
        help=f"an interpreter with TensorFlow 1.x (default: ${REFERENCE_VARIABLE})",
    )
    options = parser.parse_args(arguments)
    if not options.reference_python:
        parser.error(f"give --reference-python or set {REFERENCE_VARIABLE}")
    for folder in options.cases:
        try:
            trace = record_golden(load_case(folder), options.reference_python)
        except (ProgramFailed, TraceError) as failure:
            print(failure, file=sys.stderr)
            return 2
        losses = f"loss {trace.loss[0]:.6g} .. {trace.loss[-1]:.6g}"
        version = trace.meta["tensorflow"]
        print(f"{folder / 'trace.npz'}: TensorFlow {version}, {len(trace.step)} steps, {losses}")
    return 0


def record_golden(case: Case, python: str) -> Trace:
    """Records a fixture's original; its trace is replaced only by one that can be trusted.

    Args:
        case: the fixture.
        python: an interpreter with TensorFlow 1.x.

    Raises:
        ProgramFailed: it failed, or ran on another TensorFlow or for other steps than it should.
    """
    program = Program(case.original, case.arguments, python, replicas=case.replicas)
    # Beside the target, so that it can be moved there at once.
    with tempfile.TemporaryDirectory(prefix=".trace-", dir=case.folder) as folder:
        target = Path(folder) / "trace.npz"
        run_recorded(program, target, TIMEOUT_SECONDS)
        trace = load_trace(target)
        version = trace.meta["tensorflow"]
        if not version.startswith("1."):
            raise ProgramFailed(f"{python} has TensorFlow {version}: a golden trace needs 1.x")
        if len(trace.step) != case.steps or trace.replicas_built != case.replicas:
            raise ProgramFailed(
                f"{case.original} trained {len(trace.step)} steps on {trace.replicas_built} "
                f"replicas, case.toml says {case.steps} on {case.replicas}"
            )
        target.replace(case.trace)
    return trace


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
