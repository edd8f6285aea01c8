"""Starting from the weights of another model."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.replicas import replica_count


class WarmStartSettings(NamedTuple):
    """What is copied from a checkpoint (``tf.estimator.WarmStartSettings``).

    Attributes:
        ckpt_to_initialize_from: a checkpoint, or a folder whose latest one is used.
        vars_to_warm_start: a regular expression or a list of them for trainable variables' names;
            None for no variables.
        var_name_to_vocab_info: how vocabularies changed, by variable name.
        var_name_to_prev_var_name: the name in the checkpoint, where it is another.
    """

    ckpt_to_initialize_from: str
    vars_to_warm_start: str | Sequence[Any] | None = ".*"
    var_name_to_vocab_info: Mapping[str, Any] | None = None
    var_name_to_prev_var_name: Mapping[str, str] | None = None


def settings_of(value: Any) -> WarmStartSettings | None:
    """Returns the settings that an Estimator's ``warm_start_from`` represents.

    A path may be that of a checkpoint, of a folder with one, or of a SavedModel (as bytes, too:
    ``export_saved_model`` returns them).

    Raises:
        ValueError: it is neither a path nor settings.
    """
    if value is None or isinstance(value, WarmStartSettings):
        return value
    if isinstance(value, (str, bytes, os.PathLike)):
        path = os.fsdecode(value)
        of_saved_model = os.path.join(path, "variables", "variables")
        saved = tf.gfile.Exists(of_saved_model + ".index")
        return WarmStartSettings(of_saved_model if saved else path)
    raise ValueError(
        f"warm_start_from must be a string or a WarmStartSettings, given: {type(value).__name__}"
    )


def warm_start(
    settings: WarmStartSettings | None, checkpoint_path: str | None, strategy: Any
) -> None:
    """Makes the initial values of the default graph, with its model, those of a checkpoint.

    Not only for training: an Estimator that has not trained yet evaluates and predicts with them,
    too (tensorflow_estimator 1.15, ``_maybe_warm_start``).

    Args:
        settings: what is copied, None for nothing.
        checkpoint_path: a checkpoint that is restored anyway, which nothing is copied over.
        strategy: the strategy that the model was built under, None where there is none.
    """
    if settings is None or checkpoint_path:
        return
    scope = strategy.scope if replica_count(strategy) > 1 else contextlib.nullcontext
    tf.logging.info("Warm-starting with WarmStartSettings: %s", settings)
    with scope():
        tf.train.warm_start(
            settings.ckpt_to_initialize_from,
            settings.vars_to_warm_start,
            settings.var_name_to_vocab_info,
            settings.var_name_to_prev_var_name,
        )


def checkpoint_to_export(
    settings: WarmStartSettings | None, latest: str | None, model_dir: str
) -> str:
    """Returns the checkpoint whose values are exported: that of a warm start before any training.

    Raises:
        ValueError: there is neither.
    """
    if not (path := latest) and settings is not None:
        path = settings.ckpt_to_initialize_from
        path = tf.train.latest_checkpoint(path) if tf.gfile.IsDirectory(path) else path
    if not path:
        raise ValueError(f"Couldn't find trained model at {model_dir}.")
    return path
