"""Which optimizer makes the first step, where none is built when losses are already computed.

Loops without a tf.function build an optimizer by their first step, and those that add up gradients
long after their first loss. The generator of a GAN predicts what the discriminator is trained on
before either optimizer has made a step.
"""

import functools
import operator
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

from ..keras import calls


def first_of(
    optimizers: Sequence[Any], wanted: int, trainable: Callable[[], List[Any]]
) -> Optional[Tuple[Any, List[Any]]]:
    """Returns the optimizer that makes the first step, and what it trains; None if uncertain.

    Args:
        optimizers: all of the program, in the order in which they were made.
        wanted: how many elements the original trains.
        trainable: returns all variables that the program's models could train.
    """
    trained = [calls.trained_by(optimizer) for optimizer in optimizers]
    if len(optimizers) == 1:
        every = trainable() if trained[0] is None else trained[0]
        # Sums of gradients are made by tf.Variable, which are trainable unless that is declined.
        for variables in (every, [v for v in every if hasattr(v, "path")]):
            if elements_of(variables) == wanted:
                return optimizers[0], variables
        return None
    if any(variables is None for variables in trained):
        return None
    # Each compiled model of several trains a part. If another is first after all, as a generator
    # that is compiled after its discriminator, ``NativeModels.of`` gives it the first place.
    for optimizer, part in zip(optimizers, trained):
        if part and elements_of(part) < wanted:
            return optimizer, part
    return None


def elements_of(variables: Iterable[Any]) -> int:
    """Returns how many elements variables have together; those of an open shape have none."""
    return sum(size_of(variable.shape) for variable in variables)


def size_of(shape: Any) -> int:
    """Returns how many elements a tensor of a shape has; 0 where a length is open."""
    lengths = [0] if getattr(shape, "rank", 0) is None else [length or 0 for length in shape]
    return functools.reduce(operator.mul, lengths, 1)
