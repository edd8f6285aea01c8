"""Samples of what rounding does to a program, each from states moved in another way.

The first is one run of the program. In that run the steps that differ are made again from states
that are moved in other ways (``record_repeats.py``): these are all further samples, without a
further run. Where steps cannot be made again, as those of several workers or of an eager program,
each further sample is a run.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify import switches
from tfmigrate_runtime.verify.noise import (
    PERTURBATIONS,
    further,
    is_counter,
    may_be_decisions,
    may_be_small,
    measured,
    rows_beyond,
)
from tfmigrate_runtime.verify.recording import Recording
from tfmigrate_runtime.verify.tolerance import Noise, Tolerance

_UNITS = [1.0] * (PERTURBATIONS - 1) + [switches.UNITS] * switches.RUNS  # of repeated steps
_MOST_NUMBERS = 1 << 28  # that repeated steps may store


class Samples:
    """What is known of the noise of one program.

    Attributes:
        known: by task.
    """

    def __init__(
        self,
        whose: str,
        pair: tuple[Recording, Recording],
        rerun: Callable[[Path], Recording],
        states: Path,
    ) -> None:
        """Takes what ``noise.measured`` does."""
        self._whose = whose
        self._pair = pair
        self._rerun = rerun
        self._states = states
        self._number = 0  # of the next run
        self._left = {1.0: PERTURBATIONS, switches.UNITS: switches.RUNS}
        self._repeated: dict[float, list[dict[str, Noise]]] = {}
        self.known: dict[str, Noise] = {}

    def add(self, tolerance: Tolerance) -> bool:
        """Adds a sample if one can make a difference; returns whether it has.

        Args:
            tolerance: with the noise that is known.
        """
        for units, samples in self._repeated.items():
            if samples:
                for sample in samples:
                    self._include(units, sample)
                samples.clear()
                return True
        units = 1.0
        if self._number and not (self._left[1.0] and may_be_small(*self._pair, tolerance)):
            units = switches.UNITS
            if not self._left[units] or not may_be_decisions(*self._pair, tolerance):
                return False
        new_sample = self._run(units, tolerance)
        if new_sample:
            self._include(units, new_sample)
        return bool(new_sample)

    def _include(self, units: float, sample: dict[str, Noise]) -> None:
        self._left[units] -= 1
        add = further if units == 1.0 else switches.with_run
        self.known = add(self.known, sample)

    def _run(self, units: float, tolerance: Tolerance) -> dict[str, Noise] | None:
        plan = None if self._number else self._plan(tolerance)
        number, self._number = self._number, self._number + 1
        sample = measured(self._whose, self._pair, self._rerun, self._states, number, units, plan)
        for name, noise in (sample or {}).items():
            for again, of_units in zip(noise.again, _UNITS, strict=False):
                repeated = {name: Noise(noise.whose, noise.base, again, same=noise.same)}
                self._repeated.setdefault(of_units, []).append(repeated)
        return sample

    def _plan(self, tolerance: Tolerance) -> dict[str, Any] | None:
        """Returns which steps to make again: those that differ, the most first."""
        original, migrated = self._pair
        chief = original.chief
        if original.is_cluster or chief.models or int(chief.meta.get("every", 1)) != 1:
            return None
        base = original if self._whose == "original" else migrated
        rows = rows_beyond(original, migrated, tolerance, base.chief)
        size = sum(values[:1].size for values in chief.variables.values())
        count = max(1, _MOST_NUMBERS // (len(_UNITS) * max(1, size)))
        counters = [name for name in chief.variables if is_counter(name, chief)]
        return {"rows": rows[:count], "units": _UNITS, "counters": counters}
