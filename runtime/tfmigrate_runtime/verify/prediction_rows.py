"""How many rows predictions have, and which of them both traces contain."""

from tfmigrate_runtime.verify.trace import Results, Trace
from tfmigrate_runtime.verify.wording import counted

_MOST_IN_OLD_TRACES = 64


def rows_in_both(
    original: Trace, migrated: Trace
) -> tuple[list[Results], list[Results], list[str]]:
    """Returns the rows of predictions that both traces hold, and differences in their numbers.

    Args:
        original: one with as many predictions as the other.
        migrated: the other.
    """
    first, second, details = [], [], []
    counts = [_counts(trace) for trace in (original, migrated)]
    pairs = zip(original.predictions, migrated.predictions, *counts, strict=True)
    for number, (old, new, rows, new_rows) in enumerate(pairs, start=1):
        if None not in (rows, new_rows) and rows != new_rows:
            details.append(
                f"prediction {number}: the original returns {counted(rows, 'row')}, the migrated "
                f"program {new_rows}."
            )
        shared = min(_length(old), _length(new))
        first.append(_cut(old, shared))
        second.append(_cut(new, shared))
    return first, second, details


def rows_left_out(original: Trace, migrated: Trace) -> tuple[str, ...]:
    """Names the predictions of which not all rows were compared."""
    notes = []
    for number, pair in enumerate(
        zip(original.predictions, migrated.predictions, strict=False), start=1
    ):
        compared = min(map(_length, pair))
        counts = [_counts(trace)[number - 1] for trace in (original, migrated)]
        if None in counts:
            text = f"Only the first {compared} rows of prediction {number} were compared: the "
            which = "original" if counts[0] is None else "migrated program"
            notes.append(f"{text}trace of the {which} contains only these. Record it again.")
        elif counts[0] != compared:
            notes.append(
                f"Only the first {compared} of {counts[0]} rows of prediction {number} were "
                "compared."
            )
    return tuple(notes)


def _counts(trace: Trace) -> list[int | None]:
    """Returns how many rows each prediction had, None where that was not recorded."""
    if (recorded := trace.meta.get("prediction_rows")) is None:
        lengths = [_length(rows) for rows in trace.predictions]
        return [None if count == _MOST_IN_OLD_TRACES else count for count in lengths]
    return [count for count in recorded if count]  # one without rows leaves no arrays


def _length(rows: Results) -> int:
    return min((len(values) for values in rows.values() if values.ndim), default=0)


def _cut(rows: Results, count: int) -> Results:
    return {name: values[:count] if values.ndim else values for name, values in rows.items()}
