"""The random numbers that the original's training steps draw: they are recorded for its port.

Generators of Keras 3 and functions of TensorFlow 2 draw other numbers than graphs of TensorFlow
1.x. So what the ops of the original's loss draw (masks of dropout, noise) is fetched in every step,
and a program without sessions draws it again (``draws/of_original.py``).

* ``random/<replica>/<n>``: the numbers of all steps, one after another, and
  ``random_shape/<replica>/<n>`` [steps, dimensions].
* ``meta["step_draws"]``: ``kinds``, the type of op by ``<replica>/<n>``, and ``left_out``, how many
  are not recorded: those in a loop, or in a ``cond`` that depends on more than variables and
  what is fed, and large ones. Where several models are trained, ``of_first`` has the steps of the
  first one: another program may take turns otherwise. It is null where one model follows another,
  as in a cross-validation; the steps of all count then. ``draws/samplers.py`` has the keys of
  ops that draw by parameters.

Private name that is touched: ``Graph._unfetchable_ops``, which ops of branches are in.
"""

from typing import Any, Dict, List, Optional, Sequence, Set

import numpy as np

from ..sessions import fed_values, graph_variables
from . import between_steps, pinned_randomness, samplers

# Types of ops, and where the functions are that make them.
KINDS = {
    "RandomUniform": ("random_uniform", "stateless_random_uniform_v2"),
    "RandomStandardNormal": ("random_standard_normal", "stateless_random_normal_v2"),
    "TruncatedNormal": ("truncated_normal", "stateless_truncated_normal_v2"),
}
_READS = ("VarHandleOp", "ReadVariableOp", "VariableV2", "Variable")
_NEEDS_A_RUN = ("Placeholder", "Merge", "Enter", "Exit")
_MOST_IN_ALL = 1 << 22  # numbers


