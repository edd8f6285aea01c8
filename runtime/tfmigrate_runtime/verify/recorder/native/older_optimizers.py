"""Steps of the optimizers before Keras 3 outside of graphs: of tf.train, and Keras' legacy ones.

A port may keep its optimizer, as ``tf.compat.v1.train`` or ``tf_keras.optimizers.legacy``, and
differentiate with a GradientTape. Its steps are followed as those of Keras 3 are
(``native/observer.py``): variables are paired, and what calls Python is put behind all replicas.
The recorder of eager originals (``eager/loops.py``) compares variables by their names alone, and
calls Python from each replica, which TensorFlow cannot place next to an ``all_reduce``.

Private names of TensorFlow and Keras that are touched: ``_create_slots``, ``_slots``,
``_non_slot_dict`` and ``_beta1`` of optimizers of tf.train; ``_create_all_weights``,
``_slot_names``, ``_decayed_lr``, ``_momentum`` and ``_hyper`` of those of Keras.
"""

import inspect
from typing import Any, Callable, Dict, List, Optional

from ..keras import calls
from ..pairing import stored_differently
from . import functions
from .created_variables import tensorflow_variable

_OWN = ("keras.", "tf_keras.", "tensorflow.")


class OlderSteps:
    """Has the steps of these optimizers followed."""

    def __init__(self, native: Any) -> None:
        """Takes the observer.Native."""
        self._native = native

    def note(self, optimizer: Any) -> None:
        """Notes an optimizer that was just created."""
        calls.note_optimizer(self._follower_of(optimizer))

    def _follower_of(self, optimizer: Any) -> "OlderOptimizer":
        """Returns what follows an optimizer; one that was created in a graph has none yet."""
        if not hasattr(optimizer, "_tfmigrate_follower"):
            object.__setattr__(optimizer, "_tfmigrate_follower", OlderOptimizer(optimizer))
        follower: OlderOptimizer = optimizer._tfmigrate_follower
        return follower

    def make(self, bound: inspect.BoundArguments, apply: Callable[[], Any]) -> Any:
        """Makes a step, or builds the ops that do, and returns what that returned.

        Args:
            bound: the arguments of ``apply_gradients``; its pairs are a list.
            apply: calls it.
        """
        import tensorflow as tf

        optimizer = self._follower_of(bound.arguments["self"])
        variables = [v for gradient, v in bound.arguments["grads_and_vars"] if gradient is not None]
        if not variables:
            return apply()
        if tf.executing_eagerly():
            functions.across_replicas(lambda strategy: optimizer.build(variables))
        optimizer.note_parameters()
        rate = self._native.before_step(optimizer, variables)
        result = apply()
        optimizer.note_step(variables)
        self._native.step_made(optimizer, variables, rate)
        return result


class OlderOptimizer:
    """An optimizer with those attributes of Keras 3's by which steps are followed.

    Attributes:
        built: whether it has its slots.
    """

    def __init__(self, optimizer: Any) -> None:
        """Takes one of tf.train or of Keras before 3."""
        self._optimizer = optimizer
        self._is_of_keras = hasattr(optimizer, "_create_all_weights")
        self._parameters: Dict[str, Any] = {}
        self._count: Any = None  # optimizers of tf.train count steps only where they are asked to
        self._trainable_variables: List[Any] = []
        self.built = False

    @property
    def has_rate_in_momentum(self) -> bool:
        """Whether its momentum is the sum of steps, as that of Keras, not of gradients."""
        apply = getattr(type(self._optimizer), "_resource_apply_dense", None)
        is_own = str(getattr(apply, "__module__", "")).startswith(_OWN)
        is_sgd = self._is_of_keras and "SGD" in self.kinds
        return is_sgd and is_own and bool(getattr(self._optimizer, "_momentum", False))

    @property
    def slots_begin_with(self) -> Optional[str]:
        """How the names of its slots begin in TensorFlow 1.x; None for those of Keras."""
        return None if self._is_of_keras else str(self._optimizer.get_name())

    @property
    def kinds(self) -> List[str]:
        """The names of its classes, the most special one first."""
        return [kind.__name__ for kind in type(self._optimizer).__mro__]

    @property
    def momentum(self) -> float:
        """The decay of the momentum of Keras' SGD."""
        return self._number("momentum")

    @property
    def learning_rate(self) -> Any:
        """The rate of the next step of an optimizer of Keras, a float32 scalar."""
        import tensorflow as tf

        return self._optimizer._decayed_lr(tf.float32)

    @property
    def beta_1(self) -> Any:
        """The decay of Adam's first moments; None for other optimizers."""
        return self._decay(1)

    @property
    def beta_2(self) -> Any:
        """The decay of Adam's second moments; None for other optimizers."""
        return self._decay(2)

    def _decay(self, number: int) -> Any:
        name = "beta_%d" % number
        if self._is_of_keras and name in self._parameters:
            return self._number(name)
        return getattr(self._optimizer, "_beta%d" % number, None)

    def note_parameters(self) -> None:
        """Notes the parameters of an optimizer of Keras before it puts them into variables.

        These have no value while the first function is built.
        """
        if self._is_of_keras and not self._parameters:
            self._parameters = dict(self._optimizer._hyper)

    def _number(self, name: str) -> float:
        """Returns the value that a parameter of an optimizer of Keras was created with."""
        value = self._parameters[name]
        return float(value() if callable(value) else value)

    @property
    def iterations(self) -> Any:
        """What counts its steps."""
        return self._optimizer.iterations if self._is_of_keras else self._count

    @property
    def variables(self) -> List[Any]:
        """What counts its steps, and its slots."""
        optimizer = self._optimizer
        if self._is_of_keras:
            return list(optimizer.variables())
        # Its own ``variables()`` leaves out those of a strategy.
        slots = [slot for by_variable in optimizer._slots.values() for slot in by_variable.values()]
        return [self._count, *slots, *optimizer._non_slot_dict.values()]

    def build(self, variables: List[Any]) -> None:
        """Has it make its slots."""
        from tensorflow.python.framework import ops

        self.note_parameters()
        # tf.train takes those that Keras 3 keeps in its own.
        variables = [tensorflow_variable(variable) for variable in variables]
        with ops.init_scope():
            if self._is_of_keras:
                self._optimizer._create_all_weights(variables)
            else:
                self._optimizer._create_slots(variables)
        self._adopt(variables)

    def _adopt(self, variables: List[Any]) -> None:
        """Notes the slots that it has of variables."""
        import tensorflow as tf
        from tensorflow.python.framework import ops
        from tensorflow.python.ops import resource_variable_ops

        if self._count is None:
            kind = resource_variable_ops.ResourceVariable  # one, on all replicas
            with ops.init_scope():
                self._count = kind(0, trainable=False, dtype=tf.int64, name="iterations")
        self.built = True
        known = {id(variable) for variable in self._trainable_variables}
        new = [variable for variable in variables if id(variable) not in known]
        self._trainable_variables += new
        optimizer = self._optimizer
        for variable in new:
            for name in optimizer._slot_names if self._is_of_keras else optimizer._slots:
                slot = optimizer.get_slot(variable, name)
                if slot is not None:
                    is_sum = name == "momentum" and self.has_rate_in_momentum
                    name = "momentums" if is_sum else name
                    stored_differently.note(self, variable, slot, name)

    def note_step(self, variables: List[Any]) -> None:
        """Called where it has updated variables, or has built the ops that do."""
        self._adopt(variables)
        if not self._is_of_keras:
            functions.across_replicas(lambda strategy: self._count.assign_add(1))
