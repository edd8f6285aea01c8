"""tf.contrib.learn's export strategies and the folders that they write."""

import importlib
from typing import Any

from tfmigrate_runtime.compat.shim_estimator import export as core_export
from tfmigrate_runtime.contrib.of_learn.utils import input_fn_utils
from tfmigrate_runtime.contrib.of_learn.utils.best_model import BestModelSelector
from tfmigrate_runtime.contrib.of_learn.utils.saved_model_export_utils import (
    extend_export_strategy,
    get_most_recent_export,
    get_temp_export_dir,
    make_best_model_export_strategy,
    make_export_strategy,
)
from tfmigrate_runtime.contrib.of_learn.utils.signature_defs import (
    DEFAULT_INPUT_ALTERNATIVE_KEY,
    FEATURES_INPUT_ALTERNATIVE_KEY,
    build_all_signature_defs,
    build_standardized_signature_def,
    get_input_alternatives,
    get_output_alternatives,
)
from tfmigrate_runtime.train.export_folders import (
    garbage_collect_exports,
    get_timestamped_export_dir,
)
from tfmigrate_runtime.train.export_strategy import ExportStrategy
from tfmigrate_runtime.train.passed_on import pass_on

__all__ = [
    "DEFAULT_INPUT_ALTERNATIVE_KEY", "FEATURES_INPUT_ALTERNATIVE_KEY", "BestModelSelector",
    "ExportStrategy", "build_all_signature_defs", "build_standardized_signature_def",
    "extend_export_strategy", "garbage_collect_exports", "get_input_alternatives",
    "get_most_recent_export", "get_output_alternatives", "get_temp_export_dir",
    "get_timestamped_export_dir", "make_best_model_export_strategy", "make_export_strategy",
    "make_parsing_export_strategy",
]  # fmt: skip


def make_parsing_export_strategy(
    feature_columns: Any,
    default_output_alternative_key: str | None = None,
    assets_extra: dict[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns the strategy for a model that parses tf.Examples into contrib.layers' columns."""
    layers: Any = importlib.import_module("tensorflow.contrib.layers")
    spec = layers.create_feature_spec_for_parsing(feature_columns)
    if target_core:
        serving_input_fn = core_export.build_parsing_serving_input_receiver_fn(spec)
    else:
        serving_input_fn = input_fn_utils.build_parsing_serving_input_fn(spec)
    return pass_on(make_export_strategy, locals())
