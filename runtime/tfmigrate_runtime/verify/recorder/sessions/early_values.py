"""Computes before a training step what it returns of variables alone.

Nothing orders ``tf.norm(weights)`` and the update of ``weights`` in one run: TensorFlow starts it
at once, so that it nearly always has the values before the update. On a loaded machine it once had
those after it. Such a value was then free in all comparisons, and a wrong one passed.

Workers that take turns also read variables before a step that they fetch with it, as a global step
with its increment (``Order.is_sent_first``): a summary is then written at the same step every time.
"""

from typing import Any, Callable, Dict, List, Sequence, Tuple

from . import settled_values


class EarlyReads:
    """Which fetches of training steps are computed before these."""

    def __init__(self, takes_turns: bool) -> None:
        self._takes_turns = takes_turns
        self._places: Dict[Tuple[int, ...], List[int]] = {}  # of the fetches, by the ids of a run
        self._runs: List[Any] = []  # keeps those ids from being given again

    def places(self, training: Any, targets: Sequence[Any], fetches: Sequence[Any]) -> List[int]:
        """Returns which fetches of a run are computed before it.

        Args:
            training: the GraphTraining of their graph.
            targets: the ops to run.
            fetches: the tensors to compute.
        """
        key = tuple(id(each) for each in [*targets, None, *fetches])
        if key not in self._places:
            operations = [fetch.op for fetch in fetches]
            places = self._places[key] = []
            # The order of a whole graph takes long, and most steps return nothing of the kind.
            is_sent = self._takes_turns and not training.synchronous
            is_possible = any(map(settled_values.may_be_early, operations)) or (
                is_sent and any(map(settled_values.is_variable, operations))
            )
            if is_possible and training.is_step([*targets, *fetches]):
                order = settled_values.Order([*targets, *operations], (), True)
                places += [
                    place
                    for place, each in enumerate(operations)
                    if order.is_early(each) or (is_sent and order.is_sent_first(each))
                ]
            self._runs.append((targets, fetches))
        return self._places[key]


def merged(
    places: Sequence[int], early: Sequence[Any], fetches: List[Any], run: Callable[..., Any]
) -> Any:
    """Runs what is not computed yet, and returns the values of all fetches.

    Args:
        places: of the fetches that are computed.
        early: their values.
        fetches: of the whole run.
        run: returns the values of fetches.
    """
    if not places:
        return run(fetches)
    values = dict(zip(places, early))
    others = [place for place in range(len(fetches)) if place not in values]
    values.update(zip(others, run([fetches[place] for place in others])))
    return [values[place] for place in range(len(fetches))]
