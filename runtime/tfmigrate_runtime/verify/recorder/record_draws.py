"""The random numbers that training steps draw: the original's, which a Keras program draws too.

Part of ``record.py``. Generators of Keras 3 and functions of TensorFlow 2 draw other numbers than
graphs of TensorFlow 1.x. So what the ops of the original's loss draw (masks of dropout, noise) is
fetched in every step, and the n-th draw of a replica of a program without sessions returns what the
n-th of the original's did.

* ``random/<replica>/<n>``: the numbers of all steps, one after another, and
  ``random_shape/<replica>/<n>`` [steps, dimensions].
* ``meta["step_draws"]``: ``kinds``, the type of op by ``<replica>/<n>``, and ``left_out``, how many
  are not recorded: those in a loop, or in a ``cond`` that depends on more than variables and
  what is fed, and large ones.
* ``meta["native"]["draws"]``: which draws were ``given`` and which stayed ``free``.

Private name that is touched: ``Graph._unfetchable_ops``, which ops of branches are in.
"""

import functools
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from . import record_created, record_fed, record_functions, record_random

# Types of ops, and where the functions are that make them.
KINDS = {
    "RandomUniform": ("random_uniform", "stateless_random_uniform_v2"),
    "RandomStandardNormal": ("random_standard_normal", "stateless_random_normal_v2"),
    "TruncatedNormal": ("truncated_normal", "stateless_truncated_normal_v2"),
}
_READS = ("VarHandleOp", "ReadVariableOp", "VariableV2", "Variable")
_NEEDS_A_RUN = ("Placeholder", "Merge", "Enter", "Exit")
_TOWER = re.compile(r"(?:^|/)(?:tower|replica)_(\d+)(?:/|$)")
_MOST_IN_ALL = 1 << 22  # numbers


