"""Functions from features to logits."""

from __future__ import annotations

from tensorflow_estimator.python.estimator.canned.dnn import dnn_logit_fn_builder
from tensorflow_estimator.python.estimator.canned.linear import linear_logit_fn_builder
from tensorflow_estimator.python.estimator.model_fn import call_logit_fn

__all__ = ["call_logit_fn", "dnn_logit_fn_builder", "linear_logit_fn_builder"]
