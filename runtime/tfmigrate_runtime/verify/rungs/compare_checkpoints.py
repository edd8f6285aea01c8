"""Comparing checkpoints, and how each program restores the other's."""

from collections.abc import Mapping
from typing import Any

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome, not_recorded
from tfmigrate_runtime.verify.rungs.differences import first_lines, greatest_difference
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import SIDES, counted

_OTHER = dict(zip(SIDES, SIDES[::-1], strict=True))
NOT_RUN = "it was not run, because a stored trace was used"


def checkpoints(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Rung 7: the same tensors in the checkpoints, and each program restores the other's.

    Names, shapes and dtypes are those of the checkpoints of the first step. All variables,
    including slots and global_step, must be restored bit for bit.
    """
    sides = dict(zip(SIDES, (original, migrated), strict=True))
    recorded = [trace.meta.get("checkpoint") for trace in sides.values()]
    if (lacking := not_recorded("checkpoints", *recorded)) is not None:
        return lacking
    for name, trace in sides.items():
        if (why := trace.meta["checkpoint"].get("reason")) is not None:
            reason = f"No checkpoint of the {name} was recorded: {why}."
            absent = (f"checkpoints ({why})",)
            return Outcome(True, "no checkpoint", "", (reason,), skipped=True, not_compared=absent)
    old, new = (trace.meta["checkpoint"]["tensors"] for trace in sides.values())
    if details := _other_tensors(old, new):
        return Outcome(False, f"{len(old)} and {len(new)} tensors", "", tuple(details))
    restored, notes = 0, _unsaved(sides)
    missing: tuple[str, ...] = ()
    for name, trace in sides.items():
        attempt = trace.meta.get("restored") or {"reason": _why_not(name, trace)}
        if "reason" in attempt:
            notes.append(
                f"Restoring a checkpoint of the {_OTHER[name]} in the {name} was not tested: "
                f"{attempt['reason']}."
            )
            missing = (*missing, f"restoring checkpoints in the {name} ({attempt['reason']})")
            continue
        restored += 1
        details += _restored(name, trace, attempt["error"])
    if details:
        return Outcome(False, "not restored", "bit for bit", tuple(details))
    if not restored:
        lines = tuple(notes)
        return Outcome(True, "not restored", "", lines, skipped=True, not_compared=missing)
    ways = "both ways" if restored == len(sides) else "one way"
    figure = f"{counted(len(old), 'tensor')}, {ways}"
    return Outcome(True, figure, "bit for bit", tuple(notes), not_compared=missing)


def _unsaved(sides: Mapping[str, Trace]) -> list[str]:
    """Names the variables that neither program saves: their checkpoints have the same tensors."""
    names = {name for trace in sides.values() for name in _not_saved(trace)}
    return [f"Neither program saves {', '.join(sorted(names))}."] if names else []


def _not_saved(trace: Trace) -> list[str]:
    """Returns the variables that a program's own Saver leaves out."""
    return list(trace.meta["checkpoint"].get("unsaved", ()))


def _why_not(name: str, trace: Trace) -> str:
    if "placement" in trace.meta and "skipped" in trace.meta:  # one of a cluster's tasks
        return "this is not tested in clusters"
    if "ended" in trace.meta:
        return "it was ended by --steps"
    return NOT_RUN if name == "original" else "this was not requested"


def _other_tensors(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Describes tensors that only one checkpoint has, or whose shapes or dtypes differ."""
    lines = []
    for name in sorted({*old, *new}):
        if name not in new:
            lines.append(f"{name} is only in the original's checkpoint.")
        elif name not in old:
            lines.append(f"{name} is only in the migrated program's checkpoint.")
        elif list(old[name]) != list(new[name]):
            kinds = [f"{kind[0]} {kind[1]}" for kind in (old[name], new[name])]
            lines.append(f"{name} is {kinds[0]} in the original's checkpoint, {kinds[1]} in the ")
            lines[-1] += "migrated program's."
    return list(first_lines(lines))


def _restored(name: str, trace: Trace, error: str | None) -> list[str]:
    """Describes what a program does not restore from the other program's checkpoint."""
    if error is not None:
        return [f"The {name} cannot restore a checkpoint of the {_OTHER[name]}: {error}"]
    lines = []
    unsaved = _not_saved(trace)
    for key, loaded in trace.restored.items():
        if key in unsaved and key not in trace.checkpoint:
            continue
        if (stored := trace.checkpoint.get(key)) is None and _is_there(loaded, trace):
            continue
        if stored is None:
            lines.append(f"The {name} does not restore {key}: it is not in the checkpoint.")
        elif loaded.tobytes() != stored.tobytes():
            worst = greatest_difference(stored, loaded)
            lines.append(
                f"The {name} restores {key}{worst.place} as {worst.migrated:.9g}, but the "
                f"checkpoint of the {_OTHER[name]} contains {worst.original:.9g}."
            )
    return list(first_lines(lines))


def _is_there(restored: Array, trace: Trace) -> bool:
    """Whether a variable was restored from a tensor, or a part of one, with another name.

    Variables under a partitioner are whole in checkpoints, and their slots have other names.
    """
    others = [value for key, value in trace.checkpoint.items() if key not in trace.restored]
    return any(
        value.dtype == restored.dtype and value.ndim == restored.ndim and _holds(value, restored)
        for value in others
    )


def _holds(whole: Array, part: Array) -> bool:
    """Whether an array is another one, or a range of its rows or columns."""
    if whole.shape == part.shape:
        return whole.tobytes() == part.tobytes()
    for axis in range(whole.ndim):
        if (
            whole.shape[:axis] + whole.shape[axis + 1 :]
            == part.shape[:axis] + part.shape[axis + 1 :]
        ):
            starts = range(whole.shape[axis] - part.shape[axis] + 1)
            size = part.shape[axis]
            ranges = (whole.take(range(start, start + size), axis) for start in starts)
            return any(piece.tobytes() == part.tobytes() for piece in ranges)
    return False