class StepDraws:
    """Records what the steps of the first model draw."""

    def __init__(self) -> None:
        self._found: Dict[int, Dict[str, Any]] = {}  # tensors by their keys, by the loss
        self._kept: List[Any] = []  # keeps ids from being given again
        self._values: Dict[str, List[Any]] = {}
        self._kinds: Dict[str, str] = {}
        self._left_out: Set[str] = set()
        self._count = 0

    def of(self, losses: Sequence[Any], feeds: Dict[Any, Any], session: Any) -> Dict[str, Any]:
        """Returns the tensors to fetch in a step with these losses, by their keys.

        Args:
            losses: of the step.
            feeds: what the step is fed, by tensor: it decides on the branches of conditions.
            session: computes the conditions that are not fed.
        """
        tensors = {}
        for key, tensor in self._of(losses).items():
            runs = is_run(tensor.op, feeds, session)
            if runs is None:
                self._left_out.add(key)
            elif runs:
                # What is in a branch is not fetchable in general; this branch is run.
                tensor.graph._unfetchable_ops.discard(tensor.op)
                tensors[key] = tensor
                self._kinds[key] = str(tensor.op.type)
        return tensors

    def add(
        self, drawn: Dict[str, Any], steps: int, kinds: Optional[Dict[str, str]] = None
    ) -> None:
        """Adds what one step drew.

        Args:
            drawn: by key.
            steps: how many were made before, of which some may have drawn nothing.
            kinds: the types of ops by key, where ``of`` has not found them.
        """
        import numpy as np

        self._kinds.update(kinds or {})
        for key, value in drawn.items():
            history = self._values.setdefault(key, [])
            history += [np.zeros([0] * value.ndim, value.dtype)] * (steps - len(history))
            history.append(value)
            self._count += value.size
        if self._count > _MOST_IN_ALL:
            self._left_out.update(self._values)
            self._values.clear()

    def _of(self, losses: Sequence[Any]) -> Dict[str, Any]:
        if self._count > _MOST_IN_ALL or not losses:
            return {}
        if id(losses[0]) not in self._found:
            self._kept.append(losses)
            self._found[id(losses[0])] = self._tensors(losses)
        return self._found[id(losses[0])]

    def _tensors(self, losses: Sequence[Any]) -> Dict[str, Any]:
        counts: Dict[int, int] = {}
        tensors = {}
        for operation in _drawing(losses):
            replica = _replica_of(operation)
            key = "%d/%d" % (replica, counts.setdefault(replica, 0))
            counts[replica] += 1
            tensors[key] = operation.outputs[0]
        return tensors

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays for the trace."""
        import numpy as np

        drawn_arrays = {}
        for key, values in self._values.items():
            if len({value.ndim for value in values}) == 1:
                drawn_arrays["random/" + key] = np.concatenate([value.ravel() for value in values])
                drawn_arrays["random_shape/" + key] = np.array([v.shape for v in values], np.int64)
        return drawn_arrays

    def meta(self) -> Dict[str, Any]:
        """Returns the entry for ``meta``."""
        kinds = {key: kind for key, kind in self._kinds.items() if key in self._values}
        return {"step_draws": {"kinds": kinds, "left_out": len(self._left_out)}}


def _drawing(losses: Sequence[Any]) -> List[Any]:
    """Returns the ops that draw what losses depend on, in the order in which they were made."""
    waiting = [loss.op for loss in losses]
    seen: Dict[int, Any] = {}
    while waiting:
        operation = waiting.pop()
        if id(operation) in seen:
            continue
        seen[id(operation)] = operation
        waiting += [tensor.op for tensor in operation.inputs]
    draws = [operation for operation in seen.values() if operation.type in KINDS]
    order: Dict[int, int] = {id(op): i for i, op in enumerate(losses[0].graph.get_operations())}
    return sorted(draws, key=lambda operation: order[id(operation)])


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
    feed_dict = {record_fed.fed_tensor(key): feeds[key] for key in feeds}
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
    scope = _TOWER.search(operation.name)
    return int(scope.group(1)) if scope else record_random.replica_of(operation)


class GivenDraws:
    """Has a program without sessions draw the random numbers of the original's steps."""

    def __init__(
        self, trace: Any, place: Callable[[Any], Tuple[int, Any]], created: record_created.Created
    ) -> None:
        """Takes the trace, what returns the replica and graph of an op, and the variables."""
        self._trace = trace
        self._place = place
        self._created = created
        self._values: Dict[str, List[Any]] = {}  # by step
        self._kinds: Dict[str, str] = {}
        self._eager: Dict[int, int] = {}  # how many draws there were since a tape opened
        self._is_open = False  # whether a GradientTape is, or was since the last step
        self.given: Set[str] = set()
        self.free: Set[str] = set()

    def install(self, path: str, meta: Dict[str, Any]) -> None:
        """Reads the draws of the original and wraps what makes ops that draw."""
        import numpy as np
        from tensorflow.python.ops import gen_random_ops, gen_stateless_random_ops_v2

        self._kinds = meta.get("step_draws", {}).get("kinds", {})
        with np.load(path, allow_pickle=False) as stored:
            for key in self._kinds:
                if "random/" + key not in stored:
                    continue  # of batches that are not alike
                shapes = stored["random_shape/" + key]
                ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
                parts = np.split(stored["random/" + key], ends[:-1])
                self._values[key] = [part.reshape(s) for part, s in zip(parts, shapes)]
        for kind, names in KINDS.items():
            for module, name in zip((gen_random_ops, gen_stateless_random_ops_v2), names):
                setattr(module, name, self._drawing(getattr(module, name), kind))

    def opened(self) -> None:
        """Called where a GradientTape opens outside of functions: the next step's draws follow."""
        if not self._is_open:
            self._eager.clear()
        self._is_open = True

    def step_made(self) -> None:
        """Called after each step."""
        self._is_open = False

    def _drawing(self, original: Callable[..., Any], kind: str) -> Any:
        @functools.wraps(original)
        def draw(*arguments: Any, **options: Any) -> Any:
            own = original(*arguments, **options)
            if record_functions.in_session_graph() or self._created.is_making:
                return own
            key = self._key()
            return own if key is None else self._drawn(key, kind, own)

        return draw

    def _key(self) -> Any:
        """Returns the replica and number of a draw; None where no step is being made."""
        import tensorflow as tf
        from tensorflow.python.framework import ops

        replica, graph = self._place(ops.get_default_graph())
        if tf.executing_eagerly():
            if not self._is_open:
                return None
            counts = self._eager
        else:
            if str(getattr(graph, "name", "")).startswith("Dataset_"):
                return None
            if not hasattr(graph, "_tfmigrate_draws"):
                graph._tfmigrate_draws = {}
            counts = graph._tfmigrate_draws
        counts[replica] = counts.get(replica, 0) + 1
        return "%d/%d" % (replica, counts[replica] - 1)

    def _drawn(self, key: str, kind: str, own: Any) -> Any:
        import numpy as np
        import tensorflow as tf

        def pick(drawn: Any) -> Any:
            step = len(self._trace.steps)
            form = kind, drawn.shape, drawn.dtype
            # A function that is built without a branch has fewer draws than the graph.
            for each in (key, self._made_in(step, key)):
                values = self._values.get(each, [])
                value = values[step] if step < len(values) else np.zeros(0)
                if (self._kinds.get(each), value.shape, value.dtype) == form:
                    self.given.add(key)
                    return value
            self.free.add(key)
            return drawn

        if tf.executing_eagerly():
            return tf.constant(pick(own.numpy()))
        with tf.device("".join(record_functions.here) + "/device:CPU:0"):
            value = tf.numpy_function(pick, [own], own.dtype)
        value.set_shape(own.shape)
        return value

    def _made_in(self, step: int, key: str) -> str:
        """Returns the original's key of the n-th draw that it made in a step; "" for none."""
        replica, number = key.split("/")
        draw_numbers = sorted(
            int(each.split("/")[1])
            for each, values in self._values.items()
            if each.split("/")[0] == replica and step < len(values) and values[step].size
        )
        return (
            "%s/%d" % (replica, draw_numbers[int(number)])
            if int(number) < len(draw_numbers)
            else ""
        )

    def meta(self) -> Dict[str, Any]:
        """Returns which draws were given and which were not."""
        return {"given": sorted(self.given), "free": sorted(self.free)}
