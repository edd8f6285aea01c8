"""The training of a graph: its losses and gradients, and the ops that apply them.

Part of ``record_sessions.py``, which defines a step; runs on Python 3.6 or newer and
TensorFlow 1.12 to 2.21.
"""

import functools
import inspect
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from . import record_variables

_OWN_PACKAGES = ("tensorflow", "tfmigrate_runtime", "tfmigrate_vendored")


class GraphTraining:
    """What the recorder knows about the training of one graph."""

    def __init__(self) -> None:
        self.losses: List[Any] = []
        self.site: Any = None  # the line that gave the first loss
        self.from_optimizer = False
        self.operations: List[Any] = []
        self.gradients: Set[int] = set()  # ids of the ops that tf.gradients ends with
        self.global_step: Any = None
        self.synchronous = False
        self._runs: Dict[Tuple[int, ...], bool] = {}

    def add_loss(self, loss: Any, from_optimizer: bool) -> None:
        """Adds a loss if it is the graph's first, or that of a further tower."""
        if self.from_optimizer and not from_optimizer:
            return
        if from_optimizer and not self.from_optimizer:
            self.losses, self.site, self.from_optimizer = [], None, True
        site = _line_of_program()
        self.site = self.site or site
        if site == self.site:
            self.losses.append(loss)

    def add_operation(self, result: Any) -> None:
        """Adds the result of ``apply_gradients``."""
        if result is not None:
            self.operations.append(getattr(result, "op", result))
            self._runs.clear()

    def add_gradients(self, gradients: Sequence[Any]) -> None:
        """Adds the result of ``tf.gradients``: the program may update variables itself."""
        for gradient in gradients:
            for tensor in (getattr(gradient, "values", gradient),):
                if hasattr(tensor, "op"):
                    self.gradients.add(id(tensor.op))
        self._runs.clear()

    def is_step(self, fetched: Sequence[Any]) -> bool:
        """Whether a run of these tensors and ops trains."""
        if not self.operations and not self.gradients:
            return False
        starts = [getattr(item, "op", item) for item in fetched]
        key = tuple(sorted(id(operation) for operation in starts))
        if key not in self._runs:
            self._runs[key] = self._trains(starts)
        return self._runs[key]

    def _trains(self, starts: Sequence[Any]) -> bool:
        """Whether running ``starts`` runs an optimizer, or writes gradients into a variable."""
        wanted = {id(operation) for operation in self.operations}
        trained: Optional[Set[int]] = None
        for operation in record_variables.run_by(starts):
            if id(operation) in wanted:
                return True
            if self.gradients and operation.type.startswith(record_variables.WRITES):
                if trained is None:
                    trained = record_variables.trainable_operations(operation.graph)
                target = record_variables.written_by(operation)
                if id(target) in trained and any(
                    id(other) in self.gradients
                    for tensor in list(operation.inputs)[1:]
                    for other in record_variables.run_by([tensor.op], control=False)
                ):
                    return True
        return False


def _line_of_program() -> Optional[Tuple[str, int]]:
    """Returns the line of the program that called into TensorFlow."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).split(".")[0]
        if frame.f_code.co_filename != __file__ and not package.startswith(_OWN_PACKAGES):
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

    def __init__(self) -> None:
        self._local = threading.local()

    def install(self) -> None:
        """Wraps the methods of the optimizers, and tf.gradients."""
        from tensorflow.python.training import optimizer

        base = optimizer.Optimizer
        base.compute_gradients = self._noting_loss(base.compute_gradients, True)
        self._wrap_apply_gradients(base)
        original = base.__init__

        @functools.wraps(original)
        def initialize(this: Any, *arguments: Any, **options: Any) -> None:
            self._wrap_apply_gradients(type(this))
            original(this, *arguments, **options)

        base.__init__ = initialize
        try:
            from tensorflow.python.ops import gradients_util as gradients
        except ImportError:  # before 1.13
            from tensorflow.python.ops import gradients_impl as gradients
        gradients._GradientsHelper = self._noting_loss(gradients._GradientsHelper, False)

    def _noting_loss(self, original: Callable[..., Any], from_optimizer: bool) -> Any:
        signature = inspect.signature(original)
        name = "loss" if from_optimizer else "ys"

        @functools.wraps(original)
        def noting(*arguments: Any, **options: Any) -> Any:
            if getattr(self._local, "gradients", False):
                return original(*arguments, **options)
            loss = signature.bind(*arguments, **options).arguments[name]
            loss = loss[0] if isinstance(loss, (list, tuple)) and loss else loss
            if hasattr(loss, "graph"):
                training_of(loss.graph).add_loss(loss, from_optimizer)
            self._local.gradients = True
            try:
                result = original(*arguments, **options)
            finally:
                self._local.gradients = False
            if hasattr(loss, "graph") and not from_optimizer:
                training_of(loss.graph).add_gradients(result)
            return result

        return noting

    def _wrap_apply_gradients(self, kind: Any) -> None:
        for owner in kind.__mro__:
            original = vars(owner).get("apply_gradients")
            if original is not None and not hasattr(original, "_tfmigrate_observed"):
                observed = self._noting_operation(original)
                observed._tfmigrate_observed = True
                owner.apply_gradients = observed

    def _noting_operation(self, original: Callable[..., Any]) -> Any:
        signature = inspect.signature(original)

        @functools.wraps(original)
        def apply_gradients(this: Any, *arguments: Any, **options: Any) -> Any:
            if getattr(self._local, "applying", False):
                return original(this, *arguments, **options)  # called by an outer optimizer
            self._local.applying = True
            try:
                result = original(this, *arguments, **options)
            finally:
                self._local.applying = False
            graph = getattr(result, "graph", None)
            if graph is not None:
                training = training_of(graph)
                training.add_operation(result)
                training.synchronous |= type(this).__name__ == "SyncReplicasOptimizer"
                given = signature.bind(this, *arguments, **options).arguments.get("global_step")
                training.global_step = training.global_step if given is None else given
            return result

        return apply_gradients
