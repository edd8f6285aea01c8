"""Limits of a graph that no step of it reaches: of clips and floors, and boundaries of schedules.

Two programs train the same whatever such a limit is. Where both have graphs, their constants are
compared (``graph_differences.py``); where the migrated program has none, a gradient that is clipped
at 15 in place of 1.5 is seen only if its norm is above one of them in a step that was made.

``meta["limits"]`` is ``{"unreached": [text, ...]}``: the function, its number and the line of the
program, as ``LessEqual 30000 at train.py:12``. Looked at are ``Minimum``, ``Maximum`` and
``ClipByValue`` with a side that is always the same, scalars that are compared to such, and those
that are rounded down, as in a staircase. Ops that functions of TensorFlow make are left out,
but for clips and decays: what normalizes has floors that nobody wrote.
"""

import os
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import fed_values, graph_variables
from . import operations as graph_operations
from .graph_training import GraphTraining

_CLIPS = ("Minimum", "Maximum", "ClipByValue")
_CONDITIONS = ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual")
_STAIRS = ("Floor", "FloorDiv")
_FUNCTIONS = re.compile(r"(?:^|/)(clip_by_\w+?|PiecewiseConstant|\w+Decay)(?:_\d+)?(?=/|$)")
# Of these the fixed side is what changes nothing: l2_norm / max(l2_norm, clip_norm) scales.
_BY_NORM = ("clip_by_norm", "clip_by_global_norm", "clip_by_average_norm")
# Files between the line of the program and the op.
_PASSED = {
    "clip_ops", "deprecation", "dispatch", "func_graph", "gen_math_ops", "learning_rate_decay",
    "learning_rate_schedule", "legacy_learning_rate_decay", "math_ops", "op_def_library", "ops",
    "override_binary_operator", "ref_variable", "resource_variable_ops",
    "tensor_math_operator_overrides", "traceback_utils", "variables", "weak_tensor_ops",
}  # fmt: skip
_MOST_ELEMENTS = 1 << 20  # of all that is fetched in a run
_MOST_OPERATIONS = 64  # that compute what is always the same


class _Limit(NamedTuple):
    """An op with a limit.

    Attributes:
        kind: its type.
        function: that of TensorFlow which makes it, such as ``clip_by_global_norm``; else the type.
        place: the file and the line of the program.
        tensors: what is fetched: the result, and what is always the same.
    """

    kind: str
    function: str
    place: str
    tensors: Tuple[Any, ...]


class ReachedLimits:
    """Looks, in each step, which limits take effect."""

    def __init__(self) -> None:
        self._by_run: Dict[Tuple[int, ...], Tuple[List[_Limit], Sequence[Any]]] = {}
        self._first: Dict[int, Any] = {}  # results of the first step, by the id of their tensor
        self._is_reached: Dict[str, bool] = {}

    def run(
        self,
        training: GraphTraining,
        targets: Sequence[Any],
        feeds: Optional[Dict[Any, Any]],
        wanted: List[Any],
        run: Callable[[List[Any]], List[Any]],
    ) -> List[Any]:
        """Makes a run of a session; returns what is wanted of it.

        Args:
            training: of the graph.
            targets: ops that are run.
            feeds: what is fed.
            wanted: tensors that are fetched.
            run: makes it, given what to fetch.
        """
        # What is fed cannot be fetched.
        fed = {id(fed_values.fed_tensor(tensor)) for tensor in feeds or ()}
        limits = [
            limit
            for limit in self._of(training, [*targets, *wanted])
            if not any(id(tensor) in fed for tensor in limit.tensors)
        ]
        values = run([*wanted, *(tensor for limit in limits for tensor in limit.tensors)])
        position = len(wanted)
        for limit in limits:
            count = len(limit.tensors)
            self._note(limit, values[position : position + count])
            position += count
        return values[: len(wanted)]

    def arrays(self) -> Dict[str, Any]:
        """Returns no arrays."""
        return {}

    def meta(self) -> Dict[str, Any]:
        """Returns the entry for ``meta``."""
        unreached = [text for text, is_reached in self._is_reached.items() if not is_reached]
        return {"limits": {"unreached": unreached}} if unreached else {}

    def _of(self, training: GraphTraining, items: Sequence[Any]) -> List[_Limit]:
        starts = [getattr(item, "op", item) for item in items]
        key = tuple(sorted(id(start) for start in starts))
        if key not in self._by_run:
            is_step = training.is_step(starts)
            # Keeps what is run, so that its ids are not given again.
            self._by_run[key] = (_limits(starts) if is_step else []), starts
        return self._by_run[key][0]

    def _note(self, limit: _Limit, values: Sequence[Any]) -> None:
        result, *fixed = values
        is_by_norm = limit.function in _BY_NORM
        number = _shown(fixed[0]) if len(fixed) == 1 and not is_by_norm else ""
        text = "%s%s at %s" % (limit.function, number, limit.place)
        if limit.kind not in _CLIPS:
            is_reached = bool(result != self._first.setdefault(id(limit.tensors[0]), result))
        elif is_by_norm:
            is_reached = bool((result != fixed[0]).any())
        else:
            is_reached = any(bool((result == each).any()) for each in fixed)
        self._is_reached[text] = is_reached or self._is_reached.get(text, False)


