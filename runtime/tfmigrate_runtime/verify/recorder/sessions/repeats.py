"""Makes single steps again from states moved by rounding, in the run that measures it (lock-step).

Each further run from moved states shows one more sample of what rounding does; a program in which
it decides for single units needed seven of them, nine runs in all. A step that is made again, from
its own state and with the same batch and random numbers, shows the same.

What a step draws and takes from its input is fetched while it is made, and fed when it is made
again. So it can be repeated where everything else that updates variables only computes, reads
variables, or writes those that are read and given back: no queue is filled, no function of the
graph draws. What is run with it and updates none of them, as a metric or the next batch of a
staging area, is left out. The first repetition is from the state as it was; where it is not what
the program itself computed, the step is not repeated.

Of a cluster whose workers take turns, a worker makes its steps again while it has its turn.

* ``again/row`` int64[R]: which of the recorded states the repeated steps led to.
* ``again/<n>/variable/<name>`` [R, ...], ``again/<n>/loss`` float64[R]: what moving the state
  changes in the update, and in the loss, of each, for the n-th of the ``units`` that ``--follow``
  asks for in ``meta["again"]``.
* ``meta["again"]``: ``same``, whether the first repetition gave equal bits in all steps, and
  ``refused``, by row why the step could not be repeated.

Private names that are touched: ``Graph._unfetchable_ops`` and ``_unfeedable_tensors``, which what
is in a branch is in.
"""

import zlib
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from ..draws import of_steps
from . import fed_values, graph_variables

# Types of ops whose values differ from run to run: these are fed.
_SOURCES = (
    *("IteratorGetNext", "MultiDeviceIteratorGetNextFromShard", "QueueDequeue", "ReaderRead"),
    *("PyFunc", "EagerPyFunc", "Unstage"),
)
# Others that are called stateful, but change nothing that outlasts a run.
_HARMLESS = (
    *("Variable", "VarHandleOp", "ReadVariableOp", "VarIsInitializedOp", "VariableShape"),
    *("ResourceGather", "IsVariableInitialized", "TemporaryVariable", "DestroyTemporaryVariable"),
    *("TensorArray", "Stack", "Assert", "Print", "CheckNumerics"),
    *graph_variables.WRITES,
)
_CLOSE = 1e-2  # of an update; another batch or mask changes most of it


