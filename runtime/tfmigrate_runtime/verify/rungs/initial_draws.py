"""Whether variables start from the same values, from the same distribution, or from neither.

Where randomness is pinned both start from the same bits. Where they do not, what the recorder knows
about the initializers decides (``draws/initial_values.py``): constants, and values that were
assigned or restored before the first step, must be equal; of two random initializers, many fresh
draws are compared. Traces that were recorded without such draws have one value for each variable.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfmigrate_runtime.verify.rungs.initial_laws import (
    Sample,
    other_law,
    recorded_sample,
    sample_of,
)
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import SIDES, counted

# Another draw is a multiple of the first one, to this share of the spread, as good as never; the
# same draw, scaled, is one to float32's rounding, 6e-8.
_SAME_DRAW = 1e-4
_SPREAD = 0.1  # of differences around their median that are one factor, or one shift
_LEAST_TO_FIT = 4  # numbers: a line goes through two of them
# Versions of TensorFlow round the scaling of a draw differently: a few units in the last place.
_ROUNDING = 1e-5
_ROUNDING_OF_CONSTANTS = 1e-6
# Weight normalization starts from what a forward pass of the first batch computes: as updates, such
# values differ by up to 2e-5 of their size where kernels add in another order.
_ROUNDING_OF_COMPUTED = 1e-4
# Behind fifty layers, each normalized by what those before compute, rounding becomes this share: in
# openai/pixel-cnn 0.003. A small fault may be as much.
_DOUBT_OF_COMPUTED = 0.01
_LEAST_SAMPLE = 16  # numbers from which on a single draw can be tested
NO_DRAWS = "no draws of initializers, so that their distributions are not tested"


@dataclass(frozen=True)
class Start:
    """What one program starts a variable from.

    Attributes:
        value: what it held before the first step, before anything was copied to it.
        kind: "constant", "random", "unknown", or "" where that was not recorded.
        drawn: whether that is what its initializer computes; None where that is not known.
        reason: why nothing is known.
        sample: what its initializer draws.
        trainable: whether it is trained.
        is_restored: whether its initializer reads a checkpoint.
        seeds: those that the program gave its initializer; None where that was not recorded, as
            of Keras, which draws other numbers with the same seed.
    """

    value: Array
    kind: str
    drawn: bool | None
    reason: str
    sample: Sample | None
    trainable: bool
    is_restored: bool = False
    seeds: tuple[int, ...] | None = None

    @property
    def is_given(self) -> bool:
        """Whether the value is known not to be drawn by the initializer."""
        return self.drawn is False or self.kind == "unknown"

    def __str__(self) -> str:
        if self.is_given:
            what = "a value" if self.value.size == 1 else "values"
            origin = "assigned or restored before the first step"
            if self.kind == "unknown":
                origin = f"given by the program ({self.reason})"
            return f"{what} {origin} ({_shown(self.value)})"
        if self.kind == "random":
            return f"random numbers ({self.sample})"
        if not self.kind:
            return _shown(self.value)
        if self.is_restored:
            return f"values of a checkpoint ({_shown(self.value)})"
        several = "s" if "," in _shown(self.value) else ""
        return f"the constant{several} {_shown(self.value)}"


@dataclass(frozen=True)
class Judged:
    """The judgement on one variable whose initial values differ bit for bit.

    Attributes:
        difference: how the initial values differ, "" where they count as the same.
        note: what the judgement rests on, where it does not rest on recorded draws.
        is_rounding: whether the values differ by no more than rounding.
        doubt: how they differ where rounding may be why, and a fault, too.
    """

    difference: str = ""
    note: str = ""
    is_rounding: bool = False
    doubt: str = ""


Pair = tuple[Start, Start]  # of the original and of the migrated program


def start_of(name: str, trace: Trace) -> Start:
    """Returns what a program starts a variable from."""
    about: Mapping[str, Any] = trace.meta.get("initializers", {}).get(name, {})
    sample = None
    if about.get("kind") == "random" and name in trace.laws:
        sample = recorded_sample(trace.laws[name], about, trace.fixed.get(name))
    return Start(
        trace.started_from(name),
        str(about.get("kind", "")),
        about.get("drawn"),
        str(about.get("reason") or ""),
        sample,
        name in trace.trainable,
        bool(about.get("restored")),
        tuple(about["seeds"]) if "seeds" in about else None,
    )


def compared(original: Trace, migrated: Trace) -> dict[str, Judged]:
    """Judges every variable that the two programs start from different bits, by its name."""
    shared = [name for name in original.initial if name in migrated.initial]
    differing = [
        name
        for name in shared
        if original.started_from(name).shape == migrated.started_from(name).shape
        and not _is_same(original.started_from(name), migrated.started_from(name))
    ]
    starts = {name: (start_of(name, original), start_of(name, migrated)) for name in differing}
    judgements = {}
    for name, sides in starts.items():
        if (source := _source(sides, starts)) is not None:
            judgements[name] = Judged(note=f"{name} starts as a copy of {source} in both programs")
        elif lost := _lost_source(name, sides[0], original, migrated):
            judgements[name] = Judged(
                f"{name} starts as a copy of {lost} in the original, from {sides[1]} in the "
                "migrated program."
            )
        else:
            judgements[name] = judged(name, *sides, len(shared))
    return judgements


def _source(sides: Pair, starts: Mapping[str, Pair]) -> str | None:
    """Returns the variable that both programs copied to another before the first step.

    As to a target network: its values are assigned, and no more the same than those of the network
    that it is a copy of, which is judged by itself.
    """
    if not any(side.is_given for side in sides):
        return None
    for name, others in starts.items():
        if not any(other.is_given for other in others) and all(
            side.value.tobytes() == other.value.tobytes() and np.ptp(side.value) > 0
            for side, other in zip(sides, others, strict=True)
        ):
            return name
    return None


def _lost_source(name: str, start: Start, original: Trace, migrated: Trace) -> str | None:
    """Returns the trained variable that only the original copied to another before the first step.

    An average of weights that starts elsewhere is far from them for its first thousand steps.
    Variables that the program gave the same seed are equal, and no copies.
    """
    if start.value.dtype.kind != "f" or start.value.size < _LEAST_TO_FIT:
        return None
    if np.ptp(start.value) == 0 or (start.trainable and start.seeds):
        return None
    for other in original.initial:
        if other == name:
            break  # the copy is made after what it is a copy of
        is_copy = _is_same(original.started_from(other), start.value)
        if is_copy and other in original.trainable and other in migrated.initial:
            own = migrated.started_from(other)
            return None if _is_same(own, migrated.started_from(name)) else other
    return None


def _is_same(value: Array, other: Array) -> bool:
    return value.shape == other.shape and value.tobytes() == other.tobytes()


def judged(name: str, original: Start, migrated: Start, variables: int) -> Judged:
    """Judges whether different initial values of a variable count as the same.

    Args:
        name: the variable.
        original: what the original starts it from.
        migrated: what the migrated program does, without the values that were copied to it.
        variables: how many are compared.
    """
    if _is_rounding(original.value, migrated.value):
        return Judged(is_rounding=True)
    if original.is_given and migrated.is_given:
        apart = _apart(original.value, migrated.value)
        if apart <= _ROUNDING_OF_COMPUTED:
            return Judged(is_rounding=True)
        if apart <= _DOUBT_OF_COMPUTED and not _is_systematic(original.value, migrated.value):
            return Judged(
                doubt=f"{name} is computed before the first step and differs by {apart:.2g} of its "
                "size: rounding may become as much in a deep network, and so may a small fault."
            )
    both = f"{name} starts from {original} in the original, from {migrated} in the migrated program"
    sides = (original, migrated)
    if any(side.value.dtype.kind not in "fiub" for side in sides):
        return Judged(f"{both}.")
    if any(side.is_given for side in sides):
        return Judged(f"{both}.")
    if any(side.kind == "constant" for side in sides) or any(map(_is_constant, sides)):
        return Judged(f"{both}.")
    if not any(side.kind for side in sides) and not original.trainable:
        return Judged(f"{both}.")  # slots and statistics are not drawn
    return _of_random(name, original, migrated, variables)


def _is_constant(start: Start) -> bool:
    """Whether one value, of which nothing else is known, is a constant."""
    return not start.kind and start.value.size > 1 and bool(np.ptp(start.value) == 0)


def _is_rounding(old: Array, new: Array) -> bool:
    if old.dtype.kind != "f":
        return False
    scale = float(np.abs(old).max()) if old.size else 0.0
    limit = _ROUNDING_OF_CONSTANTS
    return bool(np.allclose(new, old, rtol=limit, atol=limit * scale, equal_nan=True))


def _apart(old: Array, new: Array) -> float:
    """Returns by which share of their size values differ that are computed; of others infinity."""
    if old.dtype.kind != "f" or old.size < _LEAST_TO_FIT or np.ptp(old) == 0:
        return np.inf
    apart, size = (float(np.linalg.norm(np.float64(each))) for each in (new - old, old))
    return apart / size


def _is_systematic(old: Array, new: Array) -> bool:
    """Returns whether values differ by one factor, or by one shift, which rounding does not.

    By the median: a unit whose first batch hardly varies starts from 200 where others start from 1.
    """
    first, second = (np.ravel(each).astype(np.float64) for each in (old, new))
    apart = second - first
    shares = apart[first != 0] / first[first != 0]
    return any(
        float(np.median(np.abs(each - np.median(each)))) <= _SPREAD * abs(float(np.median(each)))
        for each in (apart, shares)
    )


def _of_random(name: str, original: Start, migrated: Start, variables: int) -> Judged:
    if scaled := _scaled(name, original.value, migrated.value):
        return Judged(scaled)
    old, new = (side.sample or sample_of(side.value) for side in (original, migrated))
    if why := other_law(old, new, variables):
        return Judged(
            f"{name} is drawn from a different distribution: {old} in the original, {new} in the "
            f"migrated program ({old.count} and {new.count} draws: {why})."
        )
    if original.seeds and migrated.seeds is not None and original.seeds != migrated.seeds:
        seeds = [" and ".join(map(str, side.seeds or ("none",))) for side in (original, migrated)]
        return Judged(
            f"{name} is drawn with another seed: {seeds[0]} in the original, {seeds[1]} in the "
            "migrated program."
        )
    sides = zip(SIDES, (original, migrated), strict=True)
    if not (without := [side for side, start in sides if start.sample is None]):
        return Judged()
    verb = "has" if len(without) == 1 else "have"
    note = f"the trace of the {' and that of the '.join(without)} {verb} {NO_DRAWS}"
    if without == [SIDES[1]] and migrated.reason:
        note = f"only the migrated program's one value of {name} was tested ({migrated.reason})"
    if min(old.count, new.count) < _LEAST_SAMPLE:
        size = counted(original.value.size, "element")
        note += f"; {name} has {size}, too few for a test"
    return Judged(note=note)


def _scaled(name: str, original: Array, drawn: Array) -> str:
    """Describes the factor and the shift by which two values are the same random numbers."""
    if original.size < _LEAST_TO_FIT or original.shape != drawn.shape:
        return ""
    old, new = (np.ravel(values).astype(np.float64) for values in (original, drawn))
    if not (np.isfinite(old).all() and np.isfinite(new).all()) or np.ptp(old) == 0:
        return ""
    factor, shift = np.polyfit(old, new, 1)
    spread = float(new.std())
    if np.abs(new - factor * old - shift).max() > _SAME_DRAW * spread:
        return ""
    if abs(factor - 1) <= _ROUNDING and abs(shift) <= _ROUNDING * spread:
        return ""
    shifted = f", {shift:+.3g}" if abs(shift) > _ROUNDING * spread else ""
    return (
        f"{name} starts from the original's random numbers on a different scale: {factor:.6g} "
        f"times its values{shifted}."
    )


def _shown(value: Array) -> str:
    """Returns a value, or the first of its numbers, in a few words."""
    if value.dtype.kind not in "fiub" or not value.size:
        return f"{value.dtype} {list(value.shape)}"
    flat = np.ravel(value)
    if (flat == flat[0]).all():
        return f"{float(flat[0]):.7g}"
    shown = ", ".join(f"{float(number):.4g}" for number in flat[:3])
    return f"{shown}{', ...' if flat.size > 3 else ''}"
