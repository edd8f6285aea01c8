"""Export strategies that write SavedModels (contrib.learn's ``saved_model_export_utils``)."""

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.utils.best_model import BestModelSelector
from tfmigrate_runtime.contrib.of_learn.utils.input_fn_utils import build_parsing_serving_input_fn
from tfmigrate_runtime.contrib.of_learn.utils.saved_model_export_utils import (
    extend_export_strategy,
    get_most_recent_export,
    get_temp_export_dir,
    make_best_model_export_strategy,
    make_export_strategy,
)
from tfmigrate_runtime.estimator.export import build_parsing_serving_input_receiver_fn
from tfmigrate_runtime.train.export_folders import (
    garbage_collect_exports,
    get_timestamped_export_dir,
)
from tfmigrate_runtime.train.export_strategy import ExportStrategy
from tfmigrate_runtime.train.passed_on import pass_on

__all__ = [
    "BestModelSelector", "extend_export_strategy", "garbage_collect_exports",
    "get_most_recent_export", "get_temp_export_dir", "get_timestamped_export_dir",
    "make_best_model_export_strategy", "make_export_strategy", "make_parsing_export_strategy",
]  # fmt: skip


def make_parsing_export_strategy(
    feature_columns: Any,
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns a strategy whose SavedModel parses ``tf.Example`` protos by feature columns.

    Args:
        feature_columns: the features that requests give, of ``tf.feature_column``.
        default_output_alternative_key: as in ``make_export_strategy``.
        assets_extra: as in ``make_export_strategy``.
        as_text: as in ``make_export_strategy``.
        exports_to_keep: as in ``make_export_strategy``.
        target_core: whether the Estimator is tf.estimator's and not ``learn.Estimator``.
        strip_default_attrs: as in ``make_export_strategy``.
    """
    spec = tf.feature_column.make_parse_example_spec(list(feature_columns))
    serving_input_fn: Callable[[], Any]
    if target_core:
        serving_input_fn = build_parsing_serving_input_receiver_fn(spec)
    else:
        serving_input_fn = build_parsing_serving_input_fn(spec)
    return pass_on(make_export_strategy, locals())
