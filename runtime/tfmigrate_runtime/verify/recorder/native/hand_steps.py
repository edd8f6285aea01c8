"""Training steps without an optimizer: ``variable.assign_sub(rate * gradient)`` behind a tape.

Once a tape has returned gradients for variables, the step is made when each of them has been
assigned. Only programs without an optimizer of Keras make such steps: others assign between theirs
what they like.

Private names of TensorFlow that are touched: ``ops.resource_variable_ops.BaseResourceVariable`` and
``ResourceVariable``, whose ``assign`` methods those of all variables are, and
``training.optimizer.Optimizer``, which all optimizers of TensorFlow 1.x are; as those of Keras 2
are ``OptimizerV2`` or ``_BaseOptimizer`` of its modules.
"""

from typing import Any, List

from ..program import imports, wrapping
from ..sessions import graph_training
from . import functions

_KERAS_2 = (*graph_training.KERAS_2, "tf_keras.src.optimizers.optimizer")
_METHODS = ("assign", "assign_add", "assign_sub")


class HandSteps:
    """What trains such a program, in place of an optimizer: it has no slots, and counts steps."""

    keeps_slots_anywhere = True  # in variables of the program
    has_rate_in_momentum = False

    def __init__(self, native: Any) -> None:
        """Takes the observer.Native."""
        self._native = native
        self.has_optimizer = False  # whether the program has one of TensorFlow 1.x or Keras 2
        self.built = False
        self.iterations: Any = None
        self.variables: List[Any] = []
        self._trainable_variables: List[Any] = []
        self._tfmigrate_expected: Any = None  # the step outside of functions, see _expected_by

    def install(self) -> None:
        """Wraps what assigns values to variables."""
        from tensorflow.python.ops import resource_variable_ops
        from tensorflow.python.training import optimizer

        self._note_optimizers(optimizer)
        imports.when_loaded(_KERAS_2, self._note_optimizers)
        kinds = resource_variable_ops.BaseResourceVariable, resource_variable_ops.ResourceVariable
        for kind in kinds:
            for name in _METHODS:
                if name in vars(kind):
                    wrapping.wrap(kind, name, self._noting)

    def _note_optimizers(self, module: Any) -> None:
        names = ("Optimizer", "OptimizerV2", "_BaseOptimizer")
        for kind in [getattr(module, name) for name in names if hasattr(module, name)]:
            wrapping.before(kind, "__init__", self._note_optimizer)

    def _note_optimizer(self, *_arguments: Any, **_options: Any) -> None:
        self.has_optimizer = True

    def build(self, variables: Any) -> None:
        """Notes what is trained, as an optimizer of Keras does."""
        import tensorflow as tf
        from tensorflow.python.framework import ops
        from tensorflow.python.ops import resource_variable_ops

        # One on all replicas: a copy of each would be counted where the last copy is assigned only.
        kind = resource_variable_ops.ResourceVariable
        with ops.init_scope():
            self.iterations = kind(0, trainable=False, dtype=tf.int64, name="iterations")
        self.variables = [self.iterations]
        self._trainable_variables = list(variables)
        self.built = True

    def expect(self, variables: List[Any]) -> None:
        """Called where a tape has returned the gradients of variables."""
        if self._native.is_by_hand:
            pending = self._tfmigrate_expected
            if pending is not None and len(pending[1]) < len(pending[2]):
                self._made(pending[0])  # it leaves some as they are
            # What a replica assigns before the step is recorded would be assigned again after it.
            copies = {id(copy) for v in variables for copy in getattr(v, "values", None) or (v,)}
            self._holder()._tfmigrate_expected = [variables, set(copies), copies]

    def _holder(self) -> Any:
        """Returns what the step is made in: a function that is being built, or the program."""
        import tensorflow as tf
        from tensorflow.python.framework import ops

        return self if tf.executing_eagerly() else ops.get_default_graph()

    def _noting(self, original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
        expected = self._expected_by(this)
        if expected is None:
            return original(this, *arguments, **options)
        if len(expected[1]) == len(expected[2]):
            self._begun(expected[0])
        result = original(this, *arguments, **options)
        expected[1].discard(id(this))
        if not expected[1]:
            self._made(expected[0])
        return result

    def _expected_by(self, variable: Any) -> Any:
        """Returns the variables of a step, and what is still to be assigned, as this one is."""
        # All programs assign variables, and few of them expect that here.
        expected = getattr(self._holder(), "_tfmigrate_expected", None)
        if expected is None or id(variable) not in expected[1]:
            return None
        if not self._native.is_by_hand or functions.in_session_graph():
            return None
        return expected

    def _begun(self, variables: List[Any]) -> None:
        if not self.built:
            self.build(variables)
        self._native.before_step(self, variables)

    def _made(self, variables: List[Any]) -> None:
        self._holder()._tfmigrate_expected = None
        self.iterations.assign_add(1)
        self._native.step_made(self, variables, None)
