"""The losses of the steps of a session.

A step has the losses whose gradients it computes: a program with two optimizers has one loss for
each. A program that adds up the gradients of several runs computes none in the run that applies
them: the loss of this step is the mean of those runs.

``meta["losses"]`` has ``differ``, whether steps have different losses. Traces without it have the
losses of the first optimizer for all steps.
"""

from typing import Any, Dict, List, Optional

import numpy as np

from . import fed_values
from .graph_training import GraphTraining, Run


class StepLosses:
    """Which losses to fetch in a run, and which a step has."""

    def __init__(self) -> None:
        self._kept: Dict[int, List[List[float]]] = {}  # of runs since the last step, by session
        self.about = {"differ": False}

    def of(
        self, session: Any, training: GraphTraining, run: Run, feeds: Optional[Dict[Any, Any]]
    ) -> List[Any]:
        """Returns the losses to fetch in a run, [] where it has not the inputs of any."""
        losses = run.losses or ([] if self._kept.get(id(session)) else training.losses)
        fed = set()
        for tensor in feeds or ():
            tensor = fed_values.fed_tensor(tensor)
            fed.add(id(getattr(tensor, "op", None)))
        return losses if run.can_compute(losses, fed) else []

    def add(
        self, session: Any, training: GraphTraining, run: Run, fetched: List[Any]
    ) -> List[float]:
        """Returns the losses of a step, one a tower; keeps those of a run that is none.

        Args:
            session: that was run.
            training: of its graph.
            run: what was run.
            fetched: what ``of`` returned, as numbers.
        """
        towers = [float(np.sum(np.asarray(loss, np.float64))) for loss in fetched]
        collected = self._kept.setdefault(id(session), [])
        if not run.trains:
            collected.append(towers)
            return towers
        if not towers and len({len(each) for each in collected}) == 1:
            towers = [float(mean) for mean in np.mean(collected, axis=0)]
        elif run.losses:
            first = {id(loss) for loss in training.losses}
            self.about["differ"] |= any(id(loss) not in first for loss in run.losses)
        collected.clear()
        return towers
