"""Comparing the first batches that two programs train on."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import compare, compare_losses
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.traces.trace import Array, Trace
from tfmigrate_runtime.verify.wording import counted

# Images that were decoded or resized by another version of TensorFlow: float32 has seven digits.
_TOLERANCE = 1e-5
_MOST_PARTS = 5  # of a source, of which every order is tried
_NOT_RECORDED = "its trace does not contain it. Record it again to compare it"


def start_of_worker(original: Trace, migrated: Trace, tolerance: Tolerance) -> Outcome:
    """Compares the first batches of one process; a different one must show in the first step."""
    if (shuffled := _shuffled_otherwise(original, migrated)) is not None:
        return Outcome(False, "batch differs", "", (shuffled,), cause="first-batch")
    batch = first_batch(original, migrated)
    if not batch.same and _first_step_is_same(original, migrated, tolerance):
        # The recorded inputs differ, what was computed from them does not.
        reason = "First batches look different, but the first step is the same: " + batch.details[0]
        return _not_compared(reason, "the programs read it differently")
    if batch.same:
        return batch
    losses = compare_losses.losses(original, migrated, tolerance)
    updates = compare.variables(original, migrated, tolerance)
    further_lines = [line for each in (losses, updates) if not each.same for line in each.details]
    lines = tuple(line for line in further_lines if not line.startswith(compare.FIRST_STEP_DIFFERS))
    return replace(batch, details=batch.details + lines)


def first_batch(original: Trace, migrated: Trace) -> Outcome:
    """Compares first batches as multisets of rows, those of all towers or replicas together.

    Which replica got which rows is not compared here: the losses of replicas show it.
    """
    for name, trace in (("original", original), ("migrated program", migrated)):
        recorded = trace.meta.get("batch")
        reason = _NOT_RECORDED if recorded is None else recorded["reason"]
        if reason is not None:
            text = f"The first batch of the {name} was not recorded: {reason}."
            return _not_compared(text, "not recorded" if recorded is None else str(reason))
    if migrated.is_port:
        return _batch_of_port(original, migrated)
    old, new = _sources(original), _sources(migrated)
    if len(old) == len(new) == 1:
        old, new = _without_row_numbers(old, new), _without_row_numbers(new, old)
    if sorted(map(_kinds, old.values())) != sorted(map(_kinds, new.values())):
        old, new = _plain(old), _plain(new)
    if sorted(map(_kinds, old.values())) != sorted(map(_kinds, new.values())):
        text = (
            f"The first batch was not compared: the original reads {_described(old)}, the migrated "
            f"program {_described(new)}."
        )
        return _not_compared(text, "the programs read it differently")
    others = sorted(new.values(), key=_kinds)
    details: list[str] = []
    for mine, theirs in zip(sorted(old.values(), key=_kinds), others, strict=True):
        details += _differences(mine, _in_order_of(mine, theirs), migrated)
    rows = sum(_row_count(source) for source in old.values())
    if details:
        return Outcome(False, "batch differs", "", tuple(details), cause="first-batch")
    return Outcome(True, f"batch of {counted(rows, 'row')}")


def _batch_of_port(original: Trace, migrated: Trace) -> Outcome:
    """Compares the arrays of a port's first batch that the original's has, in any layout."""
    mine = [part for source in _sources(original).values() for part in source]
    rows, compared = 0, 0
    for _, value, shape in (part for source in _sources(migrated).values() for part in source):
        alike = [(a, s) for _, a, s in mine if sorted(s) == sorted(shape) and s[:1] == shape[:1]]
        kinds = "iub" if value.dtype.kind in "iub" else value.dtype.kind
        alike = [(a, s) for a, s in alike if a.dtype.kind in kinds and a.size == value.size]
        if not alike:
            continue
        compared, rows = compared + 1, shape[0]
        if all(_unmatched([_in_layout(a, s, shape)], [value.astype(a.dtype)]) for a, s in alike):
            text = f"an array {shape} of the first batch has other rows than the original's."
            return Outcome(False, "batch differs", "", (text,), cause="first-batch")
    if not compared:
        return _not_compared(
            "No array of the port's first batch has the shape of one of the original's.",
            "the programs read it differently",
        )
    return Outcome(True, f"batch of {counted(rows, 'row')}")


def _in_layout(value: Array, shape: Sequence[int], wanted: Sequence[int]) -> Array:
    """Returns an array with its axes in the order of another shape: channels first, or last."""
    if list(shape) == list(wanted) or value.ndim != len(shape):
        return value
    order = (0, len(shape) - 1, *range(1, len(shape) - 1))
    return np.ascontiguousarray(np.transpose(value, order))


def _not_compared(text: str, why: str) -> Outcome:
    missing = (f"first batch ({why})",)
    return Outcome(True, "batch not compared", "", (text,), skipped=True, not_compared=missing)


Source = list[tuple[str, Array, list[int]]]  # name, values, shape before it was cut down


def _sources(trace: Trace) -> dict[str, Source]:
    """Returns what every source of the batch gave, sources in order."""
    shapes: Mapping[str, list[int]] = trace.meta["batch"]["shapes"]
    by_source: dict[str, Source] = {}
    for name in sorted(trace.batch):
        source, _, component = name.partition("/")
        by_source.setdefault(source, []).append((component, trace.batch[name], shapes[name]))
    return by_source


def _in_order_of(old: Source, new: Source) -> Source:
    """Returns the components of a source in the order of another one's.

    Components are in the order of their names. Where these differ (the placeholders of one program,
    positions in a dataset of the other) that order says nothing, and rows are looked at.
    """
    if {name for name, _, _ in old} == {name for name, _, _ in new} or len(new) > _MOST_PARTS:
        return new
    forms = [(value.dtype.kind, shape) for _, value, shape in old]
    orders = [
        list(order)
        for order in itertools.permutations(new)
        if [(value.dtype.kind, shape) for _, value, shape in order] == forms
    ]
    values = [value for _, value, _ in old]
    alike = (
        order
        for order in orders
        if all(
            len(mine) == len(part[1]) and not _unmatched([mine], [part[1]])
            for mine, part in zip(values, order, strict=True)
        )
    )
    return next(alike, orders[0] if orders else new)


def _without_row_numbers(
    sources: dict[str, Source], others: dict[str, Source]
) -> dict[str, Source]:
    """Leaves out the numbers of rows that queues of numpy_input_fn give before the rows."""
    (name, source), (other,) = *sources.items(), others.values()
    numbered = source[0][1].dtype == np.int64 and len(source[0][2]) == 1
    if numbered and _kinds(source[1:]) == _kinds(other):
        return {name: source[1:]}
    return sources


def _shuffled_otherwise(original: Trace, migrated: Trace) -> str | None:
    """Describes another size of a queue that shuffles, which is full while it is recorded.

    None where one program has no such queue.
    """
    old, new = (trace.meta.get("shuffling", []) for trace in (original, migrated))
    for (capacity, least), (other_capacity, other_least) in zip(old, new, strict=False):
        if (capacity, least) != (other_capacity, other_least):
            return (
                f"A queue shuffles at least {other_least} of up to {other_capacity} elements in "
                f"the migrated program, at least {least} of up to {capacity} in the original."
            )
    return None


def _plain(sources: dict[str, Source]) -> dict[str, Source]:
    """Returns the sources as one, columns as vectors, and integers in floats as integers.

    tf.keras of TensorFlow 1.x makes float32 [n, 1] of labels; a program may feed its
    inputs by placeholders, which are one source, or read them from several.
    """
    parts = [_plain_part(*part) for source in sources.values() for part in source]
    return {"all": sorted(parts, key=lambda part: (part[1].dtype.kind, part[2]))}


def _plain_part(name: str, value: Array, shape: list[int]) -> tuple[str, Array, list[int]]:
    if len(shape) == 2 and shape[1] == 1:
        value, shape = value.reshape(-1), shape[:1]
    whole = value.dtype.kind == "f" and bool(np.isfinite(value).all())
    if value.dtype.kind in "biu" or (whole and bool((value == np.round(value)).all())):
        value = value.astype(np.int64)
    return name, value, shape


def _kinds(source: Source) -> list[str]:
    return [f"{value.dtype.kind}{len(shape)}" for _, value, shape in source]


def _described(sources: Mapping[str, Source]) -> str:
    parts = (f"{value.dtype} {shape}" for s in sources.values() for _, value, shape in s)
    return ", ".join(parts) or "nothing"


def _row_count(source: Source) -> int:
    return max(shape[0] for _, _, shape in source)


def _differences(old: Source, new: Source, migrated: Trace) -> list[str]:
    """Describes how two sources differ: by their number of rows, their shapes, or their rows."""
    for (name, _, shape), (_, _, other) in zip(old, new, strict=True):
        label = "" if name.isdigit() else f" ({name})"
        if shape[0] != other[0]:
            return [
                f"The first batch has {other[0]} rows instead of {shape[0]}{label}"
                f"{_ratio_hint(shape[0], other[0], migrated)}."
            ]
        if shape[1:] != other[1:]:
            return [
                f"Rows of the first batch have shape {other[1:]} instead of {shape[1:]}{label}."
            ]
    if len({shape[0] for _, _, shape in old}) == 1:
        groups = [([v for _, v, _ in old], [v for _, v, _ in new])]
    else:
        pairs = zip(old, new, strict=True)
        groups = [([first[1]], [second[1]]) for first, second in pairs]
    lines = []
    for mine, theirs in groups:
        if apart := _unmatched(mine, theirs):
            rows = len(mine[0])
            lines.append(
                f"{apart} of {rows} rows of the first batch are not in the original's: the input "
                "differs, or its order (shuffle, shards), or its random numbers."
            )
    return lines


def _ratio_hint(old: int, new: int, migrated: Trace) -> str:
    if (replicas := int(migrated.meta.get("replicas") or 1)) > 1 and new == old * replicas:
        return (
            f": each of {replicas} replicas reads a batch, where the original splits one. "
            "Check global_batch (tfmigrate explain TFM201)"
        )
    if replicas > 1 and new * replicas == old:
        return (
            f": {replicas} replicas split one batch, where each tower of the original reads its "
            "own. Check global_batch (tfmigrate explain TFM201)"
        )
    return ". Check the batch size"


def _unmatched(old: Sequence[Array], new: Sequence[Array]) -> int:
    """Returns how many rows of the new arrays are not among those of the old ones."""
    mine, theirs = Counter(_rows(old)), Counter(_rows(new))
    if not (left := list((theirs - mine).elements())):
        return 0
    missing = list((mine - theirs).elements())
    numeric = all(value.dtype.kind in "biuf" for value in (*old, *new))
    return 0 if numeric and _close(old, missing, new, left) else len(left)


def _rows(arrays: Sequence[Array]) -> list[bytes]:
    return [b"".join(array[row].tobytes() for array in arrays) for row in range(len(arrays[0]))]


def _close(
    old: Sequence[Array], missing: Sequence[bytes], new: Sequence[Array], left: Sequence[bytes]
) -> bool:
    """Whether the rows that have no equal have one that is close, in some order."""
    first, second = (_numbers(*pair) for pair in ((old, missing), (new, left)))
    if first.shape != second.shape:
        return False
    for values in first:
        distance = np.abs(second - values) - _TOLERANCE * np.maximum(1.0, np.abs(values))
        near = np.flatnonzero((distance <= 0).all(axis=1))
        if not near.size:
            return False
        second = np.delete(second, near[0], axis=0)
    return True


def _numbers(arrays: Sequence[Array], wanted: Sequence[bytes]) -> Array:
    """Returns the rows with these bytes as one matrix of float64."""
    remaining = Counter(wanted)
    picked = []
    for position, row in enumerate(_rows(arrays)):
        if remaining[row]:
            remaining[row] -= 1
            picked.append(
                np.concatenate([np.ravel(a[position]).astype(np.float64) for a in arrays])
            )
    return np.array(picked)


def _first_step_is_same(original: Trace, migrated: Trace, tolerance: Tolerance) -> bool:
    first, second = original.up_to(1), migrated.up_to(1)
    if not np.isfinite(first.loss).all():
        return False  # NaN equals NaN
    if not compare_losses.losses(first, second, tolerance).same:
        return False
    if not (len(first.variable_step) and len(second.variable_step)):
        return True
    return compare.variables(first, second, tolerance).same
