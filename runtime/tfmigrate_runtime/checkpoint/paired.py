"""The variables of a migrated program, paired with those of a checkpoint of TensorFlow 1.x."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfmigrate_runtime.checkpoint.tensors import Checkpoint
from tfmigrate_runtime.verify.map_file import Entry, RefusedError
from tfmigrate_runtime.verify.recorder.native.created_variables import (
    NativeVariable,
    tensorflow_variable,
)
from tfmigrate_runtime.verify.recorder.pairing import (
    readings_of_original,
    slot_names,
    stored_differently,
    variable_map,
)

_MOST_SHOWN = 8
_TINY = float(np.finfo(np.float32).tiny)
_DRIFT = 1e-4  # of the step that follows from a power of float32, for each step


class PairedProgram:
    """A program whose variables are paired with those of a checkpoint.

    Attributes:
        readings: the pairs.
        how: by tensor, its variable and how it was found.
        left_out: tensors of the checkpoint that the program has no counterpart of.
        kept: variables of the program that keep the values they start with.
    """

    def __init__(
        self,
        program: readings_of_original.Program,
        holds: Callable[[int], bool],
        checkpoint: Checkpoint,
        entries: dict[str, Entry],
        path: str,
        in_order: bool,
    ) -> None:
        """Pairs the variables.

        Args:
            program: the variables of the program.
            holds: whether the file of the program has the variable with a key.
            checkpoint: that of the original.
            entries: the map.
            path: its file.
            in_order: whether variables with ambiguous names are paired in order of creation.

        Raises:
            RefusedError: they cannot be paired.
        """
        self._program, self._checkpoint = program, checkpoint
        paired = readings_of_original.paired(
            program, {"variables": checkpoint.forms}, entries, path
        )
        forms = {form["name"]: form for form in checkpoint.forms}
        self.how: dict[str, list[str]] = paired.about["pairs"]
        matched = [r for r in paired.readings if self.how.get(r.name, [""])[0] == r.variable.name]
        self.readings = [reading for reading in matched if holds(reading.variable.key)]
        self._constants = [reading for reading in matched if not holds(reading.variable.key)]
        if not in_order:
            _check_names(self.how, forms)
        taken = {reading.name for reading in self.readings}
        self.left_out = [name for name in forms if name not in taken]
        self.as_made: list[str] = []
        self._check_whole(holds, paired.about["left_out"])

    def _check_whole(self, holds: Callable[[int], bool], left_out: dict[str, str]) -> None:
        """Refuses variables on either side whose values would be lost."""
        program = self._program
        taken = {r.variable.name for r in self._copied}
        rate = id(tensorflow_variable(getattr(program.optimizers[0], "_learning_rate", None)))
        saved = [v for v in program.all if v.key != rate and holds(v.key)]
        wanted = [v for v in saved if v.name not in taken]
        idle = self._idle_slots()
        self.as_made = [v.name for v in wanted if v.key in idle or self._has_no_steps(v)]
        if missing := [v.name for v in wanted if v.name not in self.as_made]:
            reason = f"{self._checkpoint.path} has no counterpart of {_some(missing)} of the model"
            raise RefusedError(f"{reason}. {variable_map.PASS_A_MAP % ('NAME', missing[0])}")
        names = {reading.name for reading in self.readings}
        trained = [form["name"] for form in self._checkpoint.forms if form["trainable"]]
        if lost := [name for name in trained if name not in names and name not in left_out]:
            reason = f"the model has no counterpart of {_some(lost)} of {self._checkpoint.path}"
            raise RefusedError(f'{reason}. To leave it out, pass --map FILE: {{"{lost[0]}": null}}')

    @property
    def _copied(self) -> list[stored_differently.Reading]:
        return [r for r in self.readings if not isinstance(r, stored_differently.Power)]

    @property
    def _powers(self) -> list[stored_differently.Power]:
        return [r for r in self.readings if isinstance(r, stored_differently.Power)]

    def _has_no_steps(self, variable: NativeVariable) -> bool:
        """Whether a variable counts steps, and the original counted none under another name."""
        counters = [
            form["name"]
            for form in self._checkpoint.forms
            if form["name"] in self.left_out and not form["shape"] and "int" in form["dtype"]
        ]
        return variable is self._program.steps and not counters

    def _idle_slots(self) -> set[int]:
        """Returns the slots of variables without gradients, which TensorFlow 1.x makes none of."""
        forms, unsaved = self._checkpoint.forms, self._checkpoint.unsaved
        originals = slot_names.original_slots(forms)
        if not any(originals.values()):
            return set()  # the checkpoint has no slots: they were not saved
        owners = {r.variable.name: r.name for r in self.readings}
        idle_ids: set[int] = set()
        slots = stored_differently.slots_of(self._program.optimizers[0], self._program.trained)
        for name, its_slots in slots.items():
            owner = owners.get(name, "")
            if originals.get(owner) == [] and not any(f"/{owner}/" in f"/{n}" for n in unsaved):
                held = [variable for slot in its_slots if slot for variable in slot[1]]
                idle_ids.update(id(tensorflow_variable(variable)) for variable in held)
        return idle_ids

    def load(self) -> None:
        """Gives the program the values of the checkpoint.

        Raises:
            RefusedError: a value has no equivalent.
        """
        self._check_constants()
        steps = self._program.steps
        values = {r.name: self._checkpoint.value(r.name) for r in self.readings}
        counter = next((r.name for r in self._copied if r.variable is steps), None)
        for power in self._powers:
            if counter is not None:
                _check_power(power, values[power.name], counter, int(values[counter]))
        if counter is None and self._powers:
            steps.put(np.asarray(_counted(self._powers, values), steps.dtype))
        for reading in self._copied:
            value = values[reading.name]
            if isinstance(reading, stored_differently.Momentum):
                value = value * np.asarray(-self._rate(), value.dtype)
            reading.variable.put(
                reading.layout.to_migrated(value, reading.variable.shape).astype(
                    reading.variable.dtype
                )
            )

    def _check_constants(self) -> None:
        """Refuses other values of variables that the program does not save."""
        for reading in self._constants:
            name, other = reading.name, reading.variable
            own = reading.initial({other.name: other.now()})
            if not np.array_equal(own, self._checkpoint.value(name)):
                raise RefusedError(
                    f"the program starts {other.name} with another value than that of {name}, and "
                    f"its tf.train.Checkpoint does not hold it. To leave it out, pass --map FILE: "
                    f'{{"{name}": null}}'
                )

    def values(self) -> dict[str, Any]:
        """Returns the tensors of a checkpoint with the program's values."""
        arrays = {name: self._checkpoint.value(name) for name in self.left_out}
        for reading in self.readings:
            held = {reading.variable.name: reading.variable.now()}
            value = reading.initial(held)
            if isinstance(reading, stored_differently.Power):
                value = reading.at(int(held[reading.variable.name]))
            elif isinstance(reading, stored_differently.Momentum):
                own = held[reading.variable.name]
                value = reading.layout.to_original(own, reading.shape) / own.dtype.type(
                    -self._rate()
                )
            dtype = self._checkpoint.value(reading.name).dtype
            arrays[reading.name] = np.asarray(value).astype(dtype)
        return arrays

    def _rate(self) -> float:
        from keras.optimizers.schedules import LearningRateSchedule

        rate = getattr(self._program.optimizers[0], "_learning_rate", None)
        if isinstance(rate, LearningRateSchedule):
            raise RefusedError(
                "momentum of keras.optimizers.SGD holds the learning rates of past steps, which "
                "the checkpoint of TensorFlow 1.x does not have"
            )
        return float(np.asarray(self._program.optimizers[0].learning_rate))


