"""Has every step of a program start from the state that another one had before it (lock-step).

After each recorded step the variables are read, as always, and then given the values that those of
the trace of ``--follow`` had after the same step. So no step inherits the rounding, or the fault,
of an earlier one. The values that the first step starts from are those of that trace.

``meta["follow"]`` has ``forced`` (how many states were given), ``free`` (variables that have no
partner of that name, shape and dtype: they go on by themselves) and ``missing`` (those of the trace
that no variable has).
"""

import json
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ... import archive
from . import graph_variables

_NO_UPDATE = 0.01  # of an update of the original's: its rounding, not a part of it


class States:
    """The recorded states of one model of a trace."""

    def __init__(
        self,
        values: Dict[str, Any],
        steps: Sequence[int],
        initial: Dict[str, Any],
        losses: Dict[int, float],
    ) -> None:
        """Takes the values of variables, and the global step of each of their rows.

        Args:
            values: by name, one row for each recorded step.
            steps: the global step of each row.
            initial: what the first step started from.
            losses: by global step.
        """
        self._before, self._after = initial, initial
        self._losses, self._step = losses, 0
        self._values = values
        self._rows: Dict[int, List[int]] = {}
        for row, step in enumerate(steps):
            self._rows.setdefault(int(step), []).append(row)
        # How a session is written, by its id and how many variables its graph has.
        self._plans: Dict[Tuple[int, int], Any] = {}
        self._of_free: Dict[Tuple[int, int], Any] = {}  # of variables without a partner
        self.about: Dict[str, Any] = {"forced": 0, "free": [], "missing": []}
        self.again: Any = None  # which steps to make again, see sessions/repeats.py

    def has(self, step: int) -> bool:
        """Returns whether the state after a step is recorded."""
        return bool(self._rows.get(step))

    def next(self, step: int) -> Dict[str, Any]:
        """Returns the state after a step, {} where it is not recorded.

        Args:
            step: its global step; where several steps have it, each call is about the next of them.
        """
        rows = self._rows.get(step)
        if not rows:
            return {}
        row = rows.pop(0)
        self._before, self._step = self._after, step
        self._after = {name: values[row] for name, values in self._values.items()}
        return self._after

    def lacks_update(self, name: str, value: Any, is_unchanged: bool) -> bool:
        """Returns whether a value is that before a step, which changed the variable.

        Args:
            name: of the variable.
            value: of the other program's, after the step that ``next`` was last asked for.
            is_unchanged: whether that step has not changed it.
        """
        before, after = self._before.get(name), self._after.get(name)
        if before is None or after is None or before.shape != value.shape or not value.size:
            return False
        if after.dtype.kind != "f" or after.tobytes() == before.tobytes():
            return False
        return is_unchanged or bool(
            np.abs(value - before).max() <= _NO_UPDATE * np.abs(after - before).max()
        )

    def differ(self, values: Dict[str, Any], loss: float, share: float, rounding: float) -> bool:
        """Returns whether the step that ``next`` was last asked for differs beyond doubt.

        Args:
            values: of the other program's variables after it.
            loss: of the other program.
            share: of the largest element of an update, or of a loss, that may differ.
            rounding: of the largest element of a variable.
        """
        expected = self._losses.get(self._step, float("nan"))
        if np.isfinite(expected) and not abs(loss - expected) <= share * abs(expected) + rounding:
            return True
        for name, after in self._after.items():
            new, before = values.get(name), self._before.get(name)
            if new is None or before is None or after.dtype.kind != "f":
                continue
            if not after.shape == new.shape == before.shape or not np.isfinite(after).all():
                continue
            size = max(1.0, float(np.abs(after).max(initial=0.0)))
            allowed = share * np.abs(after - before).max(initial=0.0) + rounding * size
            if not np.abs(new - after).max(initial=0.0) <= allowed:
                return True
        return False

    def force(
        self, session: Any, variables: Sequence[Any], state: Dict[str, Any], writes: bool = True
    ) -> Any:
        """Gives the variables of a session a state; returns what was given, by name.

        Args:
            session: the session.
            variables: of its graph.
            state: by their names, {} for none.
            writes: False where another process writes it.
        """
        if not state:
            return {}
        if writes:
            _write(self._plan(session, variables)[0], state)
        self.about["forced"] += 1
        return {entry.name: state[entry.name] for entry in self._plan(session, variables)[1]}

    def restore(self, session: Any, variables: Sequence[Any], state: Dict[str, Any]) -> None:
        """Writes all variables, as a step that is made again needs.

        Those without a partner, too: a Keras program has no global step, which the original's
        steps count.

        Args:
            session: the session.
            variables: of its graph.
            state: what it held, by their names.
        """
        calls = self._plan(session, variables)[0]
        key = id(session), len(variables)
        if key not in self._of_free:
            free = [entry for entry in variables if entry.name in self.about["free"]]
            self._of_free[key] = _calls(session, free)
        _write([*calls, *self._of_free[key]], state)

    def _plan(self, session: Any, variables: Sequence[Any]) -> Any:
        """Returns the calls that write variables with a partner, and these variables."""
        key = id(session), len(variables)
        if key not in self._plans:
            self._plans[key] = self._planned(session, variables)
        return self._plans[key]

    def _planned(self, session: Any, variables: Sequence[Any]) -> Any:
        taken = []
        self.about["free"] = []
        for entry in variables:
            values = self._values.get(entry.name)
            if values is None or not _fits(values, entry):
                self.about["free"].append(entry.name)
                continue
            taken.append(entry)
        self.about["missing"] = sorted(set(self._values) - {entry.name for entry in taken})
        # The session is kept: its id is not given again.
        return _calls(session, taken), taken, session


