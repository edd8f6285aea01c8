"""``tf.estimator.experimental``: early stopping, evaluation in training, logits."""

from typing import Any

from tfmigrate_runtime.estimator.all_modes import build_raw_supervised_input_receiver_fn
from tfmigrate_runtime.estimator.canned.logit_functions import (
    call_logit_fn,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
)
from tfmigrate_runtime.estimator.early_stopping import (
    make_early_stopping_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from tfmigrate_runtime.estimator.in_memory_evaluator import InMemoryEvaluatorHook
from tfmigrate_runtime.estimator.stop_at_checkpoint import make_stop_at_checkpoint_step_hook

__all__ = [
    "InMemoryEvaluatorHook",
    "build_raw_supervised_input_receiver_fn",
    "call_logit_fn",
    "dnn_logit_fn_builder",
    "linear_logit_fn_builder",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]

_INSTEAD = {
    "KMeans": "k-means of a clustering library, such as sklearn.cluster.MiniBatchKMeans",
    "LinearSDCA": "LinearClassifier or LinearRegressor with a tf.train optimizer",
    "RNNClassifier": "Estimator with a model function that calls tf.nn.dynamic_rnn",
    "RNNEstimator": "Estimator with a model function that calls tf.nn.dynamic_rnn",
}


def __getattr__(name: str) -> Any:
    """Returns what to use where tf.estimator.experimental has a name without an equivalent."""
    if name in _INSTEAD:
        raise AttributeError(
            f"tf.estimator.experimental.{name} has no equivalent in {__name__}: use "
            f"{_INSTEAD[name]}"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
