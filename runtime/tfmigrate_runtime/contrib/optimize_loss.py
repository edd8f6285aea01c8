"""A training op with clipping, noise, decay and summaries (``tf.contrib.layers.optimize_loss``).

Under several replicas each of them clips, multiplies and adds noise to its own gradients, as towers
did; what is added up is the result.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.gradients import (
    GradientsAndVariables,
    clip_by_norm,
    multiply,
    with_noise,
)

__all__ = ["OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "optimize_loss"]

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Any]] = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "Momentum": lambda learning_rate: tf.train.MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = [
    "learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm",
]  # fmt: skip
_DEFAULT_SUMMARIES = ("loss", "learning_rate", "global_gradient_norm")


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    clip_gradients: float | Callable[[GradientsAndVariables], GradientsAndVariables] | None = None,
    learning_rate_decay_fn: Callable[[Any, Any], Any] | None = None,
    update_ops: Iterable[Any] | None = None,
    variables: Sequence[Any] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Any:
    """Returns an op that runs a step of training.

    Args:
        loss: a scalar.
        global_step: the global step variable. None: the graph's, where it has one.
        learning_rate: a float, which becomes the variable "learning_rate"; a scalar tensor; or
            None, where the optimizer needs none.
        optimizer: a key of OPTIMIZER_CLS_NAMES, a class of tf.train.Optimizer, one of its objects,
            or a function that returns one, of the learning rate where there is one.
        gradient_noise_scale: what truncated normal noise is multiplied by before it is added to
            the gradients; None for no noise.
        gradient_multipliers: factors of gradients by variable, or by its name ("w:0").
        clip_gradients: the largest global norm of the gradients, a function of (gradient, variable)
            pairs like that of ``adaptive_clipping_fn``, or None.
        learning_rate_decay_fn: from the learning rate and the global step to the rate that is
            used; not called where learning_rate is None.
        update_ops: operations to run in every step, before the loss is used. None: those of the
            collection UPDATE_OPS.
        variables: what to train, None for all trainable variables.
        name: the scope of variables, operations and summaries, "OptimizeLoss" by default.
        summaries: some of OPTIMIZER_SUMMARIES. None: the loss, the learning rate where it decays,
            and the global norm of the gradients.
        colocate_gradients_with_ops: whether gradients are on the devices of their operations.
        increment_global_step: whether a step increments the global step.

    Returns:
        The loss as a tensor: where it is computed, the step has been made.

    Raises:
        ValueError: an argument is not one of those above, there are no gradients, or the learning
            rate decays without a global step.
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
        # Gradients are those of the loss behind the updates, so that they run in every step.
        loss = _after(list(update_ops), loss)
        rate = _learning_rate_of(learning_rate)
        reported = _checked_summaries(summaries)
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
            if "learning_rate" in reported:
                tf.summary.scalar("learning_rate", rate)
        built_optimizer = _optimizer_of(optimizer, rate)
        gradients = built_optimizer.compute_gradients(
            loss,
            tf.trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        gradients = _changed(
            gradients, gradient_noise_scale, gradient_multipliers, clip_gradients, reported
        )
        _summarize(loss, gradients, clip_gradients is not None, reported)
        step = built_optimizer.apply_gradients(
            gradients, global_step=global_step if increment_global_step else None, name="train"
        )
        return _after([step], loss)


def _after(operations: list[Any], tensor: Any) -> Any:
    """Returns a tensor that is there after operations, under the name that it had in 1.x."""
    if not operations:
        return tensor
    with tf.control_dependencies(operations):
        return tf.identity(tensor, name="control_dependency")


def _learning_rate_of(learning_rate: Any) -> Any:
    if learning_rate is None or (
        isinstance(learning_rate, tf.Tensor) and learning_rate.shape.rank == 0
    ):
        return learning_rate
    # An int is refused, too, as TensorFlow 1.x refused it.
    if not isinstance(learning_rate, float):
        raise ValueError(
            "Learning rate should be 0d Tensor or float. "
            f"Got {learning_rate} of type {type(learning_rate)}"
        )
    if learning_rate < 0.0:
        raise ValueError(f"Invalid learning_rate {learning_rate}.")
    initializer = tf.constant_initializer(learning_rate)
    return tf.get_variable("learning_rate", [], trainable=False, initializer=initializer)


def _checked_summaries(summaries: Sequence[str] | None) -> Sequence[str]:
    for name in summaries or ():
        if name not in OPTIMIZER_SUMMARIES:
            raise ValueError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided "
                f"{name}."
            )
    return _DEFAULT_SUMMARIES if summaries is None else summaries


