"""What an Estimator is made of and given, checked as TensorFlow 1.15 did."""

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.task import EVALUATOR, PS

# Of tf.estimator's Estimator in TensorFlow 1.15. Nothing calls them here: one that a program
# defines would have no effect, without a word.
_PRIVATE_MEMBERS = frozenset(
    (
        "_actual_eval", "_actual_train_model_distributed", "_add_meta_graph_for_mode",
        "_assert_members_are_not_overridden", "_call_input_fn", "_call_model_fn",
        "_call_model_fn_eval", "_call_model_fn_eval_distributed", "_convert_eval_steps_to_hooks",
        "_convert_train_steps_to_hooks", "_create_and_assert_global_step", "_create_global_step",
        "_evaluate_build_graph", "_evaluate_run", "_export_all_saved_models",
        "_extract_batch_length", "_extract_keys", "_get_features_and_labels_from_input_fn",
        "_get_features_from_input_fn", "_get_iterator_from_input_fn", "_maybe_warm_start",
        "_train_model", "_train_model_default", "_train_model_distributed",
        "_train_with_estimator_spec", "_train_with_estimator_spec_distributed",
        "_validate_features_in_predict_input",
    )
)  # fmt: skip


def check_overrides(kind: type, estimator: type) -> None:
    """Refuses a program's subclass that replaces a member, whose caller would not know.

    Args:
        kind: the class of an Estimator.
        estimator: the Estimator class itself.

    Raises:
        ValueError: it does, or defines one of TensorFlow 1.15's private members. Nothing but
            ``model_fn`` could be replaced (tensorflow_estimator 1.15).
    """
    if kind.__module__.startswith(f"{__name__.partition('.')[0]}."):
        return
    own = [name for name in vars(kind) if not name.startswith("__") and name != "model_fn"]
    replaced = [
        name
        for name in own
        if name in _PRIVATE_MEMBERS
        or (hasattr(estimator, name) and getattr(estimator, name) != getattr(kind, name))
    ]
    if replaced:
        raise ValueError(
            "Subclasses of Estimator cannot override members of Estimator. "
            f"{kind} does override {replaced}"
        )


def checked_hooks(
    hooks: Sequence[Any] | None,
    kind: type = tf.train.SessionRunHook,
    must: str = "Hooks must be a SessionRunHook",
) -> list[Any]:
    """Returns hooks, or saving listeners, as a list.

    Args:
        hooks: the hooks, None for none.
        kind: what they have to be.
        must: how the error says so.

    Raises:
        TypeError: one is not of the kind.
    """
    checked = list(hooks or ())
    for hook in checked:
        if not isinstance(hook, kind):
            raise TypeError(f"{must}, given: {hook!r}")
    return checked


def check_trains(config: RunConfig) -> None:
    """Refuses training in a process that would train beside those of the cluster.

    Raises:
        ValueError: this task is an evaluator or a parameter server.
    """
    if config.task_type in (EVALUATOR, PS):
        raise ValueError(
            f"TF_CONFIG: this task is {config.task_type} {config.task_id}, which does not train: "
            "call train_and_evaluate, in which each task does its part"
        )


def check_limits(steps: int | None, max_steps: int | None) -> None:
    """Checks the limits of a training.

    Raises:
        ValueError: both are given, or one is not positive.
    """
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, value in (("steps", steps), ("max_steps", max_steps)):
        if value is not None and value <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {value}")


def with_model_dir(config: RunConfig, model_dir: str | os.PathLike[str] | None) -> RunConfig:
    """Returns a RunConfig that has a model_dir.

    Raises:
        ValueError: two different ones are given.
    """
    passed_dir = os.fspath(model_dir) if model_dir is not None else None
    if passed_dir and config.model_dir and passed_dir != config.model_dir:
        raise ValueError(
            "`model_dir` are set both in constructor and `RunConfig`, but with different values. "
            f"In constructor: '{passed_dir}', in `RunConfig`: '{config.model_dir}'"
        )
    if not (chosen := passed_dir or config.model_dir):
        chosen = tempfile.mkdtemp()
        tf.logging.warning("Using temporary folder as model directory: %s", chosen)
    return config.replace(model_dir=chosen)
