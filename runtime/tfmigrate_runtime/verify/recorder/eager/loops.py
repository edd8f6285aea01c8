"""Follows programs that train eagerly by optimizers of tf.train: loops with a GradientTape.

Programs of TensorFlow 1.x that call ``tf.enable_eager_execution()`` have no session, and their
optimizers are those of ``tf.train`` after the migration too.

* A step is a call of ``apply_gradients``, or a run of one in a function
  (``eager/in_functions.py``). The loss is what was differentiated last for one of its
  variables.
* Variables have the names that they were given, numbered where several have one, and include slots.
  A variable that is created later than the original's first step had its value until then.
* Each starts from the original's value as soon as it is created: what the program assigns or
  restores afterwards stays.

Private names of TensorFlow that are touched, and why no public one does:

============================================ =====================================================
name (module tensorflow.python...)           what for
============================================ =====================================================
ops.resource_variable_ops.ResourceVariable   the variables of the program, and of its optimizers
eager.imperative_grad.imperative_grad        the loss of tapes, and of tf.contrib.eager's functions
============================================ =====================================================
"""

import functools
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple

from .. import recording
from ..program import wrapping
from ..sessions import graph_variables
from . import in_functions, loop_draws, shuffles

DRAWN = "_tfmigrate_drawn"  # what a variable was created with, and what it was given
_NUMBERS = "biufc"
_LOSSES = 16  # that are kept until a step is made
_NO_SAVER = "those of eager programs are not"
_BATCH = "eager programs are given it by no placeholder and no iterator of a graph"


class Variable:
    """One variable, as ``graph_variables.GraphVariable`` describes those of graphs."""

    def __init__(self, variable: Any, name: str) -> None:
        """Takes a variable that was just created."""
        self._reference = weakref.ref(variable)
        self.name = name
        self.trainable = bool(variable.trainable)
        self.shape = [int(size) for size in variable.shape.as_list()]
        self.dtype = variable.dtype.base_dtype.name
        self.first = self.value()  # what it was created with, or given at once
        self.drawn: Any = None  # what it was created with, if it was given something else

    @property
    def is_there(self) -> bool:
        """Whether the program still has it."""
        return self._reference() is not None

    @property
    def handle(self) -> Any:
        """The tensor that functions take it by."""
        return self._reference().handle  # type: ignore[union-attr]

    def value(self) -> Any:
        """Returns its value."""
        with _outside_functions():
            return graph_variables.storable(self._reference().numpy())  # type: ignore[union-attr]

    def load(self, value: Any) -> None:
        """Gives it a value."""
        with _outside_functions():
            self._reference().assign(value)  # type: ignore[union-attr]


