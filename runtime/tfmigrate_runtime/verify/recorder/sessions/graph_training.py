"""The training of a graph: its losses and gradients, and the ops that apply them.

``all_sessions.py`` defines what a step is.
"""

import functools
import inspect
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..draws import queues
from ..eager import in_functions
from ..pairing import keras_1_optimizers
from ..program import imports, wrapping
from . import graph_variables

_INPUTS = ("Placeholder", "PlaceholderV2", "IteratorGetNext", "IteratorGetNextSync")
# The optimizers of Keras before 3, which train eagerly by apply_gradients.
KERAS_2 = (
    "tensorflow.python.keras.optimizer_v2.optimizer_v2",
    "tf_keras.src.optimizers.legacy.optimizer_v2",
)
_OWN_PACKAGES = ("tensorflow", "tfmigrate_runtime", "tfmigrate_vendored", __name__.split(".")[0])

trained_in_functions: List[str] = []  # classes of optimizers that updated variables in functions


class GraphTraining:
    """What the recorder knows about the training of one graph."""

    def __init__(self) -> None:
        # By the line of the program that differentiates them: the losses of towers share one.
        # Each comes with the ids of the ops that compute its gradients.
        self._losses: Dict[Any, List[Tuple[Any, Set[int]]]] = {}
        self._from_optimizer = False
        self.operations: List[Any] = []
        self._gradients: Set[int] = set()  # ids of the ops that compute any
        self.global_step: Any = None
        self.synchronous = False
        self.queued_updates: List[Any] = []  # that a thread of a synchronous chief runs
        self.runs_ahead = False  # whether synchronous workers need not wait for each other
        self._runs: Dict[Tuple[int, ...], Run] = {}

    @property
    def losses(self) -> List[Any]:
        """The losses of the first line that differentiates any."""
        return [loss for loss, _ in next(iter(self._losses.values()), [])]

    def add_loss(self, loss: Any, gradients: Sequence[Any], from_optimizer: bool) -> None:
        """Adds a loss and its gradients; those of ``tf.gradients`` only without an optimizer's."""
        gradient_ids = {
            id(tensor.op)
            for tensor in (getattr(gradient, "values", gradient) for gradient in gradients)
            if hasattr(tensor, "op")
        }
        self._gradients |= gradient_ids
        self._runs.clear()
        if self._from_optimizer and not from_optimizer:
            return
        if from_optimizer and not self._from_optimizer:
            self._losses, self._from_optimizer = {}, True
        self._losses.setdefault(_line_of_program(), []).append((loss, gradient_ids))

    def add_operation(self, result: Any) -> None:
        """Adds the result of ``apply_gradients``."""
        if result is not None:
            self.operations.append(getattr(result, "op", result))
            self._runs.clear()

    def read_first(self, result: Any, made_before: int) -> None:
        """Has the writes of an ``apply_gradients`` wait for the losses that it trains.

        What a loss reads that its gradients do not need, as the last bias of a critic, threads
        would read before or after the update.

        Args:
            result: what ``apply_gradients`` returned.
            made_before: how many ops its graph had before the call.
        """
        operation = getattr(result, "op", result)
        queues.read_in_order(operation)
        run = self.run_of([operation])
        losses = [loss.op for loss in run.losses if run.can_compute([loss], set())]
        new_ids = {id(each) for each in operation.graph.get_operations()[made_before:]}
        # Replicas are built while the first one's call waits for them: what their losses wait for,
        # as for averages of batch normalization in ``optimize_loss``, is new, too.
        new_ids -= {id(each) for each in graph_variables.run_by(losses)}
        for write in graph_variables.run_by([operation]):
            if id(write) in new_ids and write.type.startswith(graph_variables.WRITES):
                context = write._get_control_flow_context()
                for loss in losses:
                    if loss._get_control_flow_context() is context:
                        write._add_control_input(loss)

    def is_step(self, fetched: Sequence[Any]) -> bool:
        """Whether a run of these tensors and ops trains."""
        return bool(self.operations or self._gradients) and self.run_of(fetched).trains

    def run_of(self, fetched: Sequence[Any]) -> "Run":
        """Returns what a run of these tensors and ops computes."""
        starts = [getattr(item, "op", item) for item in fetched]
        key = tuple(sorted(id(operation) for operation in starts))
        if key not in self._runs:
            self._runs[key] = self._run(starts)
        return self._runs[key]

    def _run(self, starts: Sequence[Any]) -> "Run":
        operations = list(graph_variables.run_by(starts))
        ids = {id(operation) for operation in operations}
        run = Run(starts, ids)
        trained_losses = self._trained(ids)
        run.losses = [loss for loss, _ in trained_losses]
        run.towers = self._towers(ids, [gradients for _, gradients in trained_losses])
        run.trains = any(id(operation) in ids for operation in self.operations)
        writes = [each for each in operations if each.type.startswith(graph_variables.WRITES)]
        targets = [graph_variables.written_by(write) for write in writes]
        run.written = {variable.name for variable in targets if variable is not None}
        run.keeps_gradients = any(id(operation) in self._gradients for operation in starts)
        trained: Optional[Set[int]] = None
        for write, variable in (
            zip(writes, targets) if not run.trains and self._gradients & ids else ()
        ):
            if self._is_computed(write):
                if trained is None:
                    trained = graph_variables.trainable_operations(write.graph)
                if id(variable) in trained:
                    run.trains = True
                elif variable is not None:
                    run.sums.append(variable.name)
        run.keeps_gradients |= bool(run.sums)
        return run

    def _towers(self, ids: Set[int], gradients: Sequence[Set[int]]) -> int:
        """Returns of how many losses a run makes one update: those of tasks have each their own.

        Args:
            ids: of all ops of the run.
            gradients: of each loss, the ids of the ops that compute its gradients.
        """
        updates = [each for each in self.operations if id(each) in ids]
        if len(gradients) < 2 or not updates:
            return len(gradients)
        needed = [{id(each) for each in graph_variables.run_by([update])} for update in updates]
        return max(sum(bool(of_loss & known) for of_loss in gradients) for known in needed)

    def _trained(self, ids: Set[int]) -> List[Tuple[Any, Set[int]]]:
        """Returns the losses that a run trains, of the first line that differentiates such.

        Not those whose gradients another loss is computed of, as one with a penalty on them.
        """
        groups = [[pair for pair in group if pair[1] & ids] for group in self._losses.values()]
        groups = [group for group in groups if group]
        while len(groups) > 1:
            later = [loss.op for group in groups[1:] for loss, _ in group]
            needed = {id(each) for each in graph_variables.run_by(later, control=False)}
            if not all(gradients & needed for _, gradients in groups[0]):
                break
            groups.pop(0)
        return groups[0] if groups else []

    def _is_computed(self, write: Any) -> bool:
        """Whether what an op writes is computed from gradients."""
        starts = [tensor.op for tensor in list(write.inputs)[1:]]
        ancestors = graph_variables.run_by(starts, control=False)
        return any(id(operation) in self._gradients for operation in ancestors)


