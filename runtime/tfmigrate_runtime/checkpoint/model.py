"""The variables of a compiled Keras model, paired with those of a checkpoint of TensorFlow 1.x."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfmigrate_runtime.checkpoint.tensors import Checkpoint
from tfmigrate_runtime.verify.map_file import Entry, RefusedError
from tfmigrate_runtime.verify.recorder import record_map, record_readings, record_slots
from tfmigrate_runtime.verify.recorder.record_created import named, tensorflow_variable

_MOST_SHOWN = 8
_DRIFT = 1e-4  # of the step that follows from a power of float32, for each step


class PairedModel:
    """A model whose variables are paired with those of a checkpoint.

    Attributes:
        model: the model.
        readings: the pairs.
        how: by tensor, its variable and how it was found.
        left_out: tensors of the checkpoint that the model has no counterpart of.
    """

    def __init__(
        self,
        model: Any,
        checkpoint: Checkpoint,
        given: dict[str, Entry],
        path: str,
        in_order: bool,
    ) -> None:
        """Pairs the variables.

        Args:
            model: a compiled model.
            checkpoint: that of the original.
            given: the map.
            path: its file.
            in_order: whether variables with ambiguous names are paired in order of creation.

        Raises:
            RefusedError: they cannot be paired.
        """
        self.model = model
        self._checkpoint = checkpoint
        program = _program(model)
        paired = record_readings.paired(program, checkpoint.forms, given, path)
        forms = {form["name"]: form for form in checkpoint.forms}
        self.how: dict[str, list[str]] = paired.about["pairs"]
        self.readings = [
            r for r in paired.readings if self.how.get(r.name, [""])[0] == r.variable.name
        ]
        if not in_order:
            _check_names(self.how, forms)
        self._check_whole(program, paired.about["left_out"])
        taken = {reading.name for reading in self.readings}
        self.left_out = [name for name in forms if name not in taken]

    def _check_whole(self, program: record_readings.Program, given: dict[str, str]) -> None:
        """Refuses variables on either side whose values would be lost."""
        taken = {r.variable.name for r in self.readings if not isinstance(r, record_slots.Power)}
        rate = id(tensorflow_variable(getattr(program.optimizer, "_learning_rate", None)))
        wanted = [v for v in program.all if v.key != rate]
        missing = [v.name for v in wanted if v.name not in taken]
        if missing:
            reason = f"{self._checkpoint.path} has no counterpart of {_some(missing)} of the model"
            raise RefusedError(f"{reason}. {record_map.PASS_A_MAP % ('NAME', missing[0])}")
        names = {reading.name for reading in self.readings}
        trained = [form["name"] for form in self._checkpoint.forms if form["trainable"]]
        lost = [name for name in trained if name not in names and name not in given]
        if lost:
            reason = f"the model has no counterpart of {_some(lost)} of {self._checkpoint.path}"
            raise RefusedError(f'{reason}. To leave it out, pass --map FILE: {{"{lost[0]}": null}}')

    def load(self) -> None:
        """Gives the model the values of the checkpoint.

        Raises:
            RefusedError: a value has no equivalent.
        """
        values = {r.name: self._checkpoint.value(r.name) for r in self.readings}
        steps = [values[r.name] for r in self.readings if r.name.split("/")[-1] == "global_step"]
        for reading in self.readings:
            value = values[reading.name]
            if isinstance(reading, record_slots.Power):
                _check_power(reading, value, steps)
                continue
            if isinstance(reading, record_slots.Momentum):
                value = value * np.asarray(-self._rate(), value.dtype)
            reading.variable.put(
                reading.layout.to_migrated(value, reading.variable.shape).astype(
                    reading.variable.dtype
                )
            )

    def values(self) -> dict[str, Any]:
        """Returns the tensors of a checkpoint with the model's values."""
        found = {name: self._checkpoint.value(name) for name in self.left_out}
        for reading in self.readings:
            held = {reading.variable.name: reading.variable.now()}
            value = reading.initial(held)
            if isinstance(reading, record_slots.Power):
                value = reading.at(int(held[reading.variable.name]))
            elif isinstance(reading, record_slots.Momentum):
                own = held[reading.variable.name]
                value = reading.layout.to_original(own, reading.shape) / own.dtype.type(
                    -self._rate()
                )
            dtype = self._checkpoint.value(reading.name).dtype
            found[reading.name] = np.asarray(value).astype(dtype)
        return found

    def _rate(self) -> float:
        from keras.optimizers.schedules import LearningRateSchedule

        rate = getattr(self.model.optimizer, "_learning_rate", None)
        if isinstance(rate, LearningRateSchedule):
            raise RefusedError(
                "momentum of keras.optimizers.SGD holds the learning rates of past steps, which "
                "the checkpoint of TensorFlow 1.x does not have"
            )
        return float(np.asarray(self.model.optimizer.learning_rate))


def _program(model: Any) -> record_readings.Program:
    """Returns the variables of a model, under unique names."""
    optimizer = model.optimizer
    if not model.built:
        raise RefusedError("the model has no variables yet: build it before it is trained")
    trained = list(model.trainable_variables)
    if not optimizer.built:
        with model.distribute_strategy.scope():
            optimizer.build(trained)
    others = list(model.non_trainable_weights)
    own = list(optimizer.variables)
    names = named(trained + others + own)
    counts = len(trained), len(trained) + len(others)
    key = id(tensorflow_variable(optimizer.iterations))
    steps = next(variable for variable in names if variable.key == key)
    return record_readings.Program(
        optimizer, names[: counts[0]], names[counts[0] : counts[1]], names[counts[1] :], steps, []
    )


def _check_names(pairs: dict[str, list[str]], forms: dict[str, Any]) -> None:
    """Refuses variables that only the order of creation pairs."""
    in_order = [name for name, (_, how) in pairs.items() if how == "order"]
    for name in in_order:
        alike = [other for other in in_order if forms[other]["shape"] == forms[name]["shape"]]
        natives = [pairs[other][0] for other in alike]
        raise RefusedError(
            f"{_some(alike)} of the checkpoint may be any of {_some(natives)} of the model: they "
            "have the same shape, and their names are ambiguous. "
            + record_map.PASS_A_MAP % (alike[0], natives[0])
            + ", or --in-order if the program creates them in the same order"
        )


def _check_power(reading: record_slots.Power, value: Any, steps: list[Any]) -> None:
    """Refuses a power of Adam that belongs to another step than the checkpoint's."""
    power = float(value)
    if not steps or power < float(np.finfo(np.float32).tiny):
        return  # too small to tell
    step = int(steps[0])
    counted = math.log(power) / math.log(reading.rate) - 1
    if abs(counted - step) > 0.5 + _DRIFT * step:
        raise RefusedError(
            f"{reading.name} is that of step {round(counted)}, but global_step is {step}: Keras "
            "has one counter for both"
        )


def described(paired: PairedModel) -> Iterator[str]:
    """Yields lines about what was paired with what."""
    for name, (other, how) in paired.how.items():
        yield f"  {name} -> {other} ({how})"
    if paired.left_out:
        yield f"Without a counterpart: {_some(paired.left_out)}."


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
