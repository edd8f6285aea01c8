"""What training steps return to the program and to its hooks.

* ``meta["step_fetches"]``: ``forms``, of runs that are alike a list of ``[name, dtype, shape]``
  (what they return), ``steps``, of each form how many steps were made before its runs, and
  ``left_out``, how many more runs there were.
* ``step_fetched/<form>/<position>``: the numbers of one value, [runs, numbers]. Of an array of more
  than MOST_NUMBERS its mean, standard deviation, least and greatest number, and evenly spaced ones.
  It is missing where the value depends on when the step writes its variables
  (``sessions/settled_values.py``), unless it is the value of a variable itself.
* ``meta["step_fetches"]["unordered"]``: the ``<form>/<position>`` of these. The other program may
  be the one that has an order: TensorFlow 1.x copied a variable that it returned when all was done.
"""

import json
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ..sessions import graph_training, settled_values

MOST_NUMBERS = 64  # of one array that are kept
_MOST_RUNS = 20000
_MOST_IN_ALL = 1 << 22


class StepFetches:
    """Records what training steps return."""

    def __init__(self) -> None:
        self._forms: Dict[str, int] = {}
        self._steps: List[List[int]] = []  # of each form
        self._numbers: Dict[Tuple[int, int], List[Any]] = {}  # by form and position
        self._unordered: Dict[Tuple[int, int], None] = {}
        self._settled: Dict[Tuple[int, ...], Dict[int, bool]] = {}
        self._fetched: List[Any] = []  # keeps their ids from being given again
        self._runs, self._count, self._left_out = 0, 0, 0

    def add(
        self,
        steps: int,
        values: Sequence[Tuple[Any, List[Any], Any]],
        fetched: Sequence[Any],
        session: Any,
    ) -> None:
        """Adds a run.

        Args:
            steps: made before it.
            values: the op, the form and the numbers of all that it returned.
            fetched: the ops that were fetched or run.
            session: which made it.
        """
        training = graph_training.training_of(session.graph)
        trains = {
            id(operation) for operation in training.operations
        }  # what they return is not a result
        values = [value for value in values if id(value[0]) not in trains]
        if not values:
            return
        size = sum(len(numbers) for _, _, numbers in values)
        if self._runs >= _MOST_RUNS or self._count + size > _MOST_IN_ALL:
            self._left_out += 1
            return
        self._runs += 1
        self._count += size
        settled = self._settled_of(fetched, training, session)
        form = json.dumps([form for _, form, _ in values])
        number = self._forms.setdefault(form, len(self._forms))
        if number == len(self._steps):
            self._steps.append([])
        self._steps[number].append(steps)
        for position, (operation, _, numbers) in enumerate(values):
            is_settled = settled.get(id(operation), False)
            if is_settled or settled_values.is_variable(operation):
                self._numbers.setdefault((number, position), []).append(numbers)
            if not is_settled:
                self._unordered[number, position] = None

    def _settled_of(self, fetched: Sequence[Any], training: Any, session: Any) -> Dict[int, bool]:
        key = tuple(id(operation) for operation in fetched)
        if key not in self._settled:
            self._settled[key] = settled_values.settled(fetched, training, session)
            self._fetched.append(fetched)
        return self._settled[key]

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays for the trace."""
        forms = [json.loads(form) for form in self._forms]
        return {
            "step_fetched/%d/%d" % (form, position): np.stack(rows).astype(
                np.float64 if "float" in forms[form][position][1] else np.int64
            )
            for (form, position), rows in self._numbers.items()
            if len(rows) == len(self._steps[form])
        }

    def meta(self) -> Dict[str, Any]:
        """Returns the entry for ``meta``."""
        forms = [json.loads(form) for form in self._forms]
        unordered = ["%d/%d" % place for place in self._unordered]
        entry = {"forms": forms, "steps": self._steps, "left_out": self._left_out}
        return {"step_fetches": dict(entry, unordered=unordered)}