class Run:
    """What a run of some tensors and ops computes.

    Attributes:
        losses: those whose gradients it computes.
        towers: of how many of them it makes one update.
        trains: whether it runs an optimizer, or writes gradients into a trainable variable.
        keeps_gradients: whether it returns gradients, or adds them up in variables, for a later
            run that trains.
        sums: the names of these variables.
        written: the names of all variables that it writes to.
    """

    def __init__(self, starts: Sequence[Any], ids: Set[int]) -> None:
        """Takes what is run, and the ids of all ops that are run for it."""
        self.losses: List[Any] = []
        self.towers = 0
        self.trains, self.keeps_gradients = False, False
        self.sums: List[str] = []
        self.written: Set[str] = set()
        self._starts = starts  # keeps their ids from being given again
        self._ids = ids

    def can_compute(self, losses: Sequence[Any], fed: Set[int]) -> bool:
        """Whether it may fetch losses, too: they need no input that the run has not.

        Args:
            losses: to fetch.
            fed: ids of the ops whose outputs are fed.
        """
        return not any(
            operation.type in _INPUTS or operation.type.startswith("QueueDequeue")
            for operation in graph_variables.run_by(
                [loss.op for loss in losses], passed=self._ids | fed
            )
        )


def _line_of_program() -> Optional[Tuple[str, int]]:
    """Returns the line of the program that called into TensorFlow."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).split(".")[0]
        if not package.startswith(_OWN_PACKAGES):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def training_of(graph: Any) -> GraphTraining:
    """Returns what is known about a graph's training; it is kept on the graph."""
    training: Optional[GraphTraining] = getattr(graph, "_tfmigrate_training", None)
    if training is None:
        training = graph._tfmigrate_training = GraphTraining()
    return training


