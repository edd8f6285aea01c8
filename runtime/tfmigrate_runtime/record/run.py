"""The recording of a port, each step of which starts from the original's state (lock-step).

After each step its variables are recorded under the original's names, and then replaced by what the
original had after the same step. So every step is an experiment of its own, with the original's
state before it: rounding cannot grow, and what differs is what that step computes.
"""

import atexit
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate_runtime.record import slots as slots_of_ports
from tfmigrate_runtime.record.draws import Draws
from tfmigrate_runtime.record.layouts import Layout
from tfmigrate_runtime.record.original import Array, Original
from tfmigrate_runtime.record.pairing import Pair, Pairing, PortVariable
from tfmigrate_runtime.record.pairing import paired as pairs_of
from tfmigrate_runtime.verify import archive
from tfmigrate_runtime.verify.recorder.sessions.batch_rows import reduced
from tfmigrate_runtime.verify.shared import FORMAT_VERSION

_NO_CHECKPOINT = "a port has no tf.train.Saver"
_COUNTED = "a number that follows from the steps"
_ONE_DRAW = "a port's initializers are not called again"
_NO_ROLE = "a slot that the port does not pass"


class Run:
    """One training run of a port.

    Attributes:
        original: what it follows; None to record it by itself.
        draws: the original's random numbers of the step that is being made.
        framework: its name and version.
        script: the program, and
        arguments: its own.
    """

    def __init__(
        self,
        original: Original | None,
        out: Path,
        layouts: Mapping[str, Layout | None] | None = None,
        most_steps: int | None = None,
    ) -> None:
        """Takes what to follow.

        Args:
            original: the original's trace; None to record the port by itself.
            out: the trace to write.
            layouts: the layouts of a map.
            most_steps: after how many steps the process ends; None for no limit.
        """
        self.original = original
        self.draws = Draws(original)
        self.framework = "numpy " + np.__version__
        self.script = sys.argv[0] if sys.argv else ""
        self.arguments = sys.argv[1:]
        self._out = out
        self._given = dict(layouts or {})
        self._most_steps = most_steps
        self._pairing: Pairing | None = None
        self._slots: dict[str, tuple[Pair, str]] = {}  # of the original: the owner's pair, the role
        self._initial: dict[str, Array] = {}
        self._drawn: dict[str, Array] = {}
        self._values: dict[str, list[Array]] = {}
        self._steps: list[int] = []
        self._losses: list[float] = []
        self._rows: list[int] = []
        self._results: list[dict[str, Array]] = []
        self._stated: list[int] = []  # positions of those results that the program passes
        self._calls: list[dict[str, Any]] = []
        self._batch: dict[str, Array] | None = None
        self._forced, self._is_written = 0, False
        # A loop that calls record.follow() does not call anything after its last step.
        atexit.register(self.write)

    @property
    def is_begun(self) -> bool:
        """Whether the variables are paired, and the port starts from the original's values."""
        return self._pairing is not None

    @property
    def step_number(self) -> int:
        """How many steps were made."""
        return len(self._steps)

    def begin(self, variables: Sequence[PortVariable], values: Mapping[str, Any]) -> dict[str, Any]:
        """Pairs a port's variables with the original's.

        Args:
            variables: the port's, in order of creation.
            values: what they hold, by name.

        Returns:
            The values to start from: the original's, where they have a partner.

        Raises:
            PairingError: which belong together is not certain.
        """
        own = {name: np.array(value) for name, value in values.items()}
        if self.original is None:
            forms = {v.name: _form(v, own[v.name]) for v in variables}
            pairs = (Pair(n, form, Layout((n,)), "name") for n, form in forms.items())
            self._pairing = Pairing(tuple(pairs), {}, ())
        else:
            self._pairing = self._paired(self.original, variables, own)
        before = self._read(own)
        start = self._given_by(self.original.state(-1) if self.original else {}, own)
        held = {**own, **start}
        self._initial = self._read(held)
        self._drawn = {
            name: value
            for name, value in before.items()
            if value.tobytes() != self._initial[name].tobytes()
        }
        self._values = {name: [] for name in (*self._initial, *self._slots)}
        return held

    def _paired(
        self, original: Original, variables: Sequence[PortVariable], own: Mapping[str, Array]
    ) -> Pairing:
        roles = slots_of_ports.roles_of(original.variables)
        apart = slots_of_ports.is_counter
        forms = [f for f in original.variables if f["name"] not in roles and not apart(f["name"])]
        written = original.meta.get("written_by_steps", [form["name"] for form in forms])
        pairing = pairs_of(forms, variables, self._given, own, written)
        by_name = {pair.name: pair for pair in pairing.pairs}
        self._slots = {
            name: (by_name[owner], role)
            for name, (owner, role) in roles.items()
            if owner in by_name and role
        }
        left_out = dict(pairing.left_out)
        for form in original.variables:
            name = form["name"]
            if slots_of_ports.is_counter(name) and not slots_of_ports.is_step(name):
                left_out[name] = _COUNTED
            elif name in roles and name not in self._slots:
                left_out[name] = _NO_ROLE
        return Pairing(pairing.pairs, left_out, pairing.extra)

    def step(
        self,
        loss: Any,
        values: Mapping[str, Any],
        slots: Mapping[str, Mapping[str, Any]] | None = None,
        batch: Mapping[str, Any] | None = None,
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Records a step that was just made.

        Args:
            loss: what it minimized, one number.
            values: of the variables after it, by name.
            slots: of the optimizer after it: by role, then by variable.
            batch: what it read, of which the first step's is compared.

        Returns:
            The values and slots to go on with: those of the original after the same step. Where the
            original has made no such step, what was passed.

        Raises:
            RuntimeError: ``begin`` was not called.
        """
        if self._pairing is None:
            raise RuntimeError("begin(...) comes before the first step")
        self._end_at_limit()
        new = {name: np.array(value) for name, value in values.items()}
        checked_slots = slots_of_ports.checked(slots or {})
        own = {
            role: {n: np.array(v) for n, v in each.items()} for role, each in checked_slots.items()
        }
        number = len(self._steps)
        self._steps.append(self._first_step + number + 1)
        self._losses.append(float(np.asarray(loss, np.float64)))
        if batch is not None and self._batch is None:
            self._batch = {name: np.asarray(value) for name, value in batch.items()}
        row = self._row(number)
        recorded = {**self._read(new), **self._read_slots(own)}
        if self.original is None or row is not None:
            self._rows.append(self._steps[-1])
            for name, series in self._values.items():
                if name in recorded:
                    series.append(recorded[name])
        state = self.original.state(row) if self.original and row is not None else {}
        self._forced += bool(state)
        self.draws.next_step()
        return {**new, **self._given_by(state, new)}, self._given_slots(state, own)

    def evaluation(self, results: Mapping[str, Any], is_stated: bool = False) -> None:
        """Records what an evaluation returned.

        Args:
            results: numbers by name.
            is_stated: whether the program itself passes them, as those that the original has.
        """
        if is_stated:
            self._stated.append(len(self._results))
        numbers = {name: np.asarray(value, np.float64) for name, value in results.items()}
        self._results.append({**numbers, "global_step": np.asarray(self._last_step, np.int64)})
        self._calls.append(
            {"kind": "evaluate", "step": self._last_step, "steps": None, "name": None}
        )

    @property
    def _first_step(self) -> int:
        """The global step before the first step."""
        names = self._counters()
        return int(self.original.initial[names[0]]) if self.original and names else 0

    @property
    def _last_step(self) -> int:
        return self._steps[-1] if self._steps else self._first_step

    def _row(self, number: int) -> int | None:
        """Returns the row of the original's states after the number-th step; None without one."""
        if self.original is None or self._steps[number] not in self.original.steps:
            return None
        return self.original.steps.index(self._steps[number])

    def _read(self, values: Mapping[str, Array]) -> dict[str, Array]:
        """Returns the port's values as the original has them, by its names."""
        assert self._pairing is not None
        return {
            pair.name: _typed(pair.layout.to_original(values, pair.form["shape"]), pair.form)
            for pair in self._pairing.pairs
        }

    def _read_slots(self, slots: Mapping[str, Mapping[str, Array]]) -> dict[str, Array]:
        arrays = {}
        for name, (pair, role) in self._slots.items():
            there = slots.get(role, {})
            layout = pair.layout.of_slot()
            if all(variable in there for variable in layout.variables):
                value = layout.to_original(there, pair.form["shape"])
                arrays[name] = _typed(value, pair.form)
        return arrays

    def _given_by(
        self, state: Mapping[str, Array], values: Mapping[str, Array]
    ) -> dict[str, Array]:
        """Returns the port's variables as the original's state has them."""
        assert self._pairing is not None
        port_values: dict[str, Array] = {}
        for pair in self._pairing.pairs:
            if pair.name in state:
                there = {**values, **port_values}
                for name, value in pair.layout.to_port(state[pair.name], there).items():
                    port_values[name] = value.astype(values[name].dtype)
        return port_values

    def _given_slots(
        self, state: Mapping[str, Array], slots: Mapping[str, Mapping[str, Array]]
    ) -> dict[str, dict[str, Any]]:
        new_slots: dict[str, dict[str, Any]] = {role: dict(each) for role, each in slots.items()}
        for name, (pair, role) in self._slots.items():
            layout, there = pair.layout.of_slot(), new_slots.get(role, {})
            if name in state and all(variable in there for variable in layout.variables):
                there.update(layout.to_port(state[name], there))
        return new_slots

    def _end_at_limit(self) -> None:
        if self._most_steps is not None and len(self._steps) >= self._most_steps:
            self.write()
            sys.stdout.flush()
            os._exit(0)

    def write(self) -> None:
        """Writes the trace, whole or not at all; at the end of the process by itself."""
        if self._is_written or not self._steps:
            return
        self._is_written = True
        text = json.dumps(self._meta(), sort_keys=True)
        archive.write(str(self._out), text, self._arrays())

    def _arrays(self) -> dict[str, Any]:
        counted = {name: np.asarray(self._rows, np.int64) for name in self._counters()}
        arrays: dict[str, Any] = {
            "step": np.asarray(self._steps, np.int64),
            "loss": np.asarray(self._losses, np.float64),
            "variable_step": np.asarray(self._rows, np.int64),
        }
        starts = self._starts()
        arrays.update({f"initial/{name}": value for name, value in starts.items()})
        arrays.update({f"variable/{name}": value for name, value in counted.items()})
        for name in starts.keys() - counted.keys():
            arrays[f"variable/{name}"] = np.stack(self._values[name])
        arrays.update({f"drawn/{name}": value for name, value in self._drawn.items()})
        for number, results in enumerate(self._results):
            arrays.update({f"evaluation/{number}/{k}": v for k, v in results.items()})
        for name, value in (self._batch or {}).items():
            arrays[f"batch/port/{name}"] = reduced(value)
        return arrays

    def _counters(self) -> list[str]:
        """Returns the names of the original's that count steps."""
        forms = self.original.variables if self.original else []
        return [form["name"] for form in forms if slots_of_ports.is_step(form["name"])]

    def _starts(self) -> dict[str, Array]:
        """Returns the initial values of all that was recorded, slots and the step too."""
        starts = dict(self._initial)
        if self.original is not None:
            for name in (*filter(self._is_whole, self._slots), *self._counters()):
                starts[name] = self.original.initial[name]
        return starts

    def _is_whole(self, name: str) -> bool:
        """Returns whether a slot was passed after each recorded step."""
        return bool(self._rows) and len(self._values[name]) == len(self._rows)

    def _meta(self) -> dict[str, Any]:
        assert self._pairing is not None
        left_out = dict(self._pairing.left_out)
        left_out.update({n: _NO_ROLE for n in self._slots if not self._is_whole(n)})
        pairs = {p.name: [", ".join(p.layout.variables), p.how] for p in self._pairing.pairs}
        pairs.update({n: [f"{p.name} ({role})", "slot"] for n, (p, role) in self._slots.items()})
        pairs.update({name: ["the number of steps", "steps"] for name in self._counters()})
        starts = self._starts()
        known = {form["name"]: form for form in (self.original.variables if self.original else ())}
        known.update({pair.name: dict(pair.form) for pair in self._pairing.pairs})
        batch = {name: list(value.shape) for name, value in (self._batch or {}).items()}
        empty = {"forms": [], "left_out": 0}
        return {
            "format": FORMAT_VERSION,
            "framework": self.framework,
            "tensorflow": "",
            "python": platform.python_version(),
            "numpy": np.__version__,
            "script": Path(self.script).name,
            "sources": {},
            "args": list(self.arguments),
            "replicas": None,
            "every": 1,
            "devices": {"replicas": [], "mapped": {}},
            "variables": [_shown(known[name], name) for name in starts],
            "sessions": [{"first_step": self._first_step, "loss": "", "replicas": 1}],
            "models": [],
            "ends": [],
            "initializers": {name: {"reason": _ONE_DRAW} for name in self._drawn},
            "transferred": sorted(self._drawn),
            "pinned": sorted(starts.keys() - self._drawn.keys()),
            "free": [],
            "follow": {
                "forced": self._forced,
                "free": [] if self.original is not None else sorted(starts),
                "missing": [],
            },
            "native": {
                "map": "",
                "xla_left_out": False,
                "draws": self.draws.meta(),
                "stated": self._stated,
                "rounding_of_powers": self.original.rounding_of_powers() if self.original else 0.0,
            },
            "map": {"pairs": pairs, "left_out": left_out, "extra": list(self._pairing.extra)},
            "layouts": self._pairing.as_map(),
            "calls": self._called(),
            "evaluations": len(self._results),
            "predictions": [],
            "prediction_rows": [],
            "fetches": {**empty, "runs": []},
            "step_fetches": {**empty, "steps": []},
            "batch": {
                "shapes": {f"port/{name}": shape for name, shape in batch.items()},
                "reason": None if batch else "the port does not pass it",
            },
            "checkpoint": {"reason": _NO_CHECKPOINT},
            "restored": {"reason": _NO_CHECKPOINT},
        }

    def _called(self) -> list[dict[str, Any]]:
        """Returns the calls as those of an Estimator: trainings between the evaluations."""
        if not self._calls:
            return []
        calls: list[dict[str, Any]] = []
        before = self._first_step
        for call in self._calls:
            if call["step"] > before:
                calls.append(_training(before, call["step"]))
                before = call["step"]
            calls.append(call)
        if self._last_step > before:
            calls.append(_training(before, self._last_step))
        return calls


def _training(before: int, after: int) -> dict[str, Any]:
    return {"kind": "train", "before": before, "after": after, "steps": None, "max_steps": None}


def _form(variable: PortVariable, value: Array) -> dict[str, Any]:
    return {
        "name": variable.name,
        "shape": list(value.shape),
        "dtype": value.dtype.name,
        "trainable": variable.trainable,
    }


def _shown(form: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"name": name, **{key: form[key] for key in ("shape", "dtype", "trainable")}}


def _typed(value: Array, form: Mapping[str, Any]) -> Array:
    return np.ascontiguousarray(value).astype(form["dtype"], copy=False)
