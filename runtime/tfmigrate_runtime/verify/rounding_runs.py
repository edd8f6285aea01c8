"""Finds out whether rounding or chance explains a difference, by more runs of the original."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tfmigrate_runtime.verify.compare_tasks import with_common_steps
from tfmigrate_runtime.verify.free_randomness import Programs, compared_freely, compared_with_chance
from tfmigrate_runtime.verify.ladder import Verdict
from tfmigrate_runtime.verify.recording import Recording
from tfmigrate_runtime.verify.sensitivity import (
    Moved,
    grows_like_rounding,
    judged,
    may_be_rounding,
    shows_at_once,
    write_nudged,
)
from tfmigrate_runtime.verify.structure import with_numbers_of
from tfmigrate_runtime.verify.surroundings import ProgramFailed
from tfmigrate_runtime.verify.tolerance import Tolerance

_MOST_NUDGES = 8  # runs from changed initial values


class Again(Protocol):
    """Runs one of two programs again."""

    def __call__(
        self, side: int, values: Path | None = None, threads: int | None = None
    ) -> Recording:
        """Returns its trace.

        Args:
            side: 0 for the original.
            values: initial values to start from.
            threads: for the sums inside of an op.
        """


def explained(
    verdict: Verdict,
    programs: Programs,
    again: Again,
    tolerance: Tolerance,
    folder: Path,
) -> Verdict:
    """Finds out whether rounding or chance explains a difference.

    Args:
        verdict: of the strict comparison.
        programs: both programs.
        again: runs one of them again.
        tolerance: how close they had to be.
        folder: where initial values may be written.
    """
    original, migrated = (recording.chief for recording in programs.first)
    if verdict.failed is None and any(recording.runs_freely for recording in programs.first):
        return compared_freely(verdict, programs)
    is_cluster = programs.first[0].is_cluster  # workers sum in varying order
    if (
        not is_cluster
        and may_be_rounding(verdict, original, migrated)
        and not _differs_in_form(verdict, programs)
    ):
        strict, judged_once = verdict, False
        for moved in _moved(programs, again, folder):
            verdict, judged_once = judged(strict, original, migrated, tolerance, moved), True
            if verdict.failed is None or shows_at_once(original, migrated, moved):
                break
        if judged_once:
            runs = programs.original(2)
            if len(runs) > 1 and programs.differ(runs[0], runs[1]):
                return verdict  # runs differ by rounding, which was judged already: not by chance
    return compared_with_chance(verdict, programs)


def _differs_in_form(verdict: Verdict, programs: Programs) -> bool:
    """Whether the rung that fails would fail for any numbers."""
    original, migrated = with_common_steps(*programs.first)
    found = programs.climb(original, with_numbers_of(original, migrated)).failed
    return found is not None and verdict.failed is not None and found.name == verdict.failed.name


def _moved(programs: Programs, again: Again, folder: Path) -> Iterator[Moved]:
    """Yields runs with different rounding, none where a program draws unpinned random numbers.

    They are those of the original, or of the migrated program where the original cannot be run.
    First two of them: with another number of threads, and from other values. Then one more at a
    time: rounding decides on a ReLU or a pooling in some runs only.
    """
    threads = 1 if (os.cpu_count() or 1) > 1 else 2
    runs = programs.original(2)
    side = 1 if programs.cannot_run else 0
    if side == 1:
        runs = programs.migrated(2)
    elif programs.original_is_stored:
        runs = [run for run in runs if run is not programs.first[0]]
    base, *found = (run.chief for run in runs)
    if not all(grows_like_rounding(base, run) for run in found):
        return
    shown = "1 thread" if threads == 1 else f"{threads} threads"
    how = f"run with {shown}, or with initial values changed by one unit in the last place"
    nudged = folder / "nudged.npz"
    try:
        found.append(again(side, threads=threads).chief)
        for seed in range(_MOST_NUDGES):
            write_nudged(base, nudged, seed)
            found.append(again(side, values=nudged).chief)
            yield Moved(("original", "migrated program")[side], base, tuple(found), how)
    except ProgramFailed:
        return