class GradientCalls:
    """Tracks losses that programs pass to optimizers, and the ops that these return."""

    def __init__(self, eager: Any = None, older: Any = None) -> None:
        """Takes what follows steps without a session, None where these are none.

        Args:
            eager: the loops.EagerTraining.
            older: the older_optimizers.OlderSteps, which follows them in its place.
        """
        self._local = threading.local()
        self._eager, self._older = eager, older

    def install(self) -> None:
        """Wraps the methods of the optimizers, and tf.gradients."""
        from tensorflow.python.training import optimizer

        base = optimizer.Optimizer
        wrapping.wrap(base, "compute_gradients", functools.partial(self._noting_loss, "loss"))
        self._observe(base, True)
        keras_1_optimizers.install()
        imports.when_loaded(KERAS_2, lambda module: self._observe(module.OptimizerV2, False))
        try:
            from tensorflow.python.ops import gradients_util as gradients
        except ImportError:  # before 1.13
            from tensorflow.python.ops import gradients_impl as gradients
        wrapping.wrap(gradients, "_GradientsHelper", functools.partial(self._noting_loss, "ys"))
        from tensorflow.python.training import sync_replicas_optimizer

        synchronous = sync_replicas_optimizer.SyncReplicasOptimizer
        wrapping.after(synchronous, "get_init_tokens_op", _note_tokens)

    def _observe(self, base: Any, in_graphs: bool) -> None:
        """Wraps ``apply_gradients`` of a class of optimizers, and of its subclasses once needed.

        Args:
            base: the class.
            in_graphs: False where the writes of a session's graph show its steps.
        """
        self._wrap_apply_gradients(base, in_graphs)

        def initialize(original: Any, this: Any, *arguments: Any, **options: Any) -> None:
            self._wrap_apply_gradients(type(this), in_graphs)
            if self._eager is not None and self._older is None:
                self._eager.is_used = True
            original(this, *arguments, **options)
            if self._older is not None and in_functions.are_eager_outside():
                self._older.note(this)

        wrapping.wrap(base, "__init__", initialize)

    def _noting_loss(self, name: str, original: Any, *arguments: Any, **options: Any) -> Any:
        from tensorflow.python.framework import ops

        if getattr(self._local, "gradients", False):
            return original(*arguments, **options)
        loss = inspect.signature(original).bind(*arguments, **options).arguments[name]
        loss = loss[0] if isinstance(loss, (list, tuple)) and loss else loss
        with wrapping.setting(self._local, "gradients"):
            result = original(*arguments, **options)
        is_eager = self._eager is not None and in_functions.are_eager_outside()
        if is_eager and hasattr(loss, "graph"):
            self._eager.add_losses_of_runs([loss], [])
        elif hasattr(loss, "graph"):
            from_optimizer = name == "loss"
            gradients = [pair[0] for pair in result] if from_optimizer else result
            if hasattr(loss, "assign_add"):  # a variable, which runs of sessions cannot fetch
                loss = ops.convert_to_tensor(loss)
            training_of(loss.graph).add_loss(loss, gradients, from_optimizer)
        return result

    def _wrap_apply_gradients(self, kind: Any, in_graphs: bool) -> None:
        for owner in kind.__mro__:
            original = vars(owner).get("apply_gradients")
            if original is not None and not hasattr(original, "_tfmigrate_observed"):
                noting = functools.partial(self._noting_operation, in_graphs)
                wrapping.wrap(owner, "apply_gradients", noting)
                owner.apply_gradients._tfmigrate_observed = True

    def _noting_operation(
        self, in_graphs: bool, original: Any, this: Any, *arguments: Any, **options: Any
    ) -> Any:
        from tensorflow.python.framework import ops

        if getattr(self._local, "applying", False):
            return original(this, *arguments, **options)  # called by an outer optimizer
        bound = inspect.signature(original).bind(this, *arguments, **options)
        if self._eager is not None and in_functions.are_eager_outside():
            return self._eagerly(original, bound)
        if not in_graphs:
            return original(this, *arguments, **options)
        here = ops.get_default_graph()
        made_before = len(here.get_operations())
        with wrapping.setting(self._local, "applying"):
            result = original(this, *arguments, **options)
        graph = getattr(result, "graph", None)
        if type(graph).__name__ == "FuncGraph":
            trained_in_functions.append(type(this).__name__)
        if graph is not None:
            training = training_of(graph)
            training.add_operation(result)
            if graph is here:
                training.read_first(result, made_before)
            training.synchronous |= type(this).__name__ == "SyncReplicasOptimizer"
            runner = getattr(this, "_chief_queue_runner", None)
            training.queued_updates += [] if runner is None else list(runner.enqueue_ops)
            step_variable = bound.arguments.get("global_step")
            if step_variable is not None:
                training.global_step = step_variable
        return result

    def _eagerly(self, original: Callable[..., Any], bound: inspect.BoundArguments) -> Any:
        """Makes and records a step outside of graphs, or has a function record its steps."""
        from tensorflow.python.eager import context

        pairs = list(bound.arguments["grads_and_vars"])  # a zip can be read once
        bound.arguments["grads_and_vars"] = pairs

        def apply() -> Any:
            with wrapping.setting(self._local, "applying"):
                return original(*bound.args, **bound.kwargs)

        if self._older is not None:
            return self._older.make(bound, apply)
        result = apply()
        updated = [variable for _, variable in pairs]
        global_step = bound.arguments.get("global_step")
        if context.executing_eagerly():
            self._eager.after_step(updated, global_step)
        elif in_functions.can_call():
            return self._eager.in_function(result, updated, global_step)
        else:
            trained_in_functions.append(type(bound.args[0]).__name__)
        return result


def _note_tokens(fills_queue: Any, *_arguments: Any, **_options: Any) -> None:
    # Each token is a step that a worker makes without the others; without any it is a no-op.
    training_of(fills_queue.graph).runs_ahead |= fills_queue.type != "NoOp"
