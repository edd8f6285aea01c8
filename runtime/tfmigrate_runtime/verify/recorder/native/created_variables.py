"""The variables that a program of TensorFlow 2 makes, in order of creation.

Variables of metrics, optimizers and of random generators are recognised by what creates them; the
rest are of models.

Private names of TensorFlow and Keras that are touched, and why no public one does:

======================================================== =====================================
name                                                     what for
======================================================== =====================================
tensorflow.python.ops.variables.VariableMetaclass        what all variables are made by
keras.src.backend.common.variables.Variable              those of Keras 3, which have paths
``_distributed_container``                               the variable that a copy on a replica is of
``_in_graph_mode``                                       whether a variable belongs to a graph
======================================================== =====================================
"""

import sys
import threading
import weakref
from typing import Any, Dict, List, Sequence

from ..program import wrapping
from ..sessions import graph_variables

MODEL, OPTIMIZER, METRIC, SEED = "model", "optimizer", "metric", "seed"
_MAKERS = {
    "BaseOptimizer": OPTIMIZER, "_BaseOptimizer": OPTIMIZER, "OptimizerV2": OPTIMIZER,
    "Optimizer": OPTIMIZER,  # of tf.train
    "Metric": METRIC, "SeedGenerator": SEED, "Generator": SEED, "CollectiveReplicaLauncher": SEED,
}  # fmt: skip
_LIBRARIES = ("keras", "tf_keras", "tensorflow")


def tensorflow_variable(variable: Any) -> Any:
    """Returns the variable of TensorFlow that a variable is, or one of Keras holds.

    That of a copy on a replica is the one with all copies.
    """
    if hasattr(variable, "path") and hasattr(variable, "_value"):
        variable = variable._value
    if isinstance(getattr(variable, "values", None), tuple):
        return variable  # has no handle where no replica is built
    for holder in (variable, getattr(variable, "handle", None)):
        container = getattr(holder, "_distributed_container", None)
        whole = container() if callable(container) else None
        if whole is not None:
            return whole
    return variable


def is_variable(item: Any) -> bool:
    """Whether something is a variable of TensorFlow or Keras."""
    return hasattr(item, "assign_add") and hasattr(item, "trainable")


class NativeVariable(graph_variables.GraphVariable):
    """One variable that exists outside of graphs."""

    def __init__(self, name: str, variable: Any) -> None:
        """Takes the name that is unique in the program, and the variable."""
        whole = tensorflow_variable(variable)
        super().__init__(whole, bool(getattr(variable, "trainable", False)))
        self.name, self.variable = name, variable
        self.key = id(whole)
        self.parts: List[NativeVariable] = [self]

    @property
    def keys(self) -> List[int]:
        """The keys of all variables that it consists of."""
        return [self.key]

    @property
    def is_there(self) -> bool:
        """Whether it has a value; not to be read while a graph is built."""
        return all(bool(copy.is_initialized().numpy()) for copy in self.copies)

    def now(self) -> Any:
        """Returns its value; not to be called while a graph is built."""
        return self.value([copy.read_value().numpy() for copy in self.fetches])

    def put(self, value: Any) -> None:
        """Overwrites it on all replicas; not to be called while a graph is built."""
        for copy, held in zip(self.copies, self.of_copies(value, ())):
            copy.assign(held)

    def of_copies(self, value: Any, present: Sequence[Any]) -> List[Any]:
        """Returns what each copy holds of a value.

        Args:
            value: of the variable.
            present: what the copies hold, of which a part of them may stay.
        """
        is_sum = self.combine == "SUM"
        return [value * 0 if is_sum and index else value for index in range(len(self.copies))]

    def of_slot(self, slots: Sequence["NativeVariable"]) -> "NativeVariable":
        """Returns a slot of the variable, given those of its parts."""
        return slots[0]


def values_of(variables: Sequence[NativeVariable], fetched: Sequence[Any]) -> Dict[str, Any]:
    """Returns the values of variables by their names, given those of all copies."""
    values, position = {}, 0
    for variable in variables:
        count = len(variable.fetches)
        values[variable.name] = variable.value(fetched[position : position + count])
        position += count
    return values