class StepDraws:
    """Records what the steps of all models draw, one after the other."""

    def __init__(self) -> None:
        self._by_loss: Dict[int, List[Any]] = {}  # ops that draw, with tensors and kinds by key
        self._kept: List[Any] = []  # keeps ids from being given again
        self._values: Dict[str, List[Any]] = {}
        self._kinds: Dict[str, str] = {}
        self._left_out: Set[str] = set()
        self._count = 0
        self._of_first: List[int] = []  # which steps are of the first model
        self._last, self._are_in_turn = 0, False  # whether models are trained in turn
        self._between = between_steps.RunDraws(_drawing, _entries)

    def of(self, losses: Sequence[Any], feeds: Dict[Any, Any], session: Any) -> Dict[str, Any]:
        """Returns the tensors to fetch in a step with these losses, by their keys.

        Args:
            losses: of the step.
            feeds: what the step is fed, by tensor: it decides on the branches of conditions.
            session: computes the conditions that are not fed.
        """
        return self._run(self._of(losses), feeds, session)

    def between(
        self, fetches: Sequence[Any], feeds: Dict[Any, Any], session: Any, steps: int
    ) -> Dict[str, Any]:
        """Returns the tensors to fetch in a run that makes no step, by their keys.

        Args:
            fetches: the tensors that the run fetches.
            feeds: what it is fed, by tensor.
            session: computes the conditions that are not fed.
            steps: how many steps were made before.
        """
        return self._run(self._between.of(fetches, steps), feeds, session)

    def add_between(self, drawn: Dict[str, Any], steps: int) -> None:
        """Adds what a run drew after so many steps."""
        self._between.add(drawn)
        self.add(drawn, steps)

    def _run(self, entries: List[Any], feeds: Dict[Any, Any], session: Any) -> Dict[str, Any]:
        tensors = {}
        for operation, its_tensors in entries:
            will_run = is_run(operation, feeds, session)
            if will_run is None:
                self._left_out.update(k for k in its_tensors if between_steps.PLACE not in k)
            elif will_run:
                for key, (tensor, kind) in its_tensors.items():
                    # What is in a branch is not fetchable in general; this branch is run.
                    tensor.graph._unfetchable_ops.discard(tensor.op)
                    tensors[key] = tensor
                    self._kinds[key] = kind
        return tensors

    def add_step(self, drawn: Dict[str, Any], trace: Any, model: Any) -> None:
        """Adds what the next step drew, which is one of a model of the trace."""
        number, steps = trace.models.index(model), trace.step_count
        self._are_in_turn |= number < self._last
        self._last = number
        if not number:
            self._of_first.append(steps)
        self.add(drawn, steps)

    def add(
        self, drawn: Dict[str, Any], steps: int, kinds: Optional[Dict[str, str]] = None
    ) -> None:
        """Adds what one step drew.

        Args:
            drawn: by key.
            steps: how many were made before, of which some may have drawn nothing.
            kinds: the types of ops by key, where ``of`` has not found them.
        """
        self._kinds.update(kinds or {})
        for key, value in drawn.items():
            history = self._values.setdefault(key, [])
            history += [np.zeros([0] * value.ndim, value.dtype)] * (steps - len(history))
            history.append(value)
            self._count += value.size
        if self._count > _MOST_IN_ALL:
            self._left_out.update(self._values)
            self._values.clear()

    def _of(self, losses: Sequence[Any]) -> List[Any]:
        if self._count > _MOST_IN_ALL or not losses:
            return []
        if id(losses[0]) not in self._by_loss:
            self._kept.append(losses)
            self._by_loss[id(losses[0])] = _entries(_drawing(losses), {})
        return self._by_loss[id(losses[0])]

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays for the trace."""
        drawn_arrays = {}
        for key, values in self._values.items():
            if len({value.ndim for value in values}) == 1:
                drawn_arrays["random/" + key] = np.concatenate([value.ravel() for value in values])
                drawn_arrays["random_shape/" + key] = np.array([v.shape for v in values], np.int64)
        return drawn_arrays

    def meta(self) -> Dict[str, Any]:
        """Returns the entry for ``meta``."""
        kinds = {key: kind for key, kind in self._kinds.items() if key in self._values}
        about: Dict[str, Any] = {"kinds": kinds, "left_out": len(self._left_out)}
        if self._last or self._are_in_turn:
            about["of_first"] = self._of_first if self._are_in_turn else None
        return {"step_draws": about}


def _entries(
    operations: Sequence[Any], counts: Dict[Any, int], place: Optional[str] = None
) -> List[Any]:
    """Returns ops that draw, each with the tensors to fetch and their kinds, by key.

    Args:
        operations: the ops.
        counts: how many there were before; counts these.
        place: what the keys begin with, None for the replica.
    """
    entries = []
    for operation in operations:
        kind = str(operation.type)
        key = key_of(counts, _replica_of(operation) if place is None else place, kind)
        its_tensors = {key: (operation.outputs[0], kind)}
        if kind not in KINDS:
            its_tensors = samplers.tensors_of(operation, key)
        entries.append((operation, its_tensors))
    return entries


def key_of(counts: Dict[Any, int], replica: Any, kind: str) -> str:
    """Returns the key of an op that draws, and counts it: those of ``KINDS`` together."""
    place = replica if kind in KINDS else (replica, kind)
    counts[place] = counts.get(place, 0) + 1
    name = "" if kind in KINDS else kind + ":"
    return "%s/%s%d" % (replica, name, counts[place] - 1)


def _drawing(losses: Sequence[Any]) -> List[Any]:
    """Returns the ops that draw what losses depend on, in the order in which they were made."""
    kinds = {**KINDS, **samplers.SAMPLERS}
    needed = graph_variables.run_by([loss.op for loss in losses], control=False)
    return graph_variables.in_order([each for each in needed if each.type in kinds])


def is_run(operation: Any, feeds: Dict[Any, Any], session: Any) -> Optional[bool]:
    """Whether a step runs an op of a condition's branch; None where that is not known before."""
    context = operation._get_control_flow_context()
    while context is not None:
        branch = getattr(context, "branch", None)
        predicate = None if branch is None else _predicate(context.pred, feeds, session)
        if predicate is None:
            return None  # in a loop, or by what differs when it is computed again
        if predicate != bool(branch):
            return False
        context = context.outer_context
    return True


def _predicate(condition: Any, feeds: Dict[Any, Any], session: Any) -> Optional[bool]:
    """Returns the value of a condition; None where computing it twice may give two values."""
    from tensorflow.python.framework import tensor_util

    # Tensors compare by value in TensorFlow 2.
    feed_dict = {fed_values.fed_tensor(key): feeds[key] for key in feeds}
    fed = {id(tensor): value for tensor, value in feed_dict.items()}
    tensor = condition
    while id(tensor) not in fed:
        if tensor.op.type not in ("Identity", "Switch", "PlaceholderWithDefault"):
            value = tensor_util.constant_value(tensor)
            if value is None and _can_be_computed_again(tensor, fed):
                value = session.run(tensor, feed_dict)
            return None if value is None else bool(value)
        tensor = tensor.op.inputs[0]
    return bool(fed[id(tensor)])


def _can_be_computed_again(tensor: Any, fed: Dict[int, Any]) -> bool:
    """Whether a tensor depends on variables, constants and what is fed alone."""
    waiting, seen = [tensor], set()
    while waiting:
        each = waiting.pop()
        operation = each.op
        if id(each) in fed or id(operation) in seen:
            continue
        seen.add(id(operation))
        is_read = operation.type in _READS
        if not is_read and (operation.op_def.is_stateful or operation.type in _NEEDS_A_RUN):
            return False
        waiting += list(operation.inputs)
        waiting += [other.outputs[0] for other in operation.control_inputs if other.outputs]
    return True


def _replica_of(operation: Any) -> int:
    scope = graph_variables.SCOPE_OF_REPLICA.search(operation.name)
    return int(scope.group(1)) if scope else pinned_randomness.replica_of(operation)