def _optimizer_of(wanted: Any, rate: Any) -> Any:
    """Returns the optimizer that is given by its name, by its class, itself or by a function."""
    if isinstance(wanted, str):
        _require_rate(rate, "string", wanted)
        if wanted not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you "
                f"provided {wanted}."
            )
        return OPTIMIZER_CLS_NAMES[wanted](learning_rate=rate)
    if isinstance(wanted, type) and issubclass(wanted, tf.train.Optimizer):
        _require_rate(rate, "class", wanted)
        return wanted(learning_rate=rate)
    if isinstance(wanted, tf.train.Optimizer):
        return wanted
    if not callable(wanted):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass "
            f"of Optimizer or function with one argument. Got {wanted}."
        )
    optimizer = wanted() if rate is None else wanted(rate)
    if not isinstance(optimizer, tf.train.Optimizer):
        raise ValueError(
            "Unrecognized optimizer: function should return subclass of Optimizer. "
            f"Got {optimizer}."
        )
    return optimizer


def _require_rate(rate: Any, kind: str, optimizer: Any) -> None:
    if rate is None:
        raise ValueError(
            f"Learning rate is None, but should be specified if optimizer is {kind} ({optimizer})."
        )


def _changed(
    gradients: GradientsAndVariables,
    noise_scale: float | None,
    multipliers: Mapping[Any, Any] | None,
    clip: Any,
    reported: Sequence[str],
) -> GradientsAndVariables:
    """Returns gradients with noise, multiplied and clipped; reports their norm before clipping."""
    if noise_scale is not None:
        gradients = with_noise(gradients, noise_scale)
    if multipliers is not None and not (gradients := multiply(gradients, multipliers)):
        raise ValueError(
            "Empty list of (gradient, var) pairs encountered. This is most likely to be caused "
            "by an improper value of gradient_multipliers."
        )
    if _reports_norms(reported):
        _summarize_norm("global_norm/gradient_norm", [g for g, _ in gradients])
    if clip is None:
        return gradients
    if isinstance(clip, float):
        return clip_by_norm(gradients, clip)
    if not callable(clip):
        raise ValueError(f"Unknown type {type(clip)} for clip_gradients")
    clipped: GradientsAndVariables = clip(gradients)
    return clipped


def _reports_norms(reported: Sequence[str]) -> bool:
    return "global_gradient_norm" in reported or "gradient_norm" in reported


def _summarize_norm(tag: str, gradients: list[Any]) -> None:
    tf.summary.scalar(tag, tf.linalg.global_norm(gradients))


def _summarize(
    loss: Any, gradients: GradientsAndVariables, are_clipped: bool, reported: Sequence[str]
) -> None:
    """Reports the loss, and the gradients that are applied."""
    if "loss" in reported:
        tf.summary.scalar("loss", loss)
    for gradient, variable in gradients:
        if gradient is None:
            continue
        values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        tag = variable.name.replace(":", "_")
        if "gradients" in reported:
            tf.summary.histogram(f"gradients/{tag}", values)
        if "gradient_norm" in reported:
            _summarize_norm(f"gradient_norm/{tag}", [values])
    if are_clipped and _reports_norms(reported):
        _summarize_norm("global_norm/clipped_gradient_norm", [g for g, _ in gradients])
