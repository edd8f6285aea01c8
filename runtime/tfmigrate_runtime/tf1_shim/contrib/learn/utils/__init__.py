"""tf.contrib.learn.utils."""

from tfmigrate_runtime.contrib.of_learn.utils import gc, input_fn_utils
from tfmigrate_runtime.contrib.of_learn.utils.input_fn_utils import (
    InputFnOps,
    build_default_serving_input_fn,
    build_parsing_serving_input_fn,
)
from tfmigrate_runtime.tf1_shim.contrib.learn.utils import saved_model_export_utils
from tfmigrate_runtime.tf1_shim.contrib.learn.utils.saved_model_export_utils import (
    make_export_strategy,
)

__all__ = [
    "InputFnOps", "build_default_serving_input_fn", "build_parsing_serving_input_fn", "gc",
    "input_fn_utils", "make_export_strategy", "saved_model_export_utils",
]  # fmt: skip