class EagerTraining:
    """Records the steps of optimizers that update variables eagerly.

    Attributes:
        is_used: whether the program has an optimizer of these. Functions of others are left alone:
            those of a coordinator run in other processes, where a call of this one fails.
    """

    def __init__(
        self,
        trace: Any,
        initial_values: Optional[Dict[str, Any]],
        place: Callable[[Any], Tuple[int, Any]],
    ) -> None:
        """Takes where to record them, what to start from, and ``PinnedRandomness.place``."""
        self._trace = trace
        self._starts = initial_values or {}
        self._variables: List[Variable] = []
        self._names: Dict[str, int] = {}
        self._losses: List[Tuple[float, List[int]]] = []
        self._counter: Any = None
        self._is_hidden: Callable[[], bool] = bool
        self._draws = loop_draws.EagerDraws(trace, place, lambda: self.is_used)
        self.is_used = False

    def install(self, is_hidden: Callable[[], bool]) -> None:
        """Wraps what creates variables and what differentiates.

        Args:
            is_hidden: whether what is created now is not to be recorded.
        """
        self._is_hidden = is_hidden
        from tensorflow.python.eager import backprop
        from tensorflow.python.ops import resource_variable_ops

        kind = resource_variable_ops.ResourceVariable
        # In a function, too: defun of tf.contrib.eager creates them outside of it.
        wrapping.on_creation(kind, self._add)
        wrapping.before(kind, "assign", _note_assignment)
        module = backprop.imperative_grad
        wrapping.after(module, "imperative_grad", self._note_loss)
        self._draws.install()
        in_functions.on_creation(self._add, is_hidden)

    def _add(self, created: Any) -> None:
        """Adds a variable that has a value, if it is one of numbers outside of graphs."""
        if not hasattr(created.handle, "numpy") or created.dtype.base_dtype.name == "resource":
            return
        if not created.shape.is_fully_defined() or self._is_hidden():
            return
        name = self._name_of(created)
        count = self._names[name] = self._names.get(name, -1) + 1
        variable = Variable(created, "%s_%d" % (name, count) if count else name)
        # Generators of Keras keep their state in integers that are said to be trainable.
        numbers = variable.first.dtype.kind
        if numbers not in _NUMBERS or (variable.trainable and numbers not in "fc"):
            return
        self._variables.append(variable)
        wanted, own = self._starts.get(variable.name), variable.first
        kind = recording.origin_of(wanted, own)
        self._trace.origin[kind].append(variable.name)
        if kind == "transferred":
            variable.load(wanted)
            variable.first, variable.drawn = variable.value(), own
            # A program that turns out to train by Keras 3 is examined for what it drew itself.
            setattr(created, DRAWN, (own, variable.first))

    def _name_of(self, created: Any) -> str:
        """Returns the original's name of a variable.

        Layers in models have the scopes of these or have not, by the version of Keras and by
        whether a function builds them: checkpoints of eager programs do not depend on them.
        """
        name: str = created.name.split(":")[0]
        if name in self._starts or not self._trace.is_original_eager:
            return name
        shape, taken = created.shape.as_list(), {each.name for each in self._variables}
        fitting = [
            original
            for original, value in self._starts.items()
            if original not in taken
            and list(value.shape) == shape
            and _differ_by_scopes(name.split("/"), original.split("/"))
        ]
        return fitting[0] if len(fitting) == 1 else name

    def _note_loss(
        self, _result: Any, tape: Any, target: Any, sources: Any, *_others: Any, **_options: Any
    ) -> None:
        from tensorflow.python.eager import context

        about = [id(source) for source in sources]
        tensors = [each for each in target if hasattr(each, "dtype")]
        if context.executing_eagerly():
            self._add_loss(about, *[each.numpy() for each in tensors])
        elif in_functions.are_eager_outside():
            self.add_losses_of_runs(tensors, about)

    def add_losses_of_runs(self, tensors: List[Any], about: List[int]) -> None:
        """Has the runs of the function being built add a loss.

        Args:
            tensors: that are differentiated.
            about: ids of the handles of the variables by which, none where that is not known.
        """
        if not self.is_used or not in_functions.can_call():
            return
        add = functools.partial(self._add_loss, about)
        called = in_functions.call_when_run(add, tensors)
        _calls_of(called.graph).append(called)

    def _add_loss(self, about: List[int], *values: Any) -> None:
        self._losses.append((sum(float(value.sum()) for value in values), about))
        del self._losses[:-_LOSSES]

    def in_function(self, result: Any, updated: List[Any], global_step: Any) -> Any:
        """Has the runs of the function being built recorded.

        Args:
            result: what updates the variables, of the function's graph.
            updated: these variables.
            global_step: what it counts, None for nothing.

        Returns:
            An operation that includes the updates and the call of the recorder.
        """
        from tensorflow.python.ops import control_flow_ops

        def step() -> None:
            self.after_step(updated, global_step)

        handles = [each.handle for each in self._there()]
        before = [result, *_calls_of(result.graph)]
        called = in_functions.call_when_run(step, (), handles, before)
        return control_flow_ops.group(result, called)

    def after_step(self, updated: List[Any], global_step: Any) -> None:
        """Records a step.

        Args:
            updated: the variables that it updated.
            global_step: what it counted, None for nothing.
        """
        trace = self._trace
        trace.before_step()
        handles = {id(getattr(variable, "handle", variable)) for variable in updated}
        losses = [loss for loss, about in self._losses if not about or handles.intersection(about)]
        trace.losses.append(losses[-1] if losses else float("nan"))
        self._counter = self._counter if global_step is None else global_step
        counter = self._counter  # of a GAN's optimizers, one may count
        trace.steps.append(len(trace.steps) + 1 if counter is None else int(counter.numpy()))
        self._draws.step_made()
        self._add_new_ones()
        if len(trace.steps) > 1 and len(trace.steps) % trace.every:
            return
        trace.variable_steps.append(trace.steps[-1])
        for each in trace.variables:
            # What the program does not need any more keeps its last value.
            value = each.value() if each.is_there else trace.values[each.name][-1]
            trace.values[each.name].append(value)
        self._follow()

    def _follow(self) -> None:
        """Gives the variables the state that the original had after this step."""
        trace = self._trace
        state = {} if trace.follow is None else trace.follow.next(trace.steps[-1])
        if not state:
            return
        if trace.limit is not None:
            trace.limit.compare(trace, trace.follow, {n: v[-1] for n, v in trace.values.items()})
        about = trace.follow.about
        fitting = [each for each in trace.variables if _fits(state.get(each.name), each)]
        for each in fitting:
            if each.is_there:
                each.load(state[each.name])
        about["forced"] += 1
        names = {each.name for each in fitting}
        about["free"] = [each.name for each in trace.variables if each.name not in names]
        about["missing"] = sorted(set(state) - names)

    def _add_new_ones(self) -> None:
        """Adds the variables that were created since the last step, as slots are by the first."""
        trace = self._trace
        if not trace.sessions:
            trace.shapes, trace.about["batch"] = {}, {"shapes": {}, "reason": _BATCH}
            trace.about["eager"] = shuffles.about_run()
            if trace.checkpoints is not None:
                reason = {"reason": _NO_SAVER}
                trace.checkpoints.about.update(checkpoint=reason, restored=reason)
            trace.sessions.append({"first_step": 0, "loss": "", "replicas": 1})
        known = {each.name for each in trace.variables}
        for each in self._there():
            if each.name in known:
                continue
            trace.variables.append(each)
            # Before the step, the forward pass has moved averages already.
            trace.initial[each.name] = each.first
            trace.values[each.name] = [each.first for _ in trace.variable_steps]
            if each.drawn is not None:
                trace.drawn[each.name] = each.drawn

    def _there(self) -> List[Variable]:
        return [variable for variable in self._variables if variable.is_there]

    def finish(self) -> None:
        """Records what has changed since the last step."""
        trace = self._trace
        # In lock-step variables end with the original's values.
        is_read = trace.variable_steps[-1:] == trace.steps[-1:]
        if not trace.about.get("eager") or not is_read or trace.follow is not None:
            return
        last = {each.name: each.value() for each in trace.variables if each.is_there}
        trace.note_end(last, {name: values[-1] for name, values in trace.values.items()})


def _note_assignment(variable: Any, *_arguments: Any, **_options: Any) -> None:
    """Notes that a variable no longer has what it was created with.

    A target network may be assigned the same numbers: those of the network that it copies.
    """
    vars(variable).pop(DRAWN, None)


def _differ_by_scopes(name: List[str], other: List[str]) -> bool:
    """Returns whether one of two names is the other with scopes in front, or between."""
    shorter, longer = (name, other) if len(name) < len(other) else (other, name)
    left = iter(longer)
    return name[-1] == other[-1] and all(part in left for part in shorter)


def _outside_functions() -> Any:
    from tensorflow.python.framework import ops

    return ops.init_scope()


def _calls_of(graph: Any) -> List[Any]:
    """Returns the operations of a function that record losses, kept with its graph."""
    if not hasattr(graph, "_tfmigrate_losses"):
        graph._tfmigrate_losses = []
    calls: List[Any] = graph._tfmigrate_losses
    return calls


def _fits(value: Any, variable: Variable) -> bool:
    return value is not None and list(value.shape) == variable.shape
