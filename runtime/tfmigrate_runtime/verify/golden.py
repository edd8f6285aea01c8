"""Records the golden traces of fixtures with a real TensorFlow 1.x.

python -m tfmigrate_runtime.verify.golden fixtures/*/* --reference-python PATH
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tfmigrate_runtime.verify.case import Case, load_case
from tfmigrate_runtime.verify.cluster import ONE_PROCESS
from tfmigrate_runtime.verify.program import Program
from tfmigrate_runtime.verify.recording import Recording, add_final_losses, load_recording
from tfmigrate_runtime.verify.run_program import REFERENCE_VARIABLE, run_recorded
from tfmigrate_runtime.verify.run_statistics import final_loss
from tfmigrate_runtime.verify.surroundings import ProgramFailed
from tfmigrate_runtime.verify.trace import TraceError

TIMEOUT_SECONDS = 600.0


def main(arguments: Sequence[str]) -> int:
    """Records each fixture given; returns 0, or 2 where one failed."""
    parser = argparse.ArgumentParser(prog="golden", description=__doc__, allow_abbrev=False)
    parser.add_argument("cases", nargs="+", type=Path, metavar="CASE", help="folder of a fixture")
    parser.add_argument(
        "--reference-python",
        default=os.environ.get(REFERENCE_VARIABLE),
        help=f"an interpreter with TensorFlow 1.x (default: ${REFERENCE_VARIABLE})",
    )
    options = parser.parse_args(arguments)
    if not options.reference_python:
        parser.error(f"pass --reference-python or set {REFERENCE_VARIABLE}")
    for folder in options.cases:
        try:
            case = load_case(folder)
            recording = record_golden(case, options.reference_python)
        except (ProgramFailed, TraceError) as failure:
            print(failure, file=sys.stderr)
            return 2
        steps = ", ".join(
            f"{name} {len(trace.step)} steps, loss {trace.loss[0]:.6g} .. {trace.loss[-1]:.6g}"
            for name, trace in recording.tasks.items()
            if len(trace.step)
        )
        print(f"{case.trace}: TensorFlow {recording.meta['tensorflow']}, {steps.strip()}")
    return 0


def record_golden(case: Case, python: str) -> Recording:
    """Records a fixture's original; its trace is replaced only by a valid one.

    Args:
        case: the fixture; of one whose workers run freely, further runs give the spread.
        python: an interpreter with TensorFlow 1.x.

    Raises:
        ProgramFailed: it failed, or ran on an unexpected TensorFlow, or for an unexpected
            number of steps.
    """
    program = program_of(case, case.original, python)
    # Next to the target, so that it can be moved there at once.
    with tempfile.TemporaryDirectory(prefix=".trace-", dir=case.folder) as folder:
        target = Path(folder) / "trace.npz"
        run_recorded(program, target, TIMEOUT_SECONDS)
        recording = load_recording(target)
        version = recording.meta["tensorflow"]
        if not version.startswith("1."):
            raise ProgramFailed(f"{python} has TensorFlow {version}, but golden traces need 1.x")
        steps = sum(len(task.step) for task in recording.tasks.values())
        built = case.replicas if recording.is_cluster else recording.chief.replicas_built
        if (steps, built) != (case.steps, case.replicas):
            raise ProgramFailed(
                f"{case.original} trained {steps} steps on {built} replicas, case.toml expects "
                f"{case.steps} on {case.replicas}"
            )
        losses = []
        for _ in range(case.free_runs):
            again = Path(folder) / "free.npz"
            run_recorded(replace(program, turns=False), again, TIMEOUT_SECONDS)
            losses.append(final_loss(load_recording(again).tasks))
        if losses:
            add_final_losses(target, losses)
        target.replace(case.trace)
    return recording


def program_of(case: Case, script: Path, python: str = sys.executable) -> Program:
    """Returns a fixture's original or migrated program as it is run.

    Args:
        case: the fixture.
        script: the program.
        python: the interpreter.
    """
    return Program(
        script,
        case.arguments,
        python,
        case.replicas if case.cluster is None else None,
        case.every,
        cluster=case.cluster or ONE_PROCESS,
        turns=case.turns,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
