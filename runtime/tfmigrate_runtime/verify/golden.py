"""Records the golden traces of fixtures with a real TensorFlow 1.x.

python -m tfmigrate_runtime.verify.golden fixtures/*/* --reference-python PATH
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tfmigrate_runtime.verify.case import Case, load_case
from tfmigrate_runtime.verify.cluster_ladder import final_loss
from tfmigrate_runtime.verify.cluster_trace import (
    ClusterTrace,
    add_final_losses,
    load_cluster_trace,
)
from tfmigrate_runtime.verify.run_cluster import ClusterProgram, record_cluster
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
            case = load_case(folder)
            if case.cluster is not None:
                recorded = record_golden_cluster(case, options.reference_python)
                steps = ", ".join(f"{name} {len(t.step)}" for name, t in recorded.tasks.items())
                version = recorded.meta["tensorflow"]
                print(f"{case.trace}: TensorFlow {version}, steps: {steps}")
                continue
            trace = record_golden(case, options.reference_python)
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
    program = Program(case.original, case.arguments, python, case.replicas, case.every)
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


def record_golden_cluster(case: Case, python: str) -> ClusterTrace:
    """Records a fixture's original as a cluster, and how far its free runs are from each other.

    Args:
        case: the fixture, one that has a cluster.
        python: an interpreter with TensorFlow 1.x.

    Raises:
        ProgramFailed: it failed, or ran on another TensorFlow or for other steps than it should.
    """
    program = cluster_program(case, case.original, python)
    with tempfile.TemporaryDirectory(prefix=".trace-", dir=case.folder) as folder:
        target = Path(folder) / "trace.npz"
        record_cluster(program, target, TIMEOUT_SECONDS)
        trace = load_cluster_trace(target)
        version = trace.meta["tensorflow"]
        if not version.startswith("1."):
            raise ProgramFailed(f"{python} has TensorFlow {version}: a golden trace needs 1.x")
        steps = sum(len(task.step) for task in trace.tasks.values())
        if steps != case.steps:
            raise ProgramFailed(
                f"{case.original} trained {steps} steps, case.toml says {case.steps}"
            )
        if case.free_runs:
            losses = []
            free = replace(program, turns=False)
            for _ in range(case.free_runs):
                again = Path(folder) / "free.npz"
                record_cluster(free, again, TIMEOUT_SECONDS)
                losses.append(final_loss(load_cluster_trace(again)))
            add_final_losses(target, losses)
        target.replace(case.trace)
    return trace


def cluster_program(case: Case, script: Path, python: str = sys.executable) -> ClusterProgram:
    """Returns a fixture's program as it is run as a cluster.

    Args:
        case: the fixture.
        script: its original or migrated program.
        python: the interpreter.

    Raises:
        ValueError: the fixture has no cluster.
    """
    if case.cluster is None:
        raise ValueError(f"{case.folder}: case.toml has no [cluster]")
    return ClusterProgram(script, case.arguments, case.cluster, python, case.turns, case.every)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
