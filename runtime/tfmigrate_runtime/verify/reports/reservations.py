"""The reservations of a verdict: what was not compared, and differences that do not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfmigrate_runtime.verify.rungs.ladder import Rung, Verdict


def not_compared(verdict: Verdict) -> list[str]:
    """Returns what was not compared, and why, each in a few words."""
    phrases = (phrase for rung in verdict.rungs for phrase in _of_rung(rung))
    return list(dict.fromkeys(phrases))


def in_one_line(verdict: Verdict) -> str:
    """Returns what "the programs train the same" does not say, "" where it says all."""
    held = sum(rung.verdict == "same" for rung in verdict.rungs)
    parts = [f"{held} of {len(verdict.rungs)} rungs compared"] if held < len(verdict.rungs) else []
    missing = not_compared(verdict)
    parts += [f"not compared: {', '.join(missing)}"] if missing else []
    outcomes = (rung.outcome for rung in verdict.rungs if rung.outcome is not None)
    parts += dict.fromkeys(text for outcome in outcomes for text in outcome.reservations)
    line = "; ".join(parts)
    return f"{line[:1].upper()}{line[1:]}." if line else ""


def _of_rung(rung: Rung) -> tuple[str, ...]:
    if rung.outcome is None:
        return ()
    if rung.outcome.skipped and not rung.outcome.not_compared:
        return (f"{rung.name.removeprefix('same ')} ({rung.outcome.figure})",)
    return rung.outcome.not_compared
