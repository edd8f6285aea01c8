"""Finds out whether rounding or chance explains a difference, by more runs of the original."""

from __future__ import annotations

import os
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
    write_nudged,
)
from tfmigrate_runtime.verify.structure import with_numbers_of
from tfmigrate_runtime.verify.surroundings import ProgramFailed
from tfmigrate_runtime.verify.tolerance import Tolerance


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
        moved = _moved(programs, again, folder)
        if moved is not None:
            verdict = judged(verdict, original, migrated, tolerance, moved)
            runs = programs.original(2)
            if len(runs) > 1 and programs.differ(runs[0], runs[1]):
                return verdict  # runs differ by rounding, which was judged already: not by chance
    return compared_with_chance(verdict, programs)


def _differs_in_form(verdict: Verdict, programs: Programs) -> bool:
    """Whether the rung that fails would fail for any numbers."""
    original, migrated = with_common_steps(*programs.first)
    found = programs.climb(original, with_numbers_of(original, migrated)).failed
    return found is not None and verdict.failed is not None and found.name == verdict.failed.name


def _moved(programs: Programs, again: Again, folder: Path) -> Moved | None:
    """Returns runs with different rounding, None where a program draws unpinned random numbers.

    Those of the original, or of the migrated program where the original cannot be run.
    """
    threads = 1 if (os.cpu_count() or 1) > 1 else 2
    runs = programs.original(2)
    side = 1 if programs.cannot_run else 0
    if side == 1:
        runs = programs.migrated(2)
    elif programs.original_is_stored:
        runs = [run for run in runs if run is not programs.first[0]]
    base, *repeated = (run.chief for run in runs)
    if not all(grows_like_rounding(base, run) for run in repeated):
        return None
    nudged = folder / "nudged.npz"
    write_nudged(base, nudged)
    try:
        others = (again(side, threads=threads).chief, again(side, values=nudged).chief)
    except ProgramFailed:
        return None
    shown = "1 thread" if threads == 1 else f"{threads} threads"
    how = f"run with {shown}, or with initial values changed by one unit in the last place"
    whose = ("original", "migrated program")[side]
    return Moved(whose, base, (*repeated, *others), how)
