"""Exports for training, evaluation and prediction, under the names of tf.contrib.estimator."""

from typing import Any

from tfmigrate_runtime.compat.shim_estimator import (
    ModeKeys,
    build_raw_supervised_input_receiver_fn,
    build_supervised_input_receiver_fn_from_input_fn,
)

__all__ = [
    "build_raw_supervised_input_receiver_fn",
    "build_supervised_input_receiver_fn_from_input_fn",
    "export_all_saved_models",
    "export_saved_model_for_mode",
]


def export_saved_model_for_mode(
    estimator: Any,
    export_dir_base: str,
    input_receiver_fn: Any,
    assets_extra: Any = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
    mode: str = ModeKeys.PREDICT,
) -> Any:
    """Writes the graph of one mode as a SavedModel; returns the folder.

    Raises:
        ValueError: there is no input receiver, no export output or no checkpoint.
    """
    return estimator.export_saved_model(
        export_dir_base,
        input_receiver_fn,
        assets_extra=assets_extra,
        as_text=as_text,
        checkpoint_path=checkpoint_path,
        experimental_mode=mode,
    )


def export_all_saved_models(
    estimator: Any,
    export_dir_base: str,
    input_receiver_fn_map: Any,
    assets_extra: Any = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
) -> Any:
    """Writes the graphs of several modes as one SavedModel; returns the folder.

    Raises:
        ValueError: there is no input receiver, no export output or no checkpoint.
    """
    return estimator.experimental_export_all_saved_models(
        export_dir_base,
        input_receiver_fn_map,
        assets_extra=assets_extra,
        as_text=as_text,
        checkpoint_path=checkpoint_path,
    )
