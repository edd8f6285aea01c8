"""Exports during ``train_and_evaluate``: at the end, regularly, or of the best model."""

import abc
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import event_files
from tfmigrate_runtime.train.export_folders import garbage_collect_exports

EvaluationResult = Mapping[str, Any]
_LOSS = "loss"
_GLOBAL_STEP = "global_step"


class Exporter(abc.ABC):
    """Writes an exported model after evaluations (``tf.estimator.Exporter``)."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The folder of exports, below ``<model_dir>/export``."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str | None,
        eval_result: EvaluationResult | None,
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a model, or decides not to.

        Args:
            estimator: the Estimator.
            export_path: the folder that gets a folder of this export.
            checkpoint_path: the checkpoint that was evaluated.
            eval_result: the metrics.
            is_the_final_export: whether training has reached ``TrainSpec.max_steps``.

        Returns:
            The folder of the export, None where there was none.
        """


class _SavedModelExporter(Exporter):
    """What the exporters have in common: a name and how a SavedModel is written."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any] | None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        """Makes an exporter.

        Args:
            name: the folder below ``<model_dir>/export``.
            serving_input_receiver_fn: returns a ServingInputReceiver.
            assets_extra: files to copy, by their path below assets.extra.
            as_text: whether the proto is text.
            exports_to_keep: how many exports, of this run and of others, are not deleted, None for
                all.

        Raises:
            ValueError: exports_to_keep is not positive.
        """
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(
                f"`exports_to_keep`, if provided, must be a positive number. Got {exports_to_keep}"
            )
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text
        self._exports_to_keep = exports_to_keep

    @property
    def name(self) -> str:
        return self._name

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str | None,
        eval_result: EvaluationResult | None,
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports when it is time, and deletes the oldest exports but those to keep.

        See ``Exporter.export``.
        """
        if not self._is_due(estimator, eval_result, is_the_final_export):
            return None
        exported: bytes = estimator.export_saved_model(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )
        garbage_collect_exports(export_path, self._exports_to_keep)
        return exported

    def _is_due(
        self, estimator: Any, eval_result: EvaluationResult | None, is_the_final_export: bool
    ) -> bool:
        return True


class FinalExporter(_SavedModelExporter):
    """Exports once, when training has reached its last step (``tf.estimator.FinalExporter``)."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        *,
        exports_to_keep: int | None = None,
    ) -> None:
        """Makes an exporter; it keeps all exports by default, as that of tf.estimator."""
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)

    def _is_due(
        self, estimator: Any, eval_result: EvaluationResult | None, is_the_final_export: bool
    ) -> bool:
        if is_the_final_export:
            tf.logging.info("Performing the final export in the end of training.")
        return is_the_final_export


class LatestExporter(_SavedModelExporter):
    """Exports after every evaluation and keeps the latest (``tf.estimator.LatestExporter``)."""


def _loss_smaller(
    best_eval_result: EvaluationResult | None, current_eval_result: EvaluationResult | None
) -> bool:
    """Returns whether the current loss is smaller than the best.

    Raises:
        ValueError: a result has no loss.
    """
    for name, result in (("best", best_eval_result), ("current", current_eval_result)):
        if not result or _LOSS not in result:
            raise ValueError(f"{name}_eval_result cannot be empty or no loss is found in it.")
    return bool(best_eval_result[_LOSS] > current_eval_result[_LOSS])  # type: ignore[index]


class BestExporter(_SavedModelExporter):
    """Exports a model that is better than all before (``tf.estimator.BestExporter``).

    What was best before a restart is read from the event files of the evaluations. The event of
    the evaluation that is judged is in there already; it is left out, so that the first model of
    all is exported (TensorFlow 1.15 compared it with itself).
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Callable[[], Any] | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = _loss_smaller,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        """Makes an exporter.

        The other arguments are those of ``LatestExporter``.

        Args:
            name: the folder below ``<model_dir>/export``.
            serving_input_receiver_fn: returns a ServingInputReceiver.
            event_file_pattern: event files of the evaluations, relative to model_dir; None: what
                was best before a restart is not known.
            compare_fn: takes best_eval_result and current_eval_result by name and says whether
                the current one is better. The default compares losses.
            assets_extra: files to copy, by their path below assets.extra.
            as_text: whether the proto is text.
            exports_to_keep: how many exports are not deleted, None for all.

        Raises:
            ValueError: compare_fn takes other arguments, or exports_to_keep is not positive.
        """
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text, exports_to_keep)
        _check_compare_function(compare_fn)
        self._compare, self._event_file_pattern = compare_fn, event_file_pattern
        self._model_dir: str | None = None
        self._best: EvaluationResult | None = None

    def _is_due(
        self, estimator: Any, eval_result: EvaluationResult | None, is_the_final_export: bool
    ) -> bool:
        if self._event_file_pattern and self._model_dir != estimator.model_dir:
            self._model_dir = estimator.model_dir
            pattern = os.path.join(estimator.model_dir, self._event_file_pattern)
            self._best = self._best_of_events(pattern, (eval_result or {}).get(_GLOBAL_STEP))
        if self._best is not None and not self._compare(
            best_eval_result=self._best, current_eval_result=eval_result
        ):
            return False
        tf.logging.info("Performing best model export.")
        self._best = eval_result
        return True

    def _best_of_events(self, pattern: str, current_step: Any) -> EvaluationResult | None:
        best: EvaluationResult | None = None
        for step, result in event_files.scalars(pattern):
            if current_step is not None and step == int(current_step):
                continue
            if best is None or self._compare(best_eval_result=best, current_eval_result=result):
                best = result
        return best


def _check_compare_function(compare_fn: Any) -> None:
    if compare_fn is None:
        raise ValueError("`compare_fn` must not be None.")
    wanted = {"best_eval_result", "current_eval_result"}
    names = set(inspect.signature(compare_fn).parameters)
    for name in sorted(wanted - names):
        raise ValueError(f"compare_fn ({compare_fn}) must include {name} argument.")
    if names - wanted:
        raise ValueError(
            f"compare_fn ({compare_fn}) has following not expected args: {sorted(names - wanted)}"
        )
