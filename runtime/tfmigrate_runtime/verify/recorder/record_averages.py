"""Moving averages of variables, which a program of TensorFlow 2 updates after its step.

Part of ``record_native.py``; runs on Python 3.6 or newer and TensorFlow 2. A step is recorded when
the optimizer has updated the variables; the values of averages are put right once they are updated.
"""

import functools
from typing import Any, Callable, List

from . import record_functions
from .record_created import tensorflow_variable


def install(native: Any) -> None:
    """Wraps ``tf.train.ExponentialMovingAverage.apply``.

    Args:
        native: the record_native.Native.
    """
    from tensorflow.python.training import moving_averages

    kind = moving_averages.ExponentialMovingAverage
    original = kind.apply

    @functools.wraps(original)
    def apply(this: Any, var_list: Any = None) -> Any:
        result = original(this, var_list)
        if var_list is not None and not record_functions.in_session_graph():
            averages = [this.average(variable) for variable in var_list]
            _after_update(native, [average for average in averages if average is not None])
        return result

    kind.apply = apply


def _after_update(native: Any, averages: List[Any]) -> None:
    """Records what averages hold now, or whenever the graph is run that is being built."""
    model = native.built
    if model is None or model.paired is None:
        return  # they are being made
    keys = {id(tensorflow_variable(average)) for average in averages}

    def emit(_: Any) -> None:
        found = [variable for variable in model.fetched if variable.key in keys]
        values = [copy.read_value() for variable in found for copy in variable.fetches]
        record_functions.to_python(_correction(native, model, found), values)

    record_functions.across_replicas(emit)


def _correction(native: Any, model: Any, found: List[Any]) -> Callable[..., None]:
    """Returns a function that changes the values of the last step."""

    def correct(*fetched: Any) -> None:
        values, position = {}, 0
        for variable in found:
            count = len(variable.fetches)
            values[variable.name] = variable.value(fetched[position : position + count])
            position += count
        native.correct(model, values)

    return correct
