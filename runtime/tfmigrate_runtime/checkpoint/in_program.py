"""Runs a migrated program up to the first use of its variables, and converts a checkpoint there.

    python -m tfmigrate_runtime.checkpoint.in_program REQUEST.json SCRIPT ARGUMENTS

The program is not edited. It ends where it trains, evaluates, restores or saves for the first time,
before that has done anything.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tfmigrate_runtime.checkpoint import tensors, watch
from tfmigrate_runtime.checkpoint.alone import run_alone
from tfmigrate_runtime.checkpoint.paired import PairedProgram, described
from tfmigrate_runtime.checkpoint.targets import Target
from tfmigrate_runtime.verify import map_file
from tfmigrate_runtime.verify.map_file import RefusedError
from tfmigrate_runtime.verify.recorder.pairing.readings_of_original import Program
from tfmigrate_runtime.verify.recorder.program.scripts import run_program

_NO_MODEL = "never calls fit, evaluate or predict of a compiled Keras 3 model"
_NO_CHECKPOINT = (
    "never restores or saves a tf.train.Checkpoint with an optimizer of Keras 3, and never trains"
)


def main(arguments: Sequence[str]) -> int:
    """Runs the program; ends the process with 0 once a checkpoint is converted."""
    request_path, script, *script_arguments = arguments
    request: dict[str, Any] = json.loads(Path(request_path).read_text("utf-8"))
    of_model = any(tensors.is_keras_file(request[name]) for name in ("old", "new"))
    try:
        map_entries = map_file.read(request["map"]) if request["map"] else {}
        original = _original(request)
    except RefusedError as error:
        _end(request["answer"], {"error": str(error)})

    def convert(target: Callable[[], Target]) -> None:
        try:
            answer: dict[str, Any] = {"lines": _convert(target(), request, original, map_entries)}
        except RefusedError as error:
            answer = {"error": str(error)}
        except Exception:  # in a thread of the program, or where it goes on after failures
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        _end(request["answer"], answer)

    _hide_checkpoints()
    run_alone()
    (watch.watch_models if of_model else watch.watch_checkpoints)(convert)
    if run_program(script, script_arguments):
        reason = _NO_MODEL if of_model else _NO_CHECKPOINT
        _end(request["answer"], {"error": f"{script} {reason}"})
    return 1


def _original(request: dict[str, Any]) -> tensors.Checkpoint:
    """Returns the checkpoint of TensorFlow 1.x with the names: ``--like``, or what is converted.

    Raises:
        RefusedError: there is none.
    """
    old, like = request["old"], request["like"]
    if not tensors.is_keras_file(old):
        request["old"] = tensors.prefix(old)
        if not tensors.is_of_objects(old):
            if like:
                raise RefusedError(f"{old} is of TensorFlow 1.x: --like is for the way back")
            return tensors.Checkpoint(old)
    if not like:
        raise RefusedError("--like CHECKPOINT is needed: it has the names of the original")
    return tensors.Checkpoint(like)


def _hide_checkpoints() -> None:
    """Lets programs find no checkpoint: beside one of TensorFlow 1.x they would stop."""
    import tensorflow as tf

    def none_here(*arguments: Any, **options: Any) -> None:
        del arguments, options

    tf.train.latest_checkpoint = none_here
    tf.train.CheckpointManager.latest_checkpoint = property(none_here)


def _end(path: str, answer: dict[str, Any]) -> NoReturn:
    Path(path).write_text(json.dumps(answer), "utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the program must not go on


def _convert(
    target: Target,
    request: dict[str, Any],
    original: tensors.Checkpoint,
    entries: dict[str, map_file.Entry],
) -> list[str]:
    """Converts a checkpoint; returns lines about what was done."""
    program = target.program()
    options = entries, request["map"] or "", request["in_order"]
    paired = PairedProgram(program, target.holds, original, *options)
    if request["like"]:
        target.read(request["old"])
        step = _step(program)
        new = tensors.in_folder(request["new"], Path(original.path).name, step)
        _check_new(new, request["old"], original.path)
        tensors.write(new, paired.values())
    else:
        paired.load()
        step = _step(program)
        new = target.place(request["new"], step)
        _check_new(new, original.path)
        target.write(new, step)
    count = len(paired.readings)
    return [f"{count} variables of step {step} written to {new}", *described(paired)]


def _check_new(new: str, *others: str) -> None:
    if new in others:
        raise RefusedError(f"{new} would be overwritten: choose another name for NEW")


def _step(program: Program) -> int:
    return int(program.steps.now())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
