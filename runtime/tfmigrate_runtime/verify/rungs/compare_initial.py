"""Comparing initial values."""

from collections.abc import Iterator, Mapping

from tfmigrate_runtime.verify.causes import FirstDifference
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.differences import greatest_difference, how_many
from tfmigrate_runtime.verify.rungs.initial_draws import Judged, compared
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import counted

_RMSPROP = (
    "RMSProp's mean square starts from ones in TensorFlow 1.x and from zeros in Keras: assign ones "
    "to it before the first step."
)


def initial_values(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Both start from the same values, bit for bit, or from draws of the same distributions."""
    details = []
    for name, old in original.initial.items():
        if (new := migrated.initial.get(name)) is None:
            details.append(f"{name} is only in the original.")
        elif old.tobytes() != new.tobytes() or old.shape != new.shape:
            details.append(f"The initial value of {name} differs{_how(old, new)}.")
    details += [
        f"{name} is only in the migrated program."
        for name in migrated.initial
        if name not in original.initial
    ]
    judgements = compared(original, migrated)
    if not details:
        details = [judged.difference for judged in judgements.values() if judged.difference]
    if details:
        differ = f"{len(details)} differ"
        constants = list(_other_constants(original, migrated))
        if "native" in migrated.meta and any(name.endswith("/RMSProp") for name in constants):
            details.append(_RMSPROP)
        first, is_certain = _first(original, migrated, judgements), bool(constants)
        lines = tuple(details)
        return Outcome(False, differ, "bit for bit", lines, first=first, certain=is_certain)
    transferred = len(migrated.meta.get("transferred", []))
    figure = f"{len(original.initial) - transferred} equal"
    figure += f", {transferred} transferred" if transferred else ""
    lines, reserved = _other_numbers(judgements)
    doubts = [judged.doubt for judged in judgements.values() if judged.doubt]
    lines = (*doubts, *lines)
    return Outcome(True, figure, "bit for bit", lines, reservations=reserved, decided=not doubts)


def _other_constants(original: Trace, migrated: Trace) -> Iterator[str]:
    """Yields the variables that start from one number everywhere, and from another in the other."""
    for name, old in original.initial.items():
        new = migrated.initial.get(name)
        if new is None or old.shape != new.shape or old.size < 2 or old.flat[0] == new.flat[0]:
            continue
        if all((each == each.flat[0]).all() for each in (old, new)):
            yield name


def _first(
    original: Trace, migrated: Trace, by_name: Mapping[str, Judged]
) -> FirstDifference | None:
    """Returns the first variable that differs, and the element that does most."""
    drawn = [name for name, judged in by_name.items() if judged.difference]
    for name in [*original.initial, *migrated.initial, *drawn]:
        old, new = original.initial.get(name), migrated.initial.get(name)
        if old is None or new is None:
            return FirstDifference(variable=name)
        if name not in drawn and old.tobytes() == new.tobytes() and old.shape == new.shape:
            continue
        worst = greatest_difference(old, new)
        return FirstDifference(None, name, worst.index, worst.original, worst.migrated)
    return None


def _how(old: Array, new: Array) -> str:
    """Returns by how much two initial values differ, to go on with the sentence."""
    if old.shape != new.shape:
        return f": its shape is {list(old.shape)} in the original, {list(new.shape)} in the other"
    worst = greatest_difference(old, new)
    if worst.size in (0.0, float("inf")):
        return ""
    return f" in {how_many(old, new, 0.0)}, by up to {worst.size:.3g}"


def _other_numbers(by_name: Mapping[str, Judged]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns lines about variables that start from other numbers, and what the verdict adds."""
    rounded = [name for name, judged in by_name.items() if judged.is_rounding]
    drawn = [name for name in by_name if name not in rounded and not by_name[name].doubt]
    lines = []
    if rounded:
        lines.append(f"Initial values that differ only by rounding: {', '.join(rounded)}.")
    if drawn:
        lines.append(
            f"Initial values drawn from the same distribution, with different numbers: "
            f"{', '.join(drawn)}. Training was compared starting from the original's values."
        )
    notes = dict.fromkeys(judged.note for judged in by_name.values() if judged.note)
    lines += [f"{note[0].upper()}{note[1:]}." for note in notes]
    count = counted(len(drawn), "variable starts", "variables start")
    reserved = (f"{count} from different numbers of the same distribution",) if drawn else ()
    return tuple(lines), reserved