class Created:
    """Tracks the variables that a program creates."""

    def __init__(self) -> None:
        self._found: List[Any] = []  # weak references
        self._kinds: Dict[int, str] = {}
        self._trainable: Dict[int, bool] = {}
        self.initializers: Dict[int, Any] = {}  # by the id of a variable of Keras
        self._local = threading.local()

    def install(self) -> None:
        """Wraps what makes variables of TensorFlow."""
        from tensorflow.python.ops import variables

        def call(original: Any, *arguments: Any, **options: Any) -> Any:
            if getattr(self._local, "inside", False):
                return original(*arguments, **options)
            with wrapping.setting(self._local, "inside"), wrapping.setting(self._local, "making"):
                result = original(*arguments, **options)
            self._add(result)
            return result

        wrapping.wrap(variables.VariableMetaclass, "__call__", call)

    def of_keras(self, module: Any) -> None:
        """Wraps what makes variables of Keras 3, once its module is loaded."""
        kind = getattr(module, "Variable", None) or module.KerasVariable  # before Keras 3.6

        def initialize(original: Any, this: Any, initializer: Any, *more: Any, **by: Any) -> None:
            with wrapping.setting(self._local, "making"):
                original(this, initializer, *more, **by)
            self._add(this)
            self.initializers[id(this)] = initializer

        wrapping.wrap(kind, "__init__", initialize)

    @property
    def is_making(self) -> bool:
        """Whether a variable is being made, so that what is drawn are initial values."""
        return bool(getattr(self._local, "making", False))

    def _add(self, variable: Any) -> None:
        if getattr(variable, "_in_graph_mode", False):
            return  # of an export that is run to record what it computes
        try:
            self._found.append(weakref.ref(variable))
        except TypeError:
            return  # cannot be referenced weakly
        self._kinds[id(variable)] = _kind_by_maker()
        self._trainable[id(variable)] = bool(getattr(variable, "trainable", False))

    def trains(self, variable: Any) -> bool:
        """Returns whether a variable was made to be trained: its layer may be frozen since."""
        return self._trainable.get(id(variable), bool(getattr(variable, "trainable", False)))

    def places(self) -> Dict[int, int]:
        """Returns the positions of variables in the order of creation, by the ids of their keys."""
        positions: Dict[int, int] = {}
        for place, reference in enumerate(self._found):
            variable = reference()
            if variable is not None:
                positions.setdefault(id(tensorflow_variable(variable)), place)
        return positions

    def of_models(self, others: Sequence[Any]) -> List[Any]:
        """Returns the variables of models that are still there.

        Args:
            others: those that are known to be of something else.
        """
        alive = [reference() for reference in self._found]
        alive = [variable for variable in alive if variable is not None]
        known = {id(tensorflow_variable(variable)) for variable in others}
        held = {id(v._value) for v in alive if hasattr(v, "path") and hasattr(v, "_value")}
        model_variables = []
        for variable in alive:
            whole = tensorflow_variable(variable)
            if id(variable) in held or whole is None or id(whole) in known:
                continue
            if self._kinds[id(variable)] == MODEL:
                model_variables.append(variable)
        return model_variables


def _kind_by_maker() -> str:
    """Returns what a variable is for, by the object whose method makes it."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).split(".")[0]
        if package == "tf_keras" and frame.f_code.co_name == "_init_batch_counters":
            return METRIC
        maker = frame.f_locals.get("self") if package in _LIBRARIES else None
        for base in type(maker).__mro__ if maker is not None else ():
            if base.__name__ in _MAKERS and base.__module__.split(".")[0] in _LIBRARIES:
                return _MAKERS[base.__name__]
        frame = frame.f_back
    return MODEL


def named(variables: Sequence[Any]) -> List[NativeVariable]:
    """Returns variables under unique names."""
    counts: Dict[str, int] = {}
    natives = []
    for variable in variables:
        name = getattr(variable, "path", None) or variable.name.split(":")[0]
        counts[name] = counts.get(name, 0) + 1
        unique = name if counts[name] == 1 else "%s#%d" % (name, counts[name])
        natives.append(NativeVariable(unique, variable))
    return natives
