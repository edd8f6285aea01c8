"""The random numbers that training steps draw: the original's, which a Keras program draws too.

Generators of Keras 3 and functions of TensorFlow 2 draw other numbers than graphs of TensorFlow
1.x. So what the ops of the original's loss draw (masks of dropout, noise) is fetched in every step,
and the n-th draw of a replica of a program without sessions returns what the n-th of the original's
did.

* ``random/<replica>/<n>``: the numbers of all steps, one after another, and
  ``random_shape/<replica>/<n>`` [steps, dimensions].
* ``meta["step_draws"]``: ``kinds``, the type of op by ``<replica>/<n>``, and ``left_out``, how many
  are not recorded: those in a loop, or in a ``cond`` that depends on more than variables and
  what is fed, and large ones. Where several models are trained, ``of_first`` has the steps of the
  first one: another program may take turns otherwise. It is null where one model follows another,
  as in a cross-validation; the steps of all count then. ``draws/samplers.py`` has the keys of
  ops that draw by parameters.
* ``meta["native"]["draws"]``: which draws were ``given`` and which stayed ``free``.

Private name that is touched: ``Graph._unfetchable_ops``, which ops of branches are in.
"""

import functools
import importlib
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..native import created_variables, functions
from ..sessions import fed_values
from . import between_steps, pinned_randomness, samplers

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

    def _of(self, losses: Sequence[Any]) -> List[Any]:
        if self._count > _MOST_IN_ALL or not losses:
            return []
        if id(losses[0]) not in self._by_loss:
            self._kept.append(losses)
            self._by_loss[id(losses[0])] = _entries(_drawing(losses), {})
        return self._by_loss[id(losses[0])]

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
        key = _key_of(counts, _replica_of(operation) if place is None else place, kind)
        its_tensors = {key: (operation.outputs[0], kind)}
        if kind not in KINDS:
            its_tensors = samplers.tensors_of(operation, key)
        entries.append((operation, its_tensors))
    return entries


def _key_of(counts: Dict[Any, int], replica: Any, kind: str) -> str:
    """Returns the key of an op that draws, and counts it: those of ``KINDS`` together."""
    place = replica if kind in KINDS else (replica, kind)
    counts[place] = counts.get(place, 0) + 1
    name = "" if kind in KINDS else kind + ":"
    return "%s/%s%d" % (replica, name, counts[place] - 1)


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
    kinds = {**KINDS, **samplers.SAMPLERS}
    draws = [operation for operation in seen.values() if operation.type in kinds]
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
    scope = _TOWER.search(operation.name)
    return int(scope.group(1)) if scope else pinned_randomness.replica_of(operation)


def _replace(path: str, wrapped: Callable[[Any], Any]) -> None:
    """Replaces a function of ``tensorflow.python.ops`` that may not be in this version."""
    module_name, _, name = path.rpartition(".")
    module = importlib.import_module("tensorflow.python.ops." + module_name)
    if hasattr(module, name):
        setattr(module, name, wrapped(getattr(module, name)))


def _picked(pick: Callable[..., Any], drawn: Sequence[Any], others: Sequence[Any]) -> List[Any]:
    """Returns what a function picks in place of what was drawn: now, or when the graph is run.

    Args:
        pick: gets the values of all tensors, and returns one for each of ``drawn``.
        drawn: what was drawn.
        others: what else the choice depends on.
    """
    import numpy as np
    import tensorflow as tf

    if tf.executing_eagerly():
        values = [np.asarray(value) for value in [*drawn, *others]]
        return [tf.constant(value) for value in pick(*values)]
    with tf.device("".join(functions.here) + "/device:CPU:0"):
        types = [tensor.dtype for tensor in drawn]
        tensors = list(tf.numpy_function(pick, [*drawn, *others], types))
    for tensor, own in zip(tensors, drawn):
        tensor.set_shape(own.shape)
    return tensors


