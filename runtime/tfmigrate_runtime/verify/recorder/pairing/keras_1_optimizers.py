"""The names that tf.keras has for the variables of Keras' first optimizers.

``K.variable`` makes their learning rate, their count of steps and their slots, which are trainable
as all that it makes, and called ``training/Variable_3``. TensorFlow 1.15 has these optimizers in
tf.contrib.keras; those of its tf.keras, and of migrated programs, are others. Without this every
such program was different in its trainable variables.
"""

import functools
from typing import Any, Dict, Iterator, Sequence, Tuple

from ..program import imports
from . import cell_names

_MODULE = "tensorflow.python.keras.optimizers"
_NUMBERS = {"iterations": "iter", "lr": "learning_rate", "m_schedule": "momentum_cache"}
_SLOTS = {  # of every trained variable, in the order of the optimizer's weights
    "SGD": ("momentum",),
    "RMSprop": ("rms",),
    "Adagrad": ("accumulator",),
    "Adadelta": ("accum_grad", "accum_var"),
    "Adam": ("m", "v", "vhat"),
    "Adamax": ("m", "v"),
    "Nadam": ("m", "v"),
}
_CONSTANTS = ("RMSprop/momentum", "Adadelta/rho", "Nadam/decay")  # variables in tf.keras alone
_NOTED = "_tfmigrate_keras_optimizers"  # of a graph: its optimizers and what they train


def install() -> None:
    """Notes the optimizers of each graph, once the module that has them is loaded."""
    imports.when_loaded([_MODULE], _observe)


def _observe(module: Any) -> None:
    base: Any = getattr(module, "Optimizer", None)
    if not hasattr(base, "get_updates"):  # of a later Keras
        return
    original = base.get_gradients

    @functools.wraps(original)
    def noting(this: Any, loss: Any, params: Sequence[Any]) -> Any:
        setattr(loss.graph, _NOTED, getattr(loss.graph, _NOTED, []) + [(this, list(params))])
        return original(this, loss, params)

    base.get_gradients = noting


def names_in(graph: Any) -> Dict[int, str]:
    """Returns the names that tf.keras has for such optimizers' variables, by the ids of these.

    They are "" where tf.keras has no such variable.
    """
    return {
        id(variable): name
        for optimizer, trained in getattr(graph, _NOTED, ())
        for variable, name in _named(optimizer, trained)
    }


def is_constant(name: str) -> bool:
    """Returns whether a variable of tf.keras is a number of Python in the original."""
    return name.endswith(_CONSTANTS) and cell_names.is_new(name)


def _named(optimizer: Any, trained: Sequence[Any]) -> Iterator[Tuple[Any, str]]:
    kind = type(optimizer).__name__
    numbers = {name: value for name, value in vars(optimizer).items() if hasattr(value, "op")}
    ids = {id(variable) for variable in numbers.values()}
    slots = [weight for weight in optimizer.weights if id(weight) not in ids]
    if not slots:  # a class of the program, or an optimizer of tf.train in Keras
        return
    scopes = slots[0].name.split("/")[:-1]
    scope = "/".join(scopes if scopes[-1:] == [kind] else scopes + [kind])
    for name, variable in numbers.items():
        yield variable, "%s/%s" % (scope, _NUMBERS.get(name, name))
    slot_names = _SLOTS.get(kind, ())
    for index, slot in enumerate(slots):
        number, place = divmod(index, len(trained))
        name = slot_names[number] if number < len(slot_names) else "slot_%d" % number
        is_there = _is_in_tf_keras(optimizer, name)
        yield slot, "%s/%s/%s" % (scope, trained[place].name.split(":")[0], name) * is_there


def _is_in_tf_keras(optimizer: Any, slot: str) -> bool:
    """Returns whether tf.keras has a slot, which it makes only where it is needed."""
    from tensorflow.python.framework import tensor_util

    if slot == "vhat":
        return bool(optimizer.amsgrad)
    if slot == "momentum":
        return bool(tensor_util.constant_value(optimizer.momentum.initial_value) != 0)
    return True