class Repeats:
    """The steps of one model that are made again."""

    def __init__(self, plan: Dict[str, Any]) -> None:
        """Takes the entry of ``meta["again"]``: ``rows``, ``units`` and ``counters``."""
        self._wanted = set(plan["rows"])
        self._units: List[float] = plan["units"]
        self._counters = set(plan["counters"])  # variables that are not moved
        self.is_running = False
        self._is_step = False
        self._watched: Any = None  # the step that was made last
        self._rows: List[int] = []
        self._changes: Dict[str, List[Any]] = {}
        self._same = True
        self._refused: Dict[str, str] = {}

    def observe(self, model: Any, session: Any, wanted: Any, run: Callable[..., Any]) -> Any:
        """Makes a step so that it can be made again; returns what it fetches.

        Args:
            model: the Model that it trains.
            session: which makes it.
            wanted: the ops that it runs, the tensors that it fetches, and what it is fed.
            run: makes it, and returns the values of the tensors that it is passed.
        """
        targets, fetches, feeds = wanted
        self._watched = None
        step = self._step(model, session, [*targets, *fetches], dict(feeds or {}))
        if step is None:
            return run(fetches)
        results, values = graph_variables.run_with(run, fetches, step.sources)
        step.drawn = [values[id(source)] for source in step.sources]
        self._watched = step
        return results

    def _step(
        self, model: Any, session: Any, starts: Sequence[Any], feeds: Dict[Any, Any]
    ) -> Optional["_Step"]:
        """Returns the step that is next, None where it is not to be made again, or cannot be."""
        row = len(model.variable_steps)
        if row not in self._wanted:
            return None
        held = graph_variables.holders_of(model.variables)
        losses = {id(each) for each in model.loss_tensors}
        needed, sources = [], {}
        for start in starts:
            own, reason = _sources(start, feeds, held, session)
            if not reason:
                needed.append(start)
                sources.update({id(each): each for each in own})
            elif id(start) in losses or _updates(start, held):
                self._refused[str(row)] = reason
                return None
        before = graph_variables.read(session, model.variables)
        return _Step(session, needed, feeds, list(sources.values()), before)

    def make(self, model: Any) -> None:
        """Makes the step again whose state has just been read; leaves that state."""
        step, self._watched = self._watched, None
        if step is None:
            return
        row = len(model.variable_steps) - 1
        losses = [each for each in model.loss_tensors if any(each is one for one in step.starts)]
        self.is_running = True
        try:
            plain = self._made(step, model, step.before, losses)
            if not self._is_as(plain[0], step.before, model):
                self._refused[str(row)] = "it is not the same when it is made again"
                return
            for number, units in enumerate(self._units):
                moved = self._moved(model, step.before, number, units, row)
                again = self._made(step, model, moved, losses)
                self._add(number, (step.before, moved), (plain, again))
            self._rows.append(row)
        except Exception as error:  # whatever it is, the program itself has not failed
            self._refused[str(row)] = "%s: %s" % (type(error).__name__, error)
        finally:
            model.follow.restore(step.session, model.variables, model.held)
            self.is_running = False

    def takes_step(self) -> bool:
        """Returns whether a run makes a step; those after it read and write variables again."""
        is_step, self._is_step = self._is_step, False
        return is_step

    def _made(self, step: "_Step", model: Any, state: Dict[str, Any], losses: List[Any]) -> Any:
        """Makes a step from a state; returns the state that follows, and the loss."""
        model.follow.restore(step.session, model.variables, state)
        self._is_step = True
        fetched = step.run(losses)
        loss = float(np.mean([np.mean(each) for each in fetched])) if fetched else float("nan")
        return graph_variables.read(step.session, model.variables), loss

    def _is_as(self, plain: Dict[str, Any], before: Dict[str, Any], model: Any) -> bool:
        """Whether most trained variables were updated as the program did."""
        apart = []
        for entry in model.variables:
            held, again = model.held[entry.name], plain[entry.name]
            self._same = self._same and held.tobytes() == again.tobytes()
            if entry.trainable and held.dtype.kind == "f" and held.shape == again.shape:
                size = float(np.abs(held - before[entry.name]).max(initial=0.0))
                distance = float(np.abs(held - again).max(initial=0.0))
                apart.append(distance / size if size else float(distance > 0))
        return not apart or float(np.median(apart)) <= _CLOSE

    def _moved(
        self, model: Any, state: Dict[str, Any], number: int, units: float, row: int
    ) -> Dict[str, Any]:
        """Returns a state each of whose numbers is moved by at most these units."""
        moved = dict(state)
        fixed = self._counters.union(model.follow.about["free"])
        for entry in model.variables:
            value = state[entry.name]
            if value.dtype.kind != "f" or entry.name in fixed:
                continue
            # As in noise.py: decisions come from what is trained.
            if units > 1.0 and not entry.trainable:
                continue
            key = zlib.crc32(("%s %d %d" % (entry.name, number, row)).encode()) & 0xFFFFFFFF
            share = units * float(np.finfo(value.dtype).eps)
            change = np.random.RandomState(key).uniform(-share, share, value.shape)
            moved[entry.name] = (value * (1 + change)).astype(value.dtype)
        return moved

    def _add(self, number: int, starts: Sequence[Any], ends: Sequence[Any]) -> None:
        (before, moved), (plain, again) = starts, ends
        for name, value in again[0].items():
            if value.dtype.kind == "f":
                changed = value.astype(np.float64) - moved[name]
                change = changed - (plain[0][name].astype(np.float64) - before[name])
                key = "again/%d/variable/%s" % (number, name)
                self._changes.setdefault(key, []).append(change.astype(np.float32))
        key = "again/%d/loss" % number
        self._changes.setdefault(key, []).append(again[1] - plain[1])

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays for the trace."""
        arrays = {name: np.stack(changes) for name, changes in self._changes.items()}
        arrays["again/row"] = np.asarray(self._rows, np.int64)
        return arrays

    def meta(self) -> Dict[str, Any]:
        """Returns the entry for ``meta``."""
        return {"again": {"same": self._same, "refused": self._refused}}


class _Step:
    """A step that can be made again."""

    def __init__(
        self,
        session: Any,
        starts: Sequence[Any],
        feeds: Dict[Any, Any],
        sources: List[Any],
        before: Dict[str, Any],
    ) -> None:
        self.session, self.starts = session, starts
        self.before = before  # the state from which it was made
        self.sources = sources
        self.drawn: List[Any] = []  # their values
        self._feeds = feeds

    def run(self, losses: List[Any]) -> Any:
        """Makes it again; returns the values of its losses."""
        # By names: in TensorFlow 2 tensors are no keys.
        feeds = {fed_values.fed_tensor(key).name: value for key, value in self._feeds.items()}
        feeds.update(zip([source.name for source in self.sources], self.drawn))
        # What is fed and fetched, as the first batch, would be run all the same.
        fed = {id(source.op) for source in self.sources}
        run = [getattr(each, "op", each) for each in self.starts]
        run = [operation for operation in run if id(operation) not in fed]
        return self.session.run([losses, run], feeds)[0]


def _updates(start: Any, held: Set[int]) -> bool:
    """Returns whether what is run updates a variable that is recorded."""
    return any(
        _cannot_be_fed(each) and id(graph_variables.holder_of(each)) in held
        for operation in graph_variables.run_by([getattr(start, "op", start)])
        if operation.type.startswith(graph_variables.WRITES)
        for each in operation.inputs
    )


def _sources(
    start: Any, feeds: Dict[Any, Any], held: Set[int], session: Any
) -> Tuple[List[Any], str]:
    """Returns what a run takes from elsewhere, and "" or the reason why it cannot be repeated.

    Args:
        start: the tensor or op that is run.
        feeds: what it is fed, by tensor.
        held: the ids of the ops of variables that can be given back what they held.
        session: which runs them, and computes which branches are run.
    """
    fed = {id(fed_values.fed_tensor(key)) for key in feeds}
    waiting = [getattr(start, "op", start)] if id(start) not in fed else []
    seen = set()
    waited_for: Set[int] = set()  # ids of ops
    sources: List[Any] = []
    while waiting:
        operation = waiting.pop()
        if id(operation) in seen:
            continue
        seen.add(id(operation))
        kind = operation.type
        if _differs(operation):
            outputs = operation.outputs
            will_run = of_steps.is_run(operation, feeds, session)
            if will_run is None or not outputs or any(_cannot_be_fed(each) for each in outputs):
                return [], "%s (%s) cannot be fed" % (operation.name, kind)
            for each in outputs if will_run else ():
                # What is in a branch can be fetched and fed where the branch is run.
                operation.graph._unfetchable_ops.discard(operation)
                operation.graph._unfeedable_tensors.discard(each)
                sources += [] if id(each) in fed else [each]
            continue
        if operation.op_def.is_stateful and not kind.startswith(_HARMLESS):
            return [], "%s (%s) may have effects" % (operation.name, kind)
        if kind.startswith(graph_variables.WRITES):
            written = [each for each in operation.inputs if _cannot_be_fed(each)]
            if any(id(graph_variables.holder_of(each)) not in held for each in written):
                return [], "%s writes what is not recorded" % operation.name
        waiting += [each.op for each in operation.inputs if id(each) not in fed]
        waiting += list(operation.control_inputs)
        waited_for.update(id(each) for each in operation.control_inputs)
    # An op runs although it is fed where others only wait for it.
    if any(id(source.op) in waited_for for source in sources):
        return [], "steps wait for what they take from their input"
    return sources, ""


def _differs(operation: Any) -> bool:
    is_random = "seed2" in operation.node_def.attr and operation.op_def.is_stateful
    return bool(is_random or operation.type.startswith(_SOURCES))


def _cannot_be_fed(tensor: Any) -> bool:
    return bool(tensor.dtype.name in ("resource", "variant") or tensor.dtype._is_ref_dtype)