class GivenDraws:
    """Has a program without sessions draw the random numbers of the original's steps."""

    def __init__(
        self,
        trace: Any,
        place: Callable[[Any], Tuple[int, Any]],
        created: created_variables.Created,
    ) -> None:
        """Takes the trace, what returns the replica and graph of an op, and the variables."""
        self._trace, self._place, self._created = trace, place, created
        self._values: Dict[str, List[Any]] = {}  # by step
        self._kinds: Dict[str, str] = {}
        self._eager: Dict[Any, int] = {}  # how many draws there were since a tape opened
        self._is_open = False  # whether a GradientTape is, or was since the last step
        self._between: Dict[Any, int] = {}  # how many draws there were between steps
        self._has_between = False
        self.is_paused = False  # while the recorder itself draws, as from initializers
        self.functions = between_steps.Functions()
        self.of_original: Set[str] = set()
        self.free: Set[str] = set()
        self.unknown: Set[str] = set()  # ops with settings that none of the original's has

    def install(self, path: str, meta: Dict[str, Any]) -> None:
        """Reads the draws of the original and wraps what makes ops that draw."""
        import numpy as np
        from tensorflow.python.ops import gen_random_ops, gen_stateless_random_ops_v2

        about = meta.get("step_draws", {})
        self._kinds = about.get("kinds", {})
        self._count_all = about.get("of_first", ()) is None
        self._has_between = any(between_steps.PLACE in key for key in self._kinds)
        with np.load(path, allow_pickle=False) as stored:
            for key in self._kinds:
                if "random/" + key not in stored:
                    continue  # of batches that are not alike
                shapes = stored["random_shape/" + key]
                ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
                parts = np.split(stored["random/" + key], ends[:-1])
                values = [part.reshape(s) for part, s in zip(parts, shapes)]
                steps = about.get("of_first") or range(len(values))
                self._values[key] = [values[step] for step in steps if step < len(values)]
        for kind, names in KINDS.items():
            for module, name in zip((gen_random_ops, gen_stateless_random_ops_v2), names):
                setattr(module, name, self._drawing(getattr(module, name), kind))
        for kind, sampler in samplers.SAMPLERS.items():
            for path in sampler.functions:
                _replace(path, functools.partial(self._sampling, kind=kind))
        for path in samplers.FREE:
            _replace(path, functools.partial(self._noting_free, kind=path.rpartition(".")[2]))

    def _step(self) -> int:
        """Returns how many steps were made that the original's are counted with."""
        trace = self._trace
        return int(trace.step_count if self._count_all else len(trace.steps))

    def opened(self) -> None:
        """Called where a GradientTape opens outside of functions: the next step's draws follow."""
        if not self._is_open:
            self._eager.clear()
        self._is_open = True

    def step_made(self) -> None:
        """Called after each step."""
        self._is_open = False
        self._between.clear()

    def step_built(self) -> None:
        """Called behind a step that is made or built: a function may have further ones."""
        from tensorflow.python.framework import ops

        _, graph = self._place(ops.get_default_graph())
        graph._tfmigrate_draws = {}
        self.functions.note_tape()

    def _drawing(self, original: Callable[..., Any], kind: str) -> Any:
        @functools.wraps(original)
        def draw(*arguments: Any, **options: Any) -> Any:
            own = original(*arguments, **options)
            place = self._place_of(kind)
            return own if place is None else self._drawn(place, kind, own)

        return draw

    def _sampling(self, original: Callable[..., Any], kind: str) -> Any:
        @functools.wraps(original)
        def sample(*arguments: Any, **options: Any) -> Any:
            own = original(*arguments, **options)
            place = self._place_of(kind)
            if place is None:
                return own
            call = samplers.Call(kind, original, arguments, options)
            if call.kind not in self._kinds.values():
                self.unknown.add(call.kind)
            return self._sampled(place, call, own)

        return sample

    def _noting_free(self, original: Callable[..., Any], kind: str) -> Any:
        @functools.wraps(original)
        def draw(*arguments: Any, **options: Any) -> Any:
            place = self._place_of(kind)
            if place is not None and place[0]:
                self.free.add(place[0])
            return original(*arguments, **options)

        return draw

    def _place_of(self, kind: str) -> Optional[Tuple[str, List[Any]]]:
        """Returns the key of a draw of a step, "" outside of one, and the functions that it is in.

        None where the original cannot have drawn it.
        """
        import tensorflow as tf
        from tensorflow.python.framework import ops

        if self.is_paused or functions.in_session_graph() or self._created.is_making:
            return None
        replica, graph = self._place(ops.get_default_graph())
        if tf.executing_eagerly():
            if not self._is_open:
                return ("", []) if self._has_between else None
            counts = self._eager
        else:
            if str(getattr(graph, "name", "")).startswith("Dataset_"):
                return None
            if not hasattr(graph, "_tfmigrate_draws"):
                graph._tfmigrate_draws = {}
            counts = graph._tfmigrate_draws
        return _key_of(counts, replica, kind), between_steps.graphs_now()

    def _key(self, place: Tuple[str, List[Any]], kind: str) -> str:
        """Returns the key of a draw when it is made: between steps it counts since the last."""
        key, graphs = place
        if not self._has_between or self._is_open or self.functions.train(graphs):
            return key
        return _key_of(self._between, between_steps.PLACE, kind)

    def _note(self, key: str, is_given: bool) -> None:
        if is_given or between_steps.PLACE not in key:  # that may be for the program's log only
            (self.of_original if is_given else self.free).add(key)

    def _sampled(self, place: Tuple[str, List[Any]], call: samplers.Call, own: Any) -> Any:
        """Returns what the original's op drew, in the form in which the function returns it."""
        import numpy as np

        outputs = list(own) if isinstance(own, tuple) else [own]

        def of_step(name: str, kind: str) -> Any:
            step, values = self._step(), self._values.get(name, [])
            is_known = step < len(values) and self._kinds[name] == kind
            return values[step] if is_known else None

        def pick(*values: Any) -> Any:
            drawn = [np.asarray(value) for value in values[: len(outputs)]]
            key = self._key(place, call.kind.partition("[")[0])
            original = call.picked(key, drawn, list(values[len(outputs) :]), of_step)
            self._note(key, original is not None)
            return drawn if original is None else original

        picked = _picked(pick, outputs, call.inputs)
        return type(own)(*picked) if isinstance(own, tuple) else picked[0]

    def _drawn(self, place: Tuple[str, List[Any]], kind: str, own: Any) -> Any:
        import numpy as np

        def pick(drawn: Any) -> List[Any]:
            step = self._step()
            form = kind, drawn.shape, drawn.dtype
            key = self._key(place, kind)
            # A function that is built without a branch has fewer draws than the graph.
            for each in (key, self._made_in(step, key)):
                values = self._values.get(each, [])
                value = values[step] if step < len(values) else np.zeros(0)
                if (self._kinds.get(each), value.shape, value.dtype) == form:
                    self._note(key, is_given=True)
                    return [value]
            self._note(key, is_given=False)
            return [drawn]

        return _picked(pick, [own], [])[0]

    def _made_in(self, step: int, key: str) -> str:
        """Returns the original's key of the n-th draw that it made in a step; "" for none."""
        replica, number = key.split("/")
        if ":" in key:
            return ""
        draw_numbers = sorted(
            int(each.split("/")[1])
            for each, values in self._values.items()
            if ":" not in each
            and each.split("/")[0] == replica
            and step < len(values)
            and values[step].size
        )
        return (
            "%s/%d" % (replica, draw_numbers[int(number)])
            if int(number) < len(draw_numbers)
            else ""
        )

    def meta(self) -> Dict[str, Any]:
        """Returns which draws were given, which were not, and settings the original lacks."""
        draws = {"given": sorted(self.of_original), "free": sorted(self.free)}
        types = {kind.partition("[")[0] for kind in self._kinds.values() if "[" in kind}
        unknown = sorted(kind for kind in self.unknown if kind.partition("[")[0] in types)
        return {**draws, "unknown": unknown} if unknown else draws
