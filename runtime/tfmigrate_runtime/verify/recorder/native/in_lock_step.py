"""Lets a program without sessions make every step from the original's state (lock-step)."""

from typing import Any, Dict, List, Sequence

from ..sessions import lock_step
from .created_variables import NativeVariable
from .model import Step


def step(native: Any, current: Step, *fetched: Any) -> List[Any]:
    """Records one step; returns the original's values after it for all copies of variables.

    Args:
        native: the observer.Native.
        current: the step.
        fetched: as for ``Native.record``; then what the copies hold.
    """
    model = current.model
    count = sum(len(variable.fetches) for variable in current.fetched) + 2
    present = list(fetched[count:])
    with native.lock:
        is_whole = native.record(current, *fetched[:count])
        recorded = model.of_worker(native.worker)
        if not is_whole or recorded.variable_steps[-1:] != recorded.steps[-1:]:
            return present
        state = recorded.follow.next(recorded.steps[-1])
        new = {r.name: recorded.values[r.name][-1] for r in model.paired.readings}
        model.pending = {
            reading.variable.name
            for reading in model.paired.readings
            if reading.variable.name in model.written
            and recorded.follow.lacks_update(
                reading.name, new[reading.name], reading.variable.name in model.pending
            )
        }
        if state and recorded.limit is not None:
            settled = [
                r.name for r in model.paired.readings if r.variable.name not in model.pending
            ]
            recorded.limit.compare(recorded, recorded.follow, {n: new[n] for n in settled})
        native_values = lock_step.natives(recorded.follow, model.paired.readings, state)
        # What the program updates after the optimizer begins that update from the state before.
        pending = {name: native_values.pop(name) for name in model.pending & set(native_values)}
        native_values.update({n: v for n, v in model.given_later.items() if n in pending})
        model.given_later = pending
        model.last = {name: native_values.get(name, held) for name, held in model.last.items()}
        return _held(current.fetched, native_values, present)


def _held(
    variables: Sequence[NativeVariable], wanted: Dict[str, Any], present: Sequence[Any]
) -> List[Any]:
    """Returns what the copies of variables are to hold: what is given, or what they hold."""
    copies = [copy for variable in variables for copy in variable.copies]
    by_copy = {id(copy): value for copy, value in zip(copies, present)}
    for variable in variables:
        value = wanted.get(variable.name)
        if value is not None:
            now = [by_copy[id(copy)] for copy in variable.copies]
            by_copy.update(zip(map(id, variable.copies), variable.of_copies(value, now)))
    # Two variables of a cell may be parts of one, which is given both.
    return [by_copy[id(copy)] for copy in copies]
