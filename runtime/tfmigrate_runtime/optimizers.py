"""Names of tensorflow.python.estimator.canned.optimizers, which was never public."""

from typing import Any

from tfmigrate_runtime.estimator.canned.optimizers import optimizer_of

__all__ = ["get_optimizer_instance"]


def get_optimizer_instance(opt: Any, learning_rate: float | None = None) -> Any:
    """Returns the optimizer that an argument specifies.

    Args:
        opt: a ``tf.train.Optimizer``, a function that makes one, or a name: Adagrad, Adam, Ftrl,
            RMSProp, SGD.
        learning_rate: of an optimizer that is given by its name.

    Raises:
        ValueError: the name is unknown, it has no learning rate, or it is not an optimizer.
    """
    if isinstance(opt, str) and not learning_rate:
        raise ValueError("learning_rate must be specified when opt is a string.")
    return optimizer_of(opt, 0.0 if learning_rate is None else learning_rate)
