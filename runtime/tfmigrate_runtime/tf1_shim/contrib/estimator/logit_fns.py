"""Functions from features to logits."""

from tfmigrate_runtime.compat.shim_estimator import (
    call_logit_fn,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
)

__all__ = ["call_logit_fn", "dnn_logit_fn_builder", "linear_logit_fn_builder"]