def _check_names(pairs: dict[str, list[str]], forms: dict[str, Any]) -> None:
    """Refuses variables that only the order of creation pairs."""
    in_order = [name for name, (_, how) in pairs.items() if how == "order"]
    for name in in_order:
        alike = [other for other in in_order if forms[other]["shape"] == forms[name]["shape"]]
        natives = [pairs[other][0] for other in alike]
        raise RefusedError(
            f"{_some(alike)} of the checkpoint may be any of {_some(natives)} of the model: they "
            "have the same shape, and their names are ambiguous. "
            + variable_map.PASS_A_MAP % (alike[0], natives[0])
            + ", or --in-order if the program creates them in the same order"
        )


def _check_power(power: stored_differently.Power, value: Any, counter: str, step: int) -> None:
    """Refuses a power of Adam that belongs to another step than the checkpoint's."""
    if float(value) < _TINY:
        return  # too small to tell
    counted = _step_of(power, value)
    if abs(counted - step) > 0.5 + _DRIFT * step:
        raise RefusedError(
            f"{power.name} is that of step {round(counted)}, but {counter} is {step}: Keras "
            "has one counter for both"
        )


def _counted(powers: list[stored_differently.Power], values: dict[str, Any]) -> int:
    """Returns the step of Adam's powers: of the one that tells it best."""
    by_rate = sorted(powers, key=lambda power: power.rate)
    told = [power for power in by_rate if float(values[power.name]) >= _TINY]
    best = (told or by_rate[-1:])[0]  # powers that are too small change nothing any more
    return round(_step_of(best, values[best.name]))


def _step_of(power: stored_differently.Power, value: Any) -> float:
    return math.log(max(float(value), _TINY)) / math.log(power.rate) - 1


def described(paired: PairedProgram) -> Iterator[str]:
    """Yields lines about what was paired with what."""
    for reading in paired.readings:
        name, (other, how) = reading.name, paired.how[reading.name]
        yield f"  {name} -> {other} ({how})"
    if paired.left_out:
        yield f"Without a counterpart: {_some(paired.left_out)}."
    if paired.as_made:
        yield f"As the program starts them: {_some(paired.as_made)}."


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
