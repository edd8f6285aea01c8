"""Has a program without sessions draw the random numbers of the original's steps.

A draw of a replica returns what its partner of the original's did (``draws/partners.py``).

* ``meta["native"]["draws"]``: which draws were ``given`` and which stayed ``free``.
"""

import functools
import importlib
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from ..native import created_variables, functions
from ..program import wrapping
from . import between_steps, partners, samplers
from .of_steps import KINDS, key_of


class _Place(NamedTuple):
    """Where a draw is made.

    Attributes:
        key: of a draw of a step, "" outside of one.
        graphs: the functions that it is in.
        forms: of the replica's draws so far, in the same function or since a tape opened.
    """

    key: str
    graphs: List[Any]
    forms: List[partners.Form]


class _Draws:
    """What a function draws, or an eager step."""

    def __init__(self) -> None:
        self.counts: Dict[Any, int] = {}
        self.forms: Dict[Any, List[partners.Form]] = {}  # by replica


def _replace(path: str, by: Callable[..., Any]) -> None:
    """Replaces a function of ``tensorflow.python.ops`` that may not be in this version."""
    module_name, _, name = path.rpartition(".")
    module = importlib.import_module("tensorflow.python.ops." + module_name)
    if hasattr(module, name):
        wrapping.wrap(module, name, by)


def _picked(pick: Callable[..., Any], drawn: Sequence[Any], others: Sequence[Any]) -> List[Any]:
    """Returns what a function picks in place of what was drawn: now, or when the graph is run.

    Args:
        pick: gets the values of all tensors, and returns one for each of ``drawn``.
        drawn: what was drawn.
        others: what else the choice depends on.
    """
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
        self._eager = _Draws()  # since a tape opened
        self._theirs: Tuple[int, Dict[str, List[str]]] = (-1, {})  # keys of a step, by replica
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
                wrapping.wrap(module, name, functools.partial(self._drawing, kind))
        for kind, sampler in samplers.SAMPLERS.items():
            for path in sampler.functions:
                _replace(path, functools.partial(self._sampling, kind))
        for path in samplers.FREE:
            _replace(path, functools.partial(self._noting_free, path.rpartition(".")[2]))

    def _step(self) -> int:
        """Returns how many steps were made that the original's are counted with."""
        trace = self._trace
        return int(trace.step_count if self._count_all else len(trace.steps))

    def opened(self) -> None:
        """Called where a GradientTape opens outside of functions: the next step's draws follow."""
        if not self._is_open:
            self._eager = _Draws()
        self._is_open = True

    def step_made(self) -> None:
        """Called after each step."""
        self._is_open = False
        self._between.clear()

    def step_built(self) -> None:
        """Called behind a step that is made or built: a function may have further ones."""
        from tensorflow.python.framework import ops

        _, graph = self._place(ops.get_default_graph())
        graph._tfmigrate_draws = _Draws()
        self.functions.note_tape()

    def _drawing(self, kind: str, original: Any, *arguments: Any, **options: Any) -> Any:
        own = original(*arguments, **options)
        place = self._place_of(kind)
        return own if place is None else self._drawn(place, kind, own)

    def _sampling(self, kind: str, original: Any, *arguments: Any, **options: Any) -> Any:
        own = original(*arguments, **options)
        place = self._place_of(kind)
        if place is None:
            return own
        call = samplers.Call(kind, original, arguments, options)
        if call.kind not in self._kinds.values():
            self.unknown.add(call.kind)
        return self._sampled(place, call, own)

    def _noting_free(self, kind: str, original: Any, *arguments: Any, **options: Any) -> Any:
        place = self._place_of(kind)
        if place is not None and place.key:
            self.free.add(place.key)
        return original(*arguments, **options)

    def _place_of(self, kind: str) -> Optional[_Place]:
        """Returns where a draw is made, None where the original cannot have made it."""
        import tensorflow as tf
        from tensorflow.python.framework import ops

        if self.is_paused or functions.in_session_graph() or self._created.is_making:
            return None
        replica, graph = self._place(ops.get_default_graph())
        if tf.executing_eagerly():
            if not self._is_open:
                return _Place("", [], []) if self._has_between else None
            draws = self._eager
        else:
            if str(getattr(graph, "name", "")).startswith("Dataset_"):
                return None
            if not hasattr(graph, "_tfmigrate_draws"):
                graph._tfmigrate_draws = _Draws()
            draws = graph._tfmigrate_draws
        key, forms = key_of(draws.counts, replica, kind), draws.forms.setdefault(replica, [])
        return _Place(key, between_steps.graphs_now(), forms)

    def _key(self, place: _Place, kind: str) -> str:
        """Returns the key of a draw when it is made: between steps it counts since the last."""
        if not self._has_between or self._is_open or self.functions.train(place.graphs):
            return place.key
        return key_of(self._between, between_steps.PLACE, kind)

    def _note(self, key: str, is_given: bool) -> None:
        if is_given or between_steps.PLACE not in key:  # that may be for the program's log only
            (self.of_original if is_given else self.free).add(key)

    def _sampled(self, place: _Place, call: samplers.Call, own: Any) -> Any:
        """Returns what the original's op drew, in the form in which the function returns it."""
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

    def _drawn(self, place: _Place, kind: str, own: Any) -> Any:
        shape = None if own.shape.rank is None else tuple(own.shape.as_list())
        place.forms.append((kind, shape, own.dtype.name))
        index = len(place.forms) - 1

        def pick(drawn: Any) -> List[Any]:
            step = self._step()
            form = kind, drawn.shape, drawn.dtype.name
            key = self._key(place, kind)
            partner = key
            if between_steps.PLACE not in key:
                keys = self._keys_of(step, key.split("/")[0])
                theirs = [self._form_of(each, step) for each in keys]
                number = partners.partner(index, place.forms, form, theirs)
                partner = "" if number is None else keys[number]
            is_given = self._form_of(partner, step) == form
            self._note(key, is_given)
            return [self._values[partner][step] if is_given else drawn]

        return _picked(pick, [own], [])[0]

    def _form_of(self, key: str, step: int) -> Optional[partners.Form]:
        values = self._values.get(key, [])
        if step >= len(values):
            return None
        return self._kinds[key], values[step].shape, values[step].dtype.name

    def _keys_of(self, step: int, replica: str) -> List[str]:
        """Returns the keys of what the original drew in a step, in its order."""
        if self._theirs[0] != step:
            self._theirs = step, {}
        by_replica = self._theirs[1]
        if replica not in by_replica:
            numbers = [
                int(each.split("/")[1])
                for each, values in self._values.items()
                if ":" not in each
                and each.split("/")[0] == replica
                and step < len(values)
                and values[step].size  # it ran no branch that has the others
            ]
            by_replica[replica] = ["%s/%d" % (replica, number) for number in sorted(numbers)]
        return by_replica[replica]

    def meta(self) -> Dict[str, Any]:
        """Returns which draws were given, which were not, and settings the original lacks."""
        draws = {"given": sorted(self.of_original), "free": sorted(self.free)}
        types = {kind.partition("[")[0] for kind in self._kinds.values() if "[" in kind}
        unknown = sorted(kind for kind in self.unknown if kind.partition("[")[0] in types)
        return {**draws, "unknown": unknown} if unknown else draws
