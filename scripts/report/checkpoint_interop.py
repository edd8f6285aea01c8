"""Shows that checkpoints go from TensorFlow 1.x to a migrated program and back.

    python scripts/report/checkpoint_interop.py --reference-python PATH [--recorder PATH] [CASE ...]

PATH is an interpreter with a real TensorFlow 1.x. For each case (dense_adam and conv_batch_norm by
default) the original, in that interpreter, and what tfmigrate makes of it, in this one, train one
step each. From their checkpoints of steps 0 and 1 both programs train on to step 10: what the
writer itself comes to is what the other one must come to, in every variable and slot. Both run on
two CPU devices with the same random numbers, by tfmigrate_runtime/verify/recorder/all_sessions.py.

Prints a Markdown table. Exit code 0 if all names and shapes are the same and no value but moving
averages differs by more than 1e-5; else 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes

ROOT = Path(__file__).parents[2]
CASES = ROOT / "fixtures" / "replicate_model_fn"
RECORDER = ROOT / "runtime" / "tfmigrate_runtime" / "verify" / "recorder" / "all_sessions.py"
LAST = 10
# Nine float32 steps after the checkpoint, with sums in another order (semantics.md, 1m).
TOLERANCE = 1e-5
MOVING = "/moving_"  # semantics.md, 1.11: two runs of the original differ as well

# The arguments that train from one step to another; dense_adam counts steps from where it stands.
ARGUMENTS = {
    "dense_adam": lambda first, last: [
        f"--train_steps={last - first}",
        f"--steps_per_eval={last - first}",
    ],
    "conv_batch_norm": lambda first, last: [f"--train_steps={last}"],
}


@dataclass(frozen=True)
class Program:
    """A program, and the interpreter that it runs in."""

    label: str
    python: str
    script: Path


@dataclass(frozen=True)
class Exchange:
    """What came of a checkpoint that one program wrote and another read."""

    case: str
    writer: str
    reader: str
    step: int
    variables: int
    slots: int
    same_names: bool
    resumed_at: int
    difference: float
    moving: float | None


def run(program: Program, recorder: Path, folder: Path, arguments: list[str]) -> list[int]:
    """Runs a program on two CPU devices; returns the global steps that it made.

    Raises:
        subprocess.CalledProcessError: the program failed; its output is on stderr.
    """
    trace = folder.with_suffix(".npz")
    command = [program.python, str(recorder), "--out", str(trace), "--replicas", "2"]
    command += [str(program.script), "--", f"--model_dir={folder}", *arguments]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    # TensorFlow 2 sets it when this process reads checkpoints; TensorFlow 1.15 obeys it.
    environment.pop("TF2_BEHAVIOR", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
        done.check_returncode()
    with np.load(trace) as found:
        return [int(step) for step in found["step"]]


def checkpoint(folder: Path, step: int) -> dict[str, Any]:
    """Returns the arrays of a checkpoint by name."""
    import tensorflow as tf

    reader = tf.train.load_checkpoint(str(folder / f"model.ckpt-{step}"))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def shapes(arrays: dict[str, Any]) -> dict[str, Any]:
    """Returns the shape and dtype of every variable."""
    return {name: (np.shape(value), np.asarray(value).dtype) for name, value in arrays.items()}


def keep_only(step: int, source: Path, target: Path) -> Path:
    """Copies a folder of checkpoints as it was when the one of a step was the only one."""
    target.mkdir()
    for path in source.glob(f"model.ckpt-{step}.*"):
        shutil.copy(path, target)
    (target / "checkpoint").write_text(f'model_checkpoint_path: "model.ckpt-{step}"\n')
    return target


def exchange(
    case: str, writer: Program, reader: Program, recorder: Path, source: Path, first: int
) -> Exchange:
    """Lets both programs train on from a checkpoint that one of them wrote into a folder."""
    arguments = ARGUMENTS[case](first, LAST)
    own = keep_only(first, source, source.with_name(f"{source.name}-{first}-own"))
    others = keep_only(first, source, source.with_name(f"{source.name}-{first}-others"))
    run(writer, recorder, own, arguments)
    steps = run(reader, recorder, others, arguments)
    written = checkpoint(source, first)
    expected, found = checkpoint(own, LAST), checkpoint(others, LAST)
    apart = {
        name: float(np.max(np.abs(np.asarray(value, np.float64) - found[name])))
        for name, value in expected.items()
        if name in found
    }
    moving = [value for name, value in apart.items() if MOVING in name]
    names = set(written)
    return Exchange(
        case,
        writer.label,
        reader.label,
        first,
        variables=len(names),
        slots=sum("/" in name and name.rpartition("/")[0] in names for name in names),
        same_names=shapes(written) == shapes(expected) == shapes(found),
        resumed_at=steps[0] - 1,
        difference=max(value for name, value in apart.items() if MOVING not in name),
        moving=max(moving) if moving else None,
    )


def migrated(original: Path, target: Path) -> Path:
    """Writes what tfmigrate makes of a program."""
    source = decode_source(read_bytes(original), original, original.name)
    text = migrate([source], Options()).texts[source.path]
    target.write_bytes(source.encode(text))
    return target


def table(rows: list[Exchange]) -> str:
    """Returns the results in Markdown."""
    lines = [
        "| fixture | written by | of step | read by | variables (slots) | names, shapes, dtypes "
        f"| resumed at | largest difference at step {LAST} | moving averages |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        moving = "-" if row.moving is None else f"{row.moving:.1e}"
        lines.append(
            f"| {row.case} | {row.writer} | {row.step} | {row.reader} "
            f"| {row.variables} ({row.slots}) | {'the same' if row.same_names else '**differ**'} "
            f"| step {row.resumed_at} | {row.difference:.1e} | {moving} |"
        )
    return "\n".join(lines)


def main() -> int:
    """Runs all exchanges and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="*", default=sorted(ARGUMENTS), metavar="CASE")
    parser.add_argument("--reference-python", required=True, metavar="PATH")
    parser.add_argument("--recorder", type=Path, default=RECORDER, metavar="PATH")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for case in options.cases:
            script = CASES / case / "original.py"
            ours = migrated(script, Path(work) / f"{case}.py")
            programs = [
                Program("the original, TF 1.x", options.reference_python, script),
                Program("the migrated program", sys.executable, ours),
            ]
            for number, (writer, reader) in enumerate((programs, programs[::-1])):
                folder = Path(work) / f"{case}-{number}"
                run(writer, options.recorder, folder, ARGUMENTS[case](0, 1))
                rows += [
                    exchange(case, writer, reader, options.recorder, folder, step)
                    for step in (0, 1)
                ]
    print(table(rows))
    good = all(
        row.same_names and row.resumed_at == row.step and row.difference <= TOLERANCE
        for row in rows
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