def _limits(starts: Sequence[Any]) -> List[_Limit]:
    """Returns the limits of what is run, of which a run fetches not too much."""
    limits, count = [], 0
    for operation in graph_variables.in_order(list(graph_variables.run_by(starts))):
        tensors = _tensors(operation)
        # What a branch or a loop computes cannot be fetched.
        if not tensors or operation._get_control_flow_context() is not None:
            continue
        elements = [tensor.shape.num_elements() for tensor in tensors]
        function, place = _origin(operation)
        if place and None not in elements and count + sum(elements) <= _MOST_ELEMENTS:
            count += sum(elements)
            limits.append(_Limit(operation.type, function, place, tensors))
    return limits


def _tensors(operation: Any) -> Tuple[Any, ...]:
    """Returns what shows whether a limit takes effect; () of other ops."""
    if operation.type not in (*_CLIPS, *_CONDITIONS, *_STAIRS):
        return ()
    result, inputs = operation.outputs[0], list(operation.inputs)
    fixed = [tensor for tensor in inputs if _is_fixed(tensor.op)]
    if operation.type not in _CLIPS and result.shape.ndims != 0:
        return ()
    if operation.type in _STAIRS:
        return (result,) if len(fixed) < len(inputs) else ()
    return (result, *fixed) if len(fixed) == len(inputs) - 1 else ()


def _is_fixed(operation: Any) -> bool:
    """Returns whether an op gives the same in each run."""
    for count, each in enumerate(graph_variables.run_by([operation], control=False)):
        is_given = each.type.startswith(("Placeholder", "Switch", "RefSwitch", "Merge", "Enter"))
        if is_given or each.op_def.is_stateful or count >= _MOST_OPERATIONS:
            return False
    return True


def _origin(operation: Any) -> Tuple[str, str]:
    """Returns the function that makes an op, and the line of the program; ("", "") of others."""
    function = operation.type
    for path, line in graph_operations.frames_of(operation):
        if graph_operations.is_of_program(path):
            return function, "%s:%d" % (os.path.basename(path), line)
        if os.path.splitext(os.path.basename(path))[0] not in _PASSED:
            break
        scopes = _FUNCTIONS.findall(operation.name)
        function = scopes[-1] if scopes else function
    return "", ""


def _shown(value: Any) -> str:
    """Returns a number as text; "" of what is none: a program may compare with a string."""
    is_number = np.ndim(value) == 0 and np.asarray(value).dtype.kind in "fiu"
    return " %g" % value if is_number else ""
