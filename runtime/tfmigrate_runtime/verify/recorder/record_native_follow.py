"""Lets a program without sessions make every step from the original's state (lock-step).

Part of ``record_native.py``; runs on Python 3.6 or newer and TensorFlow 2.
"""

from typing import Any, Dict, List, Sequence, Set, Tuple

from . import record_follow
from .record_created import NativeVariable, values_of
from .record_native_model import NativeModel


def step(native: Any, made: Tuple[NativeModel, Any, Set[int]], *fetched: Any) -> List[Any]:
    """Records one step; returns the original's values after it for all copies of variables.

    Args:
        native: the record_native.Native.
        made: the model, the optimizer and the keys of the variables of the step.
        fetched: as for ``Native.record``; then what the copies hold.
    """
    model = made[0]
    count = sum(len(variable.fetches) for variable in model.fetched) + 1
    present = list(fetched[count:])
    with native.lock:
        is_whole = native.record(made, *fetched[:count])
        recorded = model.recorded
        if not is_whole or recorded.variable_steps[-1:] != recorded.steps[-1:]:
            return present
        rate = float(fetched[count - 1])
        state = recorded.follow.next(recorded.steps[-1])
        if state and recorded.limit is not None:
            new = {name: values[-1] for name, values in recorded.values.items()}
            recorded.limit.compare(recorded, recorded.follow, new)
        native_values = record_follow.natives(recorded.follow, model.paired.readings, state, rate)
        # Averages are updated after the step: what they are given now would be updated once more.
        model.given_later = {
            name: native_values.pop(name) for name in model.averages & set(native_values)
        }
        return _held(model, model.fetched, native_values, present)


def averages(
    native: Any, model: NativeModel, updated: Sequence[NativeVariable], *fetched: Any
) -> List[Any]:
    """Records averages after their update; returns the original's values for all their copies.

    Args:
        native: the record_native.Native.
        model: what made the step.
        updated: the averages.
        fetched: their values, then what their copies hold.
    """
    count = sum(len(average.fetches) for average in updated)
    with native.lock:
        native.correct(model, values_of(updated, fetched[:count]))
        later = model.given_later
        native_values = {
            average.name: later[average.name] for average in updated if average.name in later
        }
        return _held(model, updated, native_values, fetched[count:])


def _held(
    model: NativeModel,
    variables: Sequence[NativeVariable],
    given: Dict[str, Any],
    present: Sequence[Any],
) -> List[Any]:
    """Returns what the copies of variables are to hold: what is given, or what they hold."""
    copies = [copy for variable in variables for copy in variable.copies]
    by_copy = {id(copy): value for copy, value in zip(copies, present)}
    for variable in variables:
        value = given.get(variable.name)
        if value is not None:
            now = [by_copy[id(copy)] for copy in variable.copies]
            by_copy.update(zip(map(id, variable.copies), variable.of_copies(value, now)))
    model.last = {name: given.get(name, held) for name, held in model.last.items()}
    # Two variables of a cell may be parts of one, which is given both.
    return [by_copy[id(copy)] for copy in copies]
