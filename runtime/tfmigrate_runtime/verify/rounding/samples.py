"""Samples of what rounding does to a program, each from states moved in another way.

The first is one run of the program. In that run the steps that differ are made again from states
that are moved in other ways (``sessions/repeats.py``): these are all further samples, without a
further run. Where steps cannot be made again, as those of synchronous workers or of an eager
program, each further sample is a run.
"""

from collections.abc import Callable
from pathlib import Path

from tfmigrate_runtime.verify.rounding import switches
from tfmigrate_runtime.verify.rounding.noise import (
    PERTURBATIONS,
    further,
    is_counter,
    may_be_decisions,
    may_be_small,
    measured,
    rows_beyond,
    unmoved,
)
from tfmigrate_runtime.verify.rounding.tolerance import Noise, Tolerance
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.states_file import Plan
from tfmigrate_runtime.verify.traces.trace import Trace, models_of

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
        self._whose, self._pair, self._rerun = whose, pair, rerun
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
        if new_sample := self._run(units, tolerance):
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
        planned = [name for name, plans in (plan or {}).items() if any(plans)]
        if sample and planned and all(sample[name].again for name in planned):
            for number, of_units in enumerate(_UNITS):
                repeated = {name: _only(noise, number) for name, noise in sample.items()}
                self._repeated.setdefault(of_units, []).append(repeated)
        return sample

    def _plan(self, tolerance: Tolerance) -> dict[str, list[Plan | None]] | None:
        """Returns which steps to make again, by task and model: those that differ."""
        original, migrated = self._pair
        is_apart = original.is_cluster and not (original.turns and migrated.turns)
        if is_apart or original.synchronous or int(original.chief.meta.get("every", 1)) != 1:
            return None
        base = original if self._whose == "original" else migrated
        by_model = rows_beyond(original, migrated, tolerance, base)
        models = {
            key: models_of(original.tasks[key[0]])[key[1]] for key in by_model if by_model[key]
        }
        count = max(1, _MOST_NUMBERS // max(1, len(_UNITS) * sum(map(_size, models.values()))))
        plans: dict[str, list[Plan | None]] = {
            name: [None for _ in models_of(trace)] for name, trace in original.tasks.items()
        }
        for (name, number), model in models.items():
            counters = [each for each in model.variables if is_counter(each, model)]
            rows = by_model[name, number][:count]
            plans[name][number] = {"rows": rows, "units": _UNITS, "counters": counters}
        return plans


def _size(model: Trace) -> int:
    return sum(values[:1].size for values in model.variables.values())


def _only(noise: Noise, number: int) -> Noise:
    """Returns the noise of one state of the steps that were made again, none of another task."""
    moved = noise.again[number] if noise.again else unmoved(noise.base)
    return Noise(noise.whose, noise.base, moved, same=noise.same)
