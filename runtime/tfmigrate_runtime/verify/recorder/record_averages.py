"""Moving averages of variables, which a program of TensorFlow 2 updates after its step.

Part of ``record_native.py``; runs on Python 3.6 or newer and TensorFlow 2. A step is recorded when
the optimizer has updated the variables; the values of averages are put right once they are updated.
"""

import functools
from typing import Any, List

from . import record_functions, record_native_follow
from .record_created import tensorflow_variable, values_of


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
        updated = [variable for variable in model.fetched if variable.key in keys]
        model.averages.update(variable.name for variable in updated)
        values = [copy.read_value() for variable in updated for copy in variable.fetches]
        if model.recorded.follow is None:

            def correct(*fetched: Any) -> None:
                native.correct(model, values_of(updated, fetched))

            record_functions.to_python(correct, values)
            return
        copies = [copy for variable in updated for copy in variable.copies]
        record_functions.assigned_by_python(
            functools.partial(record_native_follow.averages, native, model, updated),
            values + [copy.read_value() for copy in copies],
            copies,
        )

    record_functions.across_replicas(emit)
