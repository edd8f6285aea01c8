"""tf.contrib.learn's export strategies and the folders that they write."""

# A model_dir may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118, PTH119

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.utils import gc
from tfmigrate_runtime.contrib.of_learn.utils.best_model import BestModelSelector
from tfmigrate_runtime.train.export_folders import exports, garbage_collect_exports
from tfmigrate_runtime.train.export_strategy import ExportStrategy
from tfmigrate_runtime.train.passed_on import pass_on


def get_temp_export_dir(timestamped_export_dir: Any) -> bytes:
    """Returns the folder next to the given one that it is written to first."""
    folder, name = os.path.split(tf.compat.as_bytes(timestamped_export_dir))
    temporary: bytes = os.path.join(folder, b"temp-" + name)
    return temporary


def get_most_recent_export(export_dir_base: Any) -> gc.Path | None:
    """Returns the latest export below a folder, None where there is none."""
    if not (names := exports(export_dir_base)):
        return None
    return gc.Path(os.path.join(tf.compat.as_str_any(export_dir_base), names[-1]), int(names[-1]))


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns the strategy "Servo": a SavedModel of the latest checkpoint, older ones deleted.

    Args:
        serving_input_fn: returns InputFnOps for an Estimator of contrib.learn, a
            ServingInputReceiver for a tf.estimator.Estimator.
        default_output_alternative_key: the head that is served by default (contrib.learn).
        assets_extra: files to be copied, by their names in ``assets.extra``.
        as_text: whether the SavedModel is written as text.
        exports_to_keep: how many there may be, None for all.
        strip_default_attrs: whether default attributes of ops are left out.
    """

    def export_fn(
        estimator: Any,
        export_dir_base: Any,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool | None = False,
    ) -> Any:
        options: dict[str, Any] = {
            "assets_extra": assets_extra,
            "as_text": as_text,
            "checkpoint_path": checkpoint_path,
            "strip_default_attrs": bool(strip_default_attrs),
        }
        # That of contrib.learn, whose models have several heads to choose from.
        if hasattr(estimator, "fit"):
            options["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is not supported in core Estimator. Given: "
                f"{default_output_alternative_key}"
            )
        result = estimator.export_savedmodel(export_dir_base, serving_input_fn, **options)
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return result

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int | None = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Callable[[Any, Any], bool] | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Returns the strategy "best_model": exports checkpoints that evaluated better than before."""
    base = pass_on(make_export_strategy, locals())
    events = None
    if model_dir and event_file_pattern:
        events = os.path.join(model_dir, event_file_pattern)
    selector = BestModelSelector(events, compare_fn)

    def export_fn(
        estimator: Any,
        export_dir_base: Any,
        checkpoint_path: str | None,
        eval_result: dict[str, Any] | None = None,
    ) -> Any:
        path = checkpoint_path or tf.train.latest_checkpoint(estimator.model_dir)
        chosen, metrics = selector.update(path, eval_result)
        if not chosen or metrics is None:
            return ""
        folder = os.path.join(tf.compat.as_str_any(export_dir_base), os.path.basename(chosen))
        return base.export(estimator, folder, chosen, metrics)

    return ExportStrategy("best_model", export_fn)


def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[Any, str], Any],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """Returns a strategy that changes what another one exported.

    Args:
        base_export_strategy: the other one.
        post_export_fn: writes below a folder, its second argument, what it makes of an export, its
            first; returns where.
        post_export_name: the strategy's name; the other's by default.
    """

    def export_fn(estimator: Any, export_dir_base: Any, checkpoint_path: str | None = None) -> Any:
        base = tf.compat.as_str_any(export_dir_base)
        export_folder = _new_folder(
            base, "temp-base-export-", "Failed to obtain base export directory"
        )
        exported = base_export_strategy.export(estimator, export_folder, checkpoint_path)
        changed = _new_folder(base, "temp-post-export-", "Failed to obtain temp export directory")
        result = tf.compat.as_str_any(post_export_fn(exported, changed))
        if not result.startswith(changed):
            raise ValueError(f"post_export_fn must return a sub-directory of {changed}")
        final = os.path.join(base, os.path.relpath(result, changed))
        if tf.gfile.Exists(final):
            raise RuntimeError("Failed to obtain final export directory")
        tf.gfile.Rename(result, final)
        tf.gfile.DeleteRecursively(export_folder)
        tf.gfile.DeleteRecursively(changed)
        return final

    return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)


def _new_folder(base: str, prefix: str, problem: str) -> str:
    folder = os.path.join(base, prefix + str(int(time.time())))
    if tf.gfile.Exists(folder):
        raise RuntimeError(problem)
    tf.gfile.MakeDirs(folder)
    return folder
