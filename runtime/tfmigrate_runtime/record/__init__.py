"""Records the training of a port, in any framework, and has it follow the original step by step.

Ten lines in a training loop let ``tfmigrate verify original.py port.py`` judge a port to PyTorch,
JAX or NumPy as it judges a program of TensorFlow 2::

    from tfmigrate_runtime import record

    run = record.follow()                       # does nothing outside of tfmigrate verify
    params = run.begin(params)                  # the original's initial values
    for batch in batches:
        loss, params, state = update(params, state, batch)
        params, slots = run.step(loss, params, {"m": state.mu, "v": state.nu}, batch)
        state = state._replace(mu=slots["m"], nu=slots["v"])
    record.evaluation({"loss": test_loss})

Programs of PyTorch and of Keras on JAX or PyTorch need no such line: ``tfmigrate verify`` observes
them. Nothing here imports TensorFlow; NumPy is all it needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfmigrate_runtime.record.follower import Follower, evaluation, follow

__all__ = ["Follower", "evaluation", "follow"]


def __getattr__(name: str) -> Any:
    """Returns one of the names above: what compares reads parts of this package without them.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.follower"), name)
