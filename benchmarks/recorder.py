"""What recording costs: the convolutional fixture with the recorder and without it.

Every round runs each interpreter's program once as it is and once recorded, one after the other, on
this machine; both on two CPU devices. Figures are the medians of the rounds' ratios, of wall time
and of processor time (which other work on the machine hardly changes), from the start of the
process to its end.

    python benchmarks/recorder.py --python PATH --python PATH_OF_TENSORFLOW_1_15 ...

A TensorFlow 1.x runs the original, a TensorFlow 2.x the migrated program.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from tfmigrate_runtime import verify
from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.running.surroundings import environment

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from recorded_cases import Case, load_case

CASE = Path(__file__).parents[1] / "fixtures" / "replicate_model_fn" / "conv_batch_norm"
PLAIN = Path(__file__).parent / "programs" / "on_devices.py"
RUNTIME = Path(__file__).parents[1] / "runtime"


@dataclass(frozen=True)
class Pair:
    """One run without the recorder and one with it.

    Attributes:
        tensorflow: the version.
        steps: how many the program trained.
        plain: seconds of wall and of processor time without the recorder.
        recorded: the same with it.
    """

    tensorflow: str
    steps: int
    plain: tuple[float, float]
    recorded: tuple[float, float]


def main() -> int:
    """Runs the rounds and prints the table."""
    options = _options()
    case = load_case(CASE)
    versions = {python: _version(python) for python in options.python}
    plan = [
        (s, python) for _ in range(options.rounds) for s in options.steps for python in versions
    ]
    console = Console()
    pairs = []
    for steps, python in track(plan, "Training", console=console):
        pair = _pair(case, python, versions[python], steps)
        pairs.append(pair)
        if options.json:
            with options.json.open("a") as stream:
                stream.write(json.dumps(asdict(pair)) + "\n")
    console.print(_table(pairs))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--python", action="append", required=True, help="an interpreter with a TensorFlow"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument(
        "--steps", type=int, nargs="+", default=[120, 1200], help="of a run (default: 120 and 1200)"
    )
    parser.add_argument("--json", type=Path, help="where to add all figures, a line for each pair")
    return parser.parse_args()


def _version(python: str) -> str:
    command = [python, "-c", "import tensorflow as tf; print(tf.__version__)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables(None))
    return done.stdout.split()[-1]


def _pair(case: Case, python: str, version: str, steps: int) -> Pair:
    script = case.original if version.startswith("1.") else case.migrated
    arguments = [str(steps) if text == str(case.steps) else text for text in case.arguments]
    program = Program(script, arguments, python, case.replicas)
    figures = []
    for recorded in (False, True):
        with tempfile.TemporaryDirectory() as name:
            folder, out = Path(name), f"{name}/out"
            command = program.command(folder / "trace.npz", out, None)
            if not recorded:
                given = [text.replace("{out}", out) for text in arguments]
                files = str(Path(verify.__file__).resolve().parent)
                command = [python, str(PLAIN), str(case.replicas), files, str(script), *given]
            figures.append(seconds(command, variables(folder), folder / "log"))
    return Pair(version, steps, *figures)


def variables(folder: Path | None) -> dict[str, str]:
    """Returns the environment of a program; packages of this interpreter are not for another."""
    return {**environment(folder), "PYTHONPATH": str(RUNTIME), "CUDA_VISIBLE_DEVICES": "-1"}


def seconds(command: list[str], variables: dict[str, str], log: Path) -> tuple[float, float]:
    """Returns the wall and processor time that a command took."""
    start = time.monotonic()
    with log.open("wb") as stream:
        process = subprocess.Popen(command, env=variables, stdout=stream, stderr=stream)
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if status:
        sys.exit(f"{' '.join(command)} failed:\n{log.read_text('utf-8', 'replace')[-3000:]}")
    return wall, usage.ru_utime + usage.ru_stime


def _table(pairs: list[Pair]) -> Table:
    table = Table(title="with the recorder / without it, medians of the rounds")
    for heading in ("TensorFlow", "steps", "rounds", "wall time", "greatest", "processor time"):
        table.add_column(heading, justify="right")
    for version, steps in sorted({(pair.tensorflow, pair.steps) for pair in pairs}):
        group = [pair for pair in pairs if (pair.tensorflow, pair.steps) == (version, steps)]
        wall, processor = ([p.recorded[kind] / p.plain[kind] for p in group] for kind in (0, 1))
        table.add_row(
            version,
            str(steps),
            str(len(group)),
            f"{statistics.median(wall):.2f}",
            f"{max(wall):.2f}",
            f"{statistics.median(processor):.2f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
