"""Variables that a program adds to a graph after the first step that it trains there.

tf.keras 1.x builds the optimizer of a model with the model's first ``train_on_batch``: the slots of
a GAN's second optimizer are there two steps after those of the first. Where they were not recorded,
the migrated program kept its own, and rounding grew in them.
"""

from typing import Any

from . import graph_variables


def notice(model: Any, session: Any) -> None:
    """Adds the variables that a graph did not have when its model was last looked at.

    They start from what they hold now, before the step that first has them.

    Args:
        model: the recording.Model of the session.
        session: the raw session.
    """
    from tensorflow.python.framework import errors

    version = session.graph.version
    if model.graph_version == version:
        return
    known = {entry.name for entry in model.variables}
    variables = graph_variables.variables_of(session.graph)
    added = [entry for entry in variables if entry.name not in known]
    try:
        values = graph_variables.read(session, added) if added else {}
    except errors.FailedPreconditionError:
        return  # a phase that is still to come initializes them: the next step looks again
    model.graph_version = version
    for name, value in values.items():
        model.initial[name] = model.held[name] = value
        model.values[name] = [value] * len(model.variable_steps)
    model.variables = [*model.variables, *added]
