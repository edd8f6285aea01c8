"""``tf.estimator.experimental``: hooks that end training early, inputs of exported training."""

from tfmigrate_runtime.estimator.all_modes import build_raw_supervised_input_receiver_fn
from tfmigrate_runtime.estimator.early_stopping import (
    make_early_stopping_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)

__all__ = [
    "build_raw_supervised_input_receiver_fn",
    "make_early_stopping_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]
