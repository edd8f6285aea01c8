"""Draws the initial values of Keras variables again, to learn the distributions of initializers.

An initializer of Keras draws the same numbers each time it is called; for others, a new one is made
from its configuration, with a different seed. ``draws/initial_values.py`` has the keys that are
recorded.
"""

from typing import Any, Dict, Iterator, Sequence, Tuple

import numpy as np

from ..draws import initial_values
from ..pairing.cells import CellVariable

_SECONDS = 10.0  # for all variables of a model
_MOST_DRAWS = 512  # of small variables: each takes a call
_FIRST_SEED = 715827883  # of further draws: no seed that a program is likely to have
_NOT_INDEPENDENT = ("Orthogonal", "OrthogonalInitializer")
_NO_INITIALIZER = "it was created from a value, without a Keras initializer"


class _Drawn(initial_values.Wanted):
    """One variable whose initializer of Keras is called again."""

    def __init__(self, name: str, value: Any, initializer: Any) -> None:
        super().__init__(name, value)
        self.initializer = initializer

    @property
    def independent(self) -> bool:
        """Whether each number is drawn independently."""
        initializers = getattr(self.initializer, "initializers", [self.initializer])
        return all(type(each).__name__ not in _NOT_INDEPENDENT for each in initializers)

    def draw(self, initializer: Any) -> Any:
        """Returns what an initializer makes."""
        return np.asarray(initializer(self.value.shape, dtype=self.value.dtype.name))

    def others(self) -> Iterator[Any]:
        """Yields further draws."""
        for seed in range(_FIRST_SEED, _FIRST_SEED + _MOST_DRAWS):
            yield self.draw(_seeded(self.initializer, seed))


class Joined:
    """Initializers of the parts of one variable, as the initializer of it.

    Attributes:
        initializers: of Keras, of each part.
        seed: of the first; None where they are called as they are.
    """

    def __init__(self, variable: Any, initializers: Sequence[Any], seed: Any = None) -> None:
        """Takes the cells.CellVariable, too."""
        self._variable, self.initializers = variable, initializers
        self.seed = seed

    def __call__(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """Returns a value of the variable, drawn by parts."""
        values = []
        for number, (part, initializer) in enumerate(zip(self._variable.parts, self.initializers)):
            if self.seed is not None:
                initializer = _seeded(initializer, self.seed + number)
            values.append(np.asarray(initializer(part.shape, dtype=dtype)))
        return self._variable.joined(values)

    def seeded(self, seed: int) -> "Joined":
        """Returns the same with another seed; seeds of parts are far from those of other draws."""
        return Joined(self._variable, self.initializers, seed * 2)


def _seeded(initializer: Any, seed: int) -> Any:
    """Returns an initializer that draws other numbers, where it can be made."""
    if isinstance(initializer, Joined):
        return initializer.seeded(seed)
    if hasattr(initializer, "get_config") and hasattr(initializer, "seed"):
        return type(initializer).from_config(dict(initializer.get_config(), seed=seed))
    return initializer


def examine(
    readings: Sequence[Any],
    values: Dict[str, Any],
    initializers: Dict[int, Any],
    pinned: Sequence[str],
) -> Tuple[Dict[str, Dict[str, Any]], Dict[str, Any]]:
    """Returns what the initializers of variables are, for ``meta`` and as arrays.

    Args:
        readings: the variables that are recorded.
        values: what the variables of the program held before the first step, by their names.
        initializers: of variables of Keras, by their ids.
        pinned: what starts as it should, which is left out.
    """
    about: Dict[str, Dict[str, Any]] = {}
    arrays: Dict[str, Any] = {}
    trained = {values[r.variable.name].tobytes() for r in readings if r.trainable}
    limit = initial_values.Limit(_SECONDS)
    for reading in readings:
        if reading.name in pinned:
            continue
        parts = [initializers.get(id(part.variable)) for part in reading.variable.parts]
        initializer = parts[0]
        if isinstance(reading.variable, CellVariable):
            initializer = Joined(reading.variable, parts) if all(map(callable, parts)) else None
        if not callable(initializer):
            # Its value is tested against the original's distribution; so is that of a moving
            # average, which begins as a variable that is trained.
            known = reading.trainable or values[reading.variable.name].tobytes() in trained
            kind = "" if known else "unknown"
            about[reading.name] = {"kind": kind, "drawn": None, "reason": _NO_INITIALIZER}
            continue
        entry = _Drawn(reading.name, values[reading.variable.name], initializer)
        try:
            _draw(entry, limit)
        except Exception as error:  # noqa: BLE001 - of any kind: initializers may be anything
            reason = "its initializer cannot be called again (%s)" % type(error).__name__
            entry.about = {"kind": "unknown", "drawn": None, "reason": reason}
        about[reading.name] = entry.about
        arrays.update(initial_values.arrays_of(entry))
    return about, arrays


def _draw(entry: _Drawn, limit: initial_values.Limit) -> None:
    """Draws a variable's numbers until there are enough of them."""
    entry.first = [entry.draw(entry.initializer)]
    held = initial_values.is_held(entry)
    others = entry.others()
    second = next(others)
    if second.tobytes() == entry.first[0].tobytes():
        entry.about = {"kind": "constant", "drawn": held, "restored": False}
        return
    is_pure = hasattr(entry.initializer, "seed")
    entry.about = {"kind": "random", "drawn": held if is_pure else None}
    count = min(initial_values.plan(entry), _MOST_DRAWS)
    for drawn in (entry.first[0], second):
        initial_values.keep(entry, drawn)
    for number, drawn in enumerate(others, start=2):
        if number >= count or (number >= 4 and limit.is_over()):
            break
        initial_values.keep(entry, drawn)
    initial_values.count_draws(entry, entry.independent)