def _calls(session: Any, variables: Sequence[Any]) -> List[Any]:
    """Returns what writes variables, each with the names of what it is given."""
    return [
        (
            _writer(session, [a for a, _, _ in r], [a.inputs[1] for a, _, _ in r]),
            [(name, is_zero) for _, name, is_zero in r],
        )
        for r in graph_variables.assignments_by_run(variables)
    ]


def _write(calls: Sequence[Any], state: Dict[str, Any]) -> None:
    for write, names in calls:
        write(*[state[name] * 0 if is_zero else state[name] for name, is_zero in names])


def _fits(values: Any, entry: Any) -> bool:
    return list(values.shape[1:]) == list(entry.shape) and values.dtype.name == entry.dtype


def natives(states: States, readings: Sequence[Any], state: Dict[str, Any]) -> Dict[str, Any]:
    """Returns what variables of a Keras program hold in a state of the original, by their names.

    Args:
        states: where the state is from.
        readings: the program's variables as the original's.
        state: the original's, {} for none.
    """
    native_values: Dict[str, Any] = {}
    if not state:
        return native_values
    about = states.about
    about["free"] = []
    for reading in readings:
        value = state.get(reading.name)
        if value is None or list(value.shape) != list(reading.shape):
            about["free"].append(reading.name)
            continue
        native = reading.native(value)
        if native is not None:
            native_values[reading.variable.name] = native
    about["forced"] += 1
    about["missing"] = sorted(set(state) - {reading.name for reading in readings})
    return native_values


def _writer(session: Any, assignments: Sequence[Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """Returns what runs assignments with the values of their inputs."""
    from tensorflow.python.client import session as client

    if type(session).run is client.BaseSession.run:
        writer: Callable[..., Any] = session.make_callable(assignments, feed_list=inputs)
        return writer

    def write(*values: Any) -> None:
        # A session of workers that mirror their variables notes what the program writes, to share
        # it: what all of them are given is none of that.
        client.BaseSession.run(session, assignments, dict(zip(inputs, values)))

    return write


def states_of(path: str) -> List[States]:
    """Returns the states in a trace: of the first model, and of all others."""
    stored = archive.read(path, ("meta", "variable", "initial/", "step", "loss", "model/"))
    meta = json.loads(str(stored["meta"])) if "meta" in stored else {}
    prefixes = [""] + ["model/%d/" % (i + 1) for i in range(len(meta.get("models", ())))]
    all_states = [
        States(
            _below(stored, prefix + "variable/"),
            stored[prefix + "variable_step"],
            _below(stored, prefix + "initial/"),
            {int(s): float(v) for s, v in zip(stored[prefix + "step"], stored[prefix + "loss"])},
        )
        for prefix in prefixes
    ]
    for states, own in zip(all_states, [meta, *meta.get("models", ())]):
        states.again = own.get("again")
    return all_states


def states_in_turns(path: str) -> Optional[States]:
    """Returns the states after the steps of all workers that took turns; None where none did."""
    stored = archive.read(path, ("turns/", "initial/"))
    if "turns/variable_step" not in stored:
        return None
    values, initial = _below(stored, "turns/variable/"), _below(stored, "initial/")
    return States(values, stored["turns/variable_step"], initial, {})


def _below(stored: Dict[str, Any], prefix: str) -> Dict[str, Any]:
    return {key[len(prefix) :]: array for key, array in stored.items() if key.startswith(prefix)}
