"""``optimize_loss`` of tf.contrib.layers, as it was (contrib/layers/python/layers/optimizers.py).

It is written apart from that of migrated programs, which is compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_ops import with_dependencies
from tfmigrate_runtime.tf1_shim.contrib.layers.changed_gradients import (
    Pairs,
    clipped_by_norm,
    multiplied,
    noisy,
)

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Any]] = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Any = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Any = None,
    update_ops: Any = None,
    variables: Any = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Any:
    """Returns the loss, scalar, as a tensor that is there once a step of training was made.

    Args:
        loss: scalar.
        global_step: the variable, None for the graph's.
        learning_rate: a float, which becomes a variable; a scalar; or None.
        optimizer: a key of OPTIMIZER_CLS_NAMES, an optimizer, its class, or a function of the
            learning rate (of nothing where that is None) that returns one.
        gradient_noise_scale: the factor of the truncated normal noise that is added.
        gradient_multipliers: factors by variable or by its name.
        clip_gradients: a float, the largest global norm; or a function of the pairs.
        learning_rate_decay_fn: makes the rate of the rate and the global step.
        update_ops: run before the loss is used, None for the collection UPDATE_OPS.
        variables: None for all trainable variables.
        name: the scope, "OptimizeLoss" by default.
        summaries: some of OPTIMIZER_SUMMARIES; the loss, the rate, the global norm by default.
        colocate_gradients_with_ops: whether gradients are where their operations are.
        increment_global_step: whether a step increments it.

    Raises:
        ValueError: an argument is of another kind, or one that it needs is missing.
    """
    loss = tf.convert_to_tensor(loss)
    tf.debugging.assert_scalar(loss)
    if global_step is None:
        global_step = tf.train.get_global_step()
    else:
        tf.train.assert_global_step(global_step)
    with tf.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = set(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        if update_ops:
            loss = with_dependencies(list(update_ops), loss)
        rate = None if learning_rate is None else _rate(learning_rate)
        wanted = _wanted(summaries)
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in wanted:
                tf.summary.scalar("learning_rate", rate)
        opt = _optimizer(optimizer, rate)
        pairs = opt.compute_gradients(
            loss,
            tf.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        pairs = _changed(pairs, gradient_noise_scale, gradient_multipliers, clip_gradients, wanted)
        _summarize(loss, pairs, clip_gradients is not None, wanted)
        step = global_step if increment_global_step else None
        updates = opt.apply_gradients(pairs, global_step=step, name="train")
        return with_dependencies([updates], loss)


def _rate(given: Any) -> Any:
    """Returns the learning rate: a scalar as it is, a float as a variable."""
    if isinstance(given, tf.Tensor) and given.shape.rank == 0:
        return given
    if not isinstance(given, float):
        raise ValueError(
            f"Learning rate should be 0d Tensor or float. Got {given} of type {type(given)}"
        )
    if given < 0.0:
        raise ValueError("Invalid learning_rate %s.", given)
    start = tf.constant_initializer(given)
    return tf.get_variable("learning_rate", [], trainable=False, initializer=start)


def _wanted(summaries: Sequence[str] | None) -> Sequence[str]:
    if summaries is None:
        return ["loss", "learning_rate", "global_gradient_norm"]
    for name in summaries:
        if name not in OPTIMIZER_SUMMARIES:
            known = ", ".join(OPTIMIZER_SUMMARIES)
            raise ValueError(f"Summaries should be one of [{known}], you provided {name}.")
    return summaries


def _optimizer(given: Any, rate: Any) -> Any:
    """Returns the optimizer that is meant."""
    is_class = isinstance(given, type) and issubclass(given, tf.train.Optimizer)
    if rate is None and (isinstance(given, str) or is_class):
        kind = "string" if isinstance(given, str) else "class"
        raise ValueError(
            f"Learning rate is None, but should be specified if optimizer is {kind} ({given})."
        )
    if isinstance(given, str):
        if given not in OPTIMIZER_CLS_NAMES:
            known = ", ".join(OPTIMIZER_CLS_NAMES)
            raise ValueError(f"Optimizer name should be one of [{known}], you provided {given}.")
        return OPTIMIZER_CLS_NAMES[given](learning_rate=rate)
    if is_class:
        return given(learning_rate=rate)
    if isinstance(given, tf.train.Optimizer):
        return given
    if not callable(given):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of "
            f"subclass of Optimizer or function with one argument. Got {given}."
        )
    optimizer = given() if rate is None else given(rate)
    if not isinstance(optimizer, tf.train.Optimizer):
        raise ValueError(
            "Unrecognized optimizer: function should return subclass of Optimizer. "
            f"Got {optimizer}."
        )
    return optimizer


def _changed(
    pairs: Pairs, noise_scale: float | None, multipliers: Any, clip: Any, wanted: Sequence[str]
) -> Pairs:
    """Adds noise, multiplies, reports the norm and clips, in this order."""
    if noise_scale is not None:
        pairs = noisy(pairs, noise_scale)
    if multipliers is not None:
        pairs = multiplied(pairs, multipliers)
        if not pairs:
            raise ValueError(
                "Empty list of (gradient, var) pairs encountered. This is most "
                "likely to be caused by an improper value of gradient_multipliers."
            )
    if _wants_norm(wanted):
        _report_norm("global_norm/gradient_norm", [gradient for gradient, _ in pairs])
    if isinstance(clip, float):
        return clipped_by_norm(pairs, clip)
    if callable(clip):
        changed: Pairs = clip(pairs)
        return changed
    if clip is not None:
        raise ValueError(f"Unknown type {type(clip)} for clip_gradients")
    return pairs


def _wants_norm(wanted: Sequence[str]) -> bool:
    return "global_gradient_norm" in wanted or "gradient_norm" in wanted


def _report_norm(tag: str, gradients: list[Any]) -> None:
    tf.summary.scalar(tag, tf.global_norm(gradients))


def _summarize(loss: Any, pairs: Pairs, is_clipped: bool, wanted: Sequence[str]) -> None:
    """Reports the loss, and gradients as they are applied."""
    if "loss" in wanted:
        tf.summary.scalar("loss", loss)
    for gradient, variable in pairs:
        if gradient is None:
            continue
        values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        tag = variable.name.replace(":", "_")
        if "gradients" in wanted:
            tf.summary.histogram(f"gradients/{tag}", values)
        if "gradient_norm" in wanted:
            _report_norm(f"gradient_norm/{tag}", [values])
    if is_clipped and _wants_norm(wanted):
        _report_norm("global_norm/clipped_gradient_norm", [gradient for gradient, _ in pairs])
