"""Steps of the original that change nothing it trains, where the migrated program makes none.

Sessions of TensorFlow 1.x run one training op in every step, which skips the update itself where a
norm is too large or a loss is no number (``tf.cond``). A loop with a GradientTape calls its
optimizer in an ``if``: its steps are counted by the optimizer's, so it has fewer. It is compared
with the steps that change something; what else the program updates in the others, as averages, is
part of the next one's update in both programs, and so are the losses of all since the last one.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from tfmigrate_runtime.verify.rounding.updates import is_slot_of
from tfmigrate_runtime.verify.running.runner import Runner
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.states_file import write_states_of_all
from tfmigrate_runtime.verify.traces.trace import Array, Trace, at_rows

_WARNING = (
    "the original changes nothing that it trains in {}, which the migrated program leaves out: the "
    "others were compared"
)
_OTHER_BATCH = {"shapes": {}, "reason": "the original's first step changes nothing"}


def left_out(
    runner: Runner, original: Recording, migrated: Recording
) -> tuple[Recording, Recording, Path] | None:
    """Returns both recordings at the steps that change something, and the file of the states.

    None where the migrated program has a step for each of the original's, or others.
    """
    count = len(migrated.chief.step)
    if not migrated.chief.is_native or runner.is_recorded or count >= len(original.chief.step):
        return None
    if (reduced := without_unchanging_steps(original)) is None:
        return None
    steps = _steps_without(original, reduced)
    runner.progress(f"the original changes nothing in {steps}: running without them")
    source = write_states_of_all(runner.folder / "changing_steps.npz", reduced)
    again = runner.migrated(runner.folder / "migrated_again.npz", source, None, source)
    # Whether a step is skipped depends on its state: only now it is known which ones are.
    if len(again.chief.step) != len(reduced.chief.step):
        return None
    return reduced, again, source


def warning(original: Recording, reduced: Recording) -> str:
    """Returns what the user should know about the steps that are left out."""
    return _WARNING.format(_steps_without(original, reduced))


def _steps_without(original: Recording, reduced: Recording) -> str:
    """Returns how many steps of the original are left out, in words."""
    count = len(original.chief.step)
    return f"{count - len(reduced.chief.step)} of its {count} steps"


def without_unchanging_steps(original: Recording) -> Recording | None:
    """Returns the recording of one process without such steps; None where it has none.

    The others are numbered as if they had been all.
    """
    trace = original.chief
    if original.is_cluster or trace.models or len(trace.variable_step) != len(trace.step):
        return None
    rows = np.flatnonzero(_changes(trace))
    count = len(rows)
    if count in (0, len(trace.step)):
        return None
    changing = at_rows(trace, trace.variable_step[:count], rows)
    counted = {
        name: values[:count]
        for name, values in trace.variables.items()
        if np.array_equal(values, trace.variable_step)
    }
    about = trace.meta.get("batch")
    is_first = rows[0] == 0
    # What a GradientTape computes without a step is recorded as a part of the next one.
    first = np.concatenate([[0], rows[:-1] + 1])
    reduced = replace(
        changing,
        meta=trace.meta if is_first else {**trace.meta, "batch": _OTHER_BATCH if about else about},
        batch=trace.batch if is_first else {},
        variables={**changing.variables, **counted},
        step=trace.step[:count],
        loss=np.add.reduceat(trace.loss[: rows[-1] + 1], first) / (rows - first + 1),
        tower_loss=None,
    )
    return Recording.of(reduced)


def _changes(trace: Trace) -> Array:
    """Returns by step whether it changes a trained variable, or a slot of one."""
    changes: Array = np.zeros(len(trace.variable_step), bool)
    for name, values in trace.variables.items():
        if name in trace.trainable or any(is_slot_of(name, owner) for owner in trace.trainable):
            before = np.concatenate([trace.initial[name][np.newaxis], values[:-1]])
            changes |= (values != before).reshape(len(values), -1).any(axis=1)
    return changes
