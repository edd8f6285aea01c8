"""Export strategies that write SavedModels (contrib.learn's ``saved_model_export_utils``)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator as core
from tfmigrate_runtime.estimator import event_files
from tfmigrate_runtime.estimator.experiment.export_strategy import ExportStrategy
from tfmigrate_runtime.estimator.exporters import delete_old_exports
from tfmigrate_runtime.learn.utils.input_fn_utils import build_parsing_serving_input_fn

Results = Mapping[str, Any]
_LOSS = "loss"


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns a strategy named "Servo" that exports a SavedModel.

    Args:
        serving_input_fn: returns a ServingInputReceiver, for a ``learn.Estimator`` InputFnOps.
        default_output_alternative_key: which output is served by default, for a
            ``learn.Estimator`` of several heads.
        assets_extra: files to copy, by their path below assets.extra.
        as_text: whether the proto is text.
        exports_to_keep: how many exports are not deleted, None for all.
        strip_default_attrs: whether attributes with default values are left out.
    """

    def export_fn(
        estimator: Any,
        export_dir_base: str,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool | None = None,
    ) -> Any:
        options: dict[str, Any] = {}
        # That of contrib.learn, whose models have several heads to choose from.
        if hasattr(estimator, "fit"):
            options["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is not supported in core Estimator. Given: "
                f"{default_output_alternative_key}"
            )
        exported = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=bool(strip_default_attrs),
            **options,
        )
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return exported

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


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
        serving_input_fn = core.export.build_parsing_serving_input_receiver_fn(spec)
    else:
        serving_input_fn = build_parsing_serving_input_fn(spec)
    return make_export_strategy(
        serving_input_fn,
        default_output_alternative_key,
        assets_extra,
        as_text,
        exports_to_keep,
        strip_default_attrs,
    )


class BestModelSelector:
    """Remembers the best evaluation."""

    def __init__(
        self,
        event_file_pattern: str | None = None,
        compare_fn: Callable[[Results, Results], bool] | None = None,
    ) -> None:
        """Reads what was best before.

        Args:
            event_file_pattern: event files of earlier evaluations, None for none.
            compare_fn: takes the best result so far and another, and says whether the other is
                better; None compares losses.
        """
        self._is_better = compare_fn or _is_loss_smaller
        self._best: Results | None = None
        for _, result in event_files.scalars(event_file_pattern) if event_file_pattern else ():
            if self._best is None or self._is_better(self._best, result):
                self._best = result

    def update(
        self, checkpoint_path: str | None, eval_result: Results | None
    ) -> tuple[str, Results | None]:
        """Returns the checkpoint and its result where they are the best so far, else ("", None).

        Raises:
            ValueError: one of them is missing.
        """
        if not checkpoint_path:
            raise ValueError("Checkpoint path is empty.")
        if eval_result is None:
            raise ValueError(f"{checkpoint_path} has empty evaluation results.")
        if self._best is not None and not self._is_better(self._best, eval_result):
            return "", None
        self._best = eval_result
        return checkpoint_path, eval_result


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int | None = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Callable[[Results, Results], bool] | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns a strategy named "best_model" that exports models better than all before.

    Args:
        serving_input_fn: as in ``make_export_strategy``.
        exports_to_keep: as in ``make_export_strategy``; each is in the folder of its checkpoint.
        model_dir: where event files of earlier runs are; None forgets what was best before.
        event_file_pattern: those event files, relative to model_dir.
        compare_fn: as in ``BestModelSelector``.
        default_output_alternative_key: as in ``make_export_strategy``.
        strip_default_attrs: as in ``make_export_strategy``.
    """
    strategy = make_export_strategy(
        serving_input_fn,
        default_output_alternative_key,
        exports_to_keep=exports_to_keep,
        strip_default_attrs=strip_default_attrs,
    )
    is_safe = model_dir and event_file_pattern
    pattern = os.path.join(str(model_dir), str(event_file_pattern)) if is_safe else None
    selector = BestModelSelector(pattern, compare_fn)

    def export_fn(
        estimator: Any,
        export_dir_base: str,
        checkpoint_path: str | None,
        eval_result: Results | None = None,
    ) -> Any:
        path = checkpoint_path or tf.train.latest_checkpoint(estimator.model_dir)
        best, result = selector.update(path, eval_result)
        if result is None:
            return ""
        folder = os.path.join(export_dir_base, os.path.basename(best))
        return strategy.export(estimator, folder, best, result)

    return ExportStrategy("best_model", export_fn)


def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[Any, str], Any],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """Returns a strategy that changes what another has exported.

    Args:
        base_export_strategy: the other.
        post_export_fn: takes the folder of the export and one to write to, and returns the folder
            below the latter that it has written.
        post_export_name: the folder below ``<model_dir>/export``, None for the other's.
    """

    def export_fn(estimator: Any, export_dir_base: str, checkpoint_path: str | None = None) -> str:
        first = _new_folder(export_dir_base, "temp-base-export")
        exported = base_export_strategy.export(estimator, first, checkpoint_path)
        second = _new_folder(export_dir_base, "temp-post-export")
        changed = tf.compat.as_str_any(post_export_fn(exported, second))
        if not changed.startswith(second):
            raise ValueError(f"post_export_fn must return a sub-directory of {second}")
        final = os.path.join(export_dir_base, os.path.relpath(changed, second))
        if tf.gfile.Exists(final):
            raise RuntimeError(f"Failed to obtain final export directory: {final} exists")
        tf.gfile.Rename(changed, final)
        for folder in (first, second):
            tf.gfile.DeleteRecursively(folder)
        return final

    return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)


def garbage_collect_exports(export_dir_base: str, exports_to_keep: int | None) -> None:
    """Deletes all exports of a folder but the newest.

    Args:
        export_dir_base: the folder.
        exports_to_keep: how many are not deleted, None for all.
    """
    delete_old_exports(export_dir_base, exports_to_keep)


def _is_loss_smaller(best: Results, candidate: Results) -> bool:
    for name, result in (("curr_best_eval_result", best), ("cand_eval_result", candidate)):
        if not result or _LOSS not in result:
            raise ValueError(f"{name} cannot be empty or no loss is found in it.")
    return bool(best[_LOSS] > candidate[_LOSS])


def _new_folder(base: str, name: str) -> str:
    folder = os.path.join(base, f"{name}-{int(time.time())}")
    if tf.gfile.Exists(folder):
        raise RuntimeError(f"Failed to obtain an export directory: {folder} exists")
    tf.gfile.MakeDirs(folder)
    return folder
