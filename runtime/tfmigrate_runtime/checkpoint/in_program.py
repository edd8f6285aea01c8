"""Runs a migrated program up to the first use of its model, and converts a checkpoint there.

    python -m tfmigrate_runtime.checkpoint.in_program REQUEST.json SCRIPT ARGUMENTS

The program is not edited. It ends where it trains, evaluates, loads or saves a compiled model for
the first time, before that has done anything.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from tfmigrate_runtime.checkpoint import tensors
from tfmigrate_runtime.checkpoint.model import PairedModel, described
from tfmigrate_runtime.verify import map_file
from tfmigrate_runtime.verify.map_file import RefusedError
from tfmigrate_runtime.verify.recorder.record_script import run_program

_USES = ("fit", "evaluate", "train_on_batch", "predict", "load_weights", "save_weights")
_NOT_USED = "never calls fit, evaluate or predict of a compiled Keras 3 model"


def main(arguments: Sequence[str]) -> int:
    """Runs the program; ends the process with 0 once a checkpoint is converted."""
    request_path, script, *rest = arguments
    request: dict[str, Any] = json.loads(Path(request_path).read_text("utf-8"))
    try:
        given = map_file.read(request["map"]) if request["map"] else {}
        checkpoint = tensors.Checkpoint(request["like"] or request["old"])
    except RefusedError as error:
        _end(request["answer"], {"error": str(error)})

    def convert(model: Any) -> None:
        try:
            answer: dict[str, Any] = {"lines": _convert(model, request, checkpoint, given)}
        except RefusedError as error:
            answer = {"error": str(error)}
        _end(request["answer"], answer)

    _watch(convert)
    if run_program(script, rest):
        _end(request["answer"], {"error": f"{script} {_NOT_USED}"})
    return 1


def _end(path: str, answer: dict[str, Any]) -> NoReturn:
    Path(path).write_text(json.dumps(answer), "utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # the program must not go on


def _watch(convert: Callable[[Any], None]) -> None:
    """Calls a function with the first model that is used."""
    import keras
    import tensorflow as tf

    def none_here(*arguments: Any, **options: Any) -> None:
        del arguments, options

    # Programs that are started beside old checkpoints would stop because of them.
    tf.train.latest_checkpoint = none_here
    originals = {name: getattr(keras.Model, name) for name in _USES}

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def use(this: Any, *arguments: Any, **options: Any) -> Any:
            if getattr(this, "optimizer", None) is None:
                return original(this, *arguments, **options)
            for name, method in originals.items():  # the conversion uses them, too
                setattr(keras.Model, name, method)
            return convert(this)

        return use

    for name, original in originals.items():
        setattr(keras.Model, name, watched(original))


def _convert(
    model: Any,
    request: dict[str, Any],
    checkpoint: tensors.Checkpoint,
    given: dict[str, map_file.Entry],
) -> list[str]:
    """Converts a checkpoint; returns lines about what was done."""
    old, new = request["old"], request["new"]
    paired = PairedModel(model, checkpoint, given, request["map"] or "", request["in_order"])
    if tensors.is_keras_file(old):
        model.load_weights(old)
        tensors.write(new, paired.values())
    else:
        paired.load()
        _save(model, new)
    count = len(paired.readings)
    return [f"{count} variables of step {_step(model)} written to {new}", *described(paired)]


def _step(model: Any) -> int:
    import keras

    return int(keras.ops.convert_to_numpy(model.optimizer.iterations))


def _save(model: Any, path: str) -> None:
    """Saves a model; what fails leaves the file as it was."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".keras"):
        part = str(Path(path).with_name("part.keras"))
        model.save(part)
    else:
        part = str(Path(path).with_name("part.weights.h5"))
        model.save_weights(part)
    Path(part).replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
