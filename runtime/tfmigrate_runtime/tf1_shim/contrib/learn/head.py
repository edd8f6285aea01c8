"""Heads of contrib.learn's canned models: loss, predictions and metrics of logits."""

import functools

from tfmigrate_runtime.contrib.of_learn.canned import heads
from tfmigrate_runtime.tf1_shim.contrib.learn.model_fn import ModelFnOps

Head = heads.Head
no_op_train_fn = heads.no_op_train_fn
multi_class_head = functools.partial(heads.multi_class_head, ModelFnOps)
poisson_regression_head = functools.partial(heads.poisson_regression_head, ModelFnOps)
regression_head = functools.partial(heads.regression_head, ModelFnOps)
