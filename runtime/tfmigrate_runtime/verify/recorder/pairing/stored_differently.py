"""Variables of the original that a Keras program stores differently: slots, steps, powers.

A reading makes the value that the original's variable would have of the migrated program's
variables after each step.

* Slots are those of the optimizer's class, in the order in which TensorFlow 1.x made its own. Those
  of a class of the program, or of an optimizer that TensorFlow 1.x does not have, are in the order
  in which it makes them.
* The momentum of Keras' SGD is that of TensorFlow 1.x times the negative learning rate: with a rate
  that changes it is made of the gradients that follow from it.
* ``beta1_power`` is what the product would be of the optimizer's ``beta_1``.
"""

import re
import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ... import map_file
from ..native.created_variables import NativeVariable

# By the class of the optimizer: where its slots are, in the order of those of TensorFlow 1.x.
_SLOTS: Dict[str, Tuple[str, ...]] = {
    "SGD": ("momentums",),
    "Adam": ("momentums", "velocities"),
    "Adagrad": ("accumulators",),
    "Adadelta": ("accumulated_grads", "accumulated_delta_vars"),
    "RMSprop": ("velocities", "average_gradients", "momentums"),
    "Ftrl": ("accumulators", "linears"),
}
_NAMES = {"SGD": "momentum"}  # how slots of TensorFlow 1.x begin, where not as the class of Keras
_POWER = re.compile(r"(?:^|/)beta([12])_power(?:_\d+)?$")
OF_KERAS = "/momentum"  # what tf.keras 1.x calls its slot; that of tf.train is a "Momentum"
_made: Any = weakref.WeakKeyDictionary()  # slots and what each is for, by their optimizer
NO_MOMENTUM = "the optimizer has no momentum"
NO_DECAY = "the optimizer keeps no beta_1 and beta_2"
Values = Dict[str, Any]  # of the migrated program's variables, by name
Rates = Dict[int, float]  # learning rates, by the ids of optimizers


class Reading:
    """One variable of the original, read from one of the migrated program."""

    optimizer: Any = None  # whose momentum it is

    def __init__(
        self,
        name: str,
        variable: NativeVariable,
        layout: Optional[map_file.Layout] = None,
        form: Optional[Dict[str, Any]] = None,
    ) -> None:
        """Takes the variable and its layout.

        Args:
            name: what the trace calls it.
            variable: where it is.
            layout: how it is brought into the original's form.
            form: ``meta`` of the original's variable, None for what the variable is.
        """
        self.name, self.variable = name, variable
        self.layout = layout or map_file.Layout()
        self.shape = list(form["shape"]) if form else variable.shape
        self.trainable = bool(variable.trainable)
        self._kind = form["dtype"] if form and not self.trainable else None
        self.dtype = self._kind or variable.dtype

    def initial(self, values: Values) -> Any:
        """Returns the value before the first step."""
        return self._read(values)

    def after(self, values: Values, rates: Rates) -> Any:
        """Returns the value after a step; called for every step in turn.

        Args:
            values: the variables after it.
            rates: the learning rates of the optimizers that made it.
        """
        return self._read(values)

    def load(self, value: Any) -> bool:
        """Gives the variable a value of the original; returns whether that could be done."""
        native = self.layout.to_migrated(value, self.variable.shape)
        if list(native.shape) != list(self.variable.shape):
            return False
        self.variable.put(native.astype(self.variable.dtype))
        return True

    def native(self, value: Any) -> Any:
        """Returns what the variable holds for a value of the original; None for nothing.

        The next call of ``after`` is for a step that begins with it.

        Args:
            value: the original's after a step.
        """
        native = self.layout.to_migrated(value, self.variable.shape)
        fits = list(native.shape) == list(self.variable.shape)
        return native.astype(self.variable.dtype) if fits else None

    def _read(self, values: Values) -> Any:
        value = self.layout.to_original(values[self.variable.name], self.shape)
        value = np.ascontiguousarray(value).reshape(value.shape)
        if self._kind is not None and value.dtype.name != self._kind and value.dtype.kind in "iuf":
            value = value.astype(self._kind)
        return value


class Count(Reading):
    """The steps of an optimizer that adds up the gradients of several batches for each."""

    def __init__(self, name: str, variable: NativeVariable, form: Any, optimizer: Any) -> None:
        """Takes the names of both, and the optimizer."""
        super().__init__(name, variable, None, form)
        self._batches = batches_of(optimizer)

    def native(self, value: Any) -> Any:
        """Returns the batches that so many steps take."""
        return super().native(value * self._batches)

    def load(self, value: Any) -> bool:
        """Gives the variable as many batches."""
        return super().load(value * self._batches)

    def _read(self, values: Values) -> Any:
        return super()._read(values) // self._batches


class Momentum(Reading):
    """The momentum of TensorFlow 1.x, made of that of Keras' SGD."""

    decay = 0.0

    def initial(self, values: Values) -> Any:
        """Returns the value before the first step: Keras starts from zeros."""
        self._before = self._read(values)
        self._rate = self._rates = None  # type: Any
        self._sum = 0.0 - self._before
        return self._sum

    def after(self, values: Values, rates: Rates) -> Any:
        """Returns the sum of gradients that the momentum is of."""
        rate = rates.get(id(self.optimizer))
        if rate is None:
            return self._sum  # another optimizer made the step
        self._rate = rate
        now = self._read(values)
        if not rate:  # a warm-up may start at 0: Keras loses the gradients of such steps
            self._rates = "several"
            self._sum = (self.decay * self._sum).astype(now.dtype)
            self._before = now
            return self._sum
        with np.errstate(all="ignore"):
            scaled = (0.0 - now) / now.dtype.type(rate)
            if self._rates in (None, rate):
                self._rates, self._sum = rate, scaled
            else:
                self._rates = "several"
                gradient = (self.decay * self._before - now) / now.dtype.type(rate)
                self._sum = (self.decay * self._sum + gradient).astype(now.dtype)
        self._before = now
        return self._sum

    def native(self, value: Any) -> Any:
        """Returns the momentum of Keras, which has the learning rate of its last step in it."""
        if self._rate is None:
            return None  # its optimizer has made no step
        native = super().native(0.0 - value * value.dtype.type(self._rate))
        if native is not None:
            self._before = self._read({self.variable.name: native})
            self._sum, self._rates = value, "several"
        return native

    def load(self, value: Any) -> bool:
        """Refuses other values than zeros, which are no momentum of Keras."""
        return not value.any() and super().load(value)


class Power(Reading):
    """The power of one of Adam's rates of decay."""

    def __init__(self, name: str, variable: NativeVariable, rate: float, form: Any) -> None:
        """Takes the names of both, and the rate."""
        super().__init__(name, variable, None, form)
        self.trainable = False
        self.shape = []
        self.dtype = form["dtype"]
        self.rate = rate

    def at(self, step: int) -> Any:
        """Returns the power after so many steps."""
        return np.asarray(float(np.asarray(self.rate, self.dtype)) ** (step + 1), self.dtype)

    def initial(self, values: Values) -> Any:
        """Returns the rate."""
        self._power = np.asarray(self.rate, self.dtype)
        return self._power.copy()

    def after(self, values: Values, rates: Rates) -> Any:
        """Returns the next power."""
        self._power = np.asarray(self._power * np.asarray(self.rate, self.dtype), self.dtype)
        return self._power.copy()

    def native(self, value: Any) -> Any:
        """Returns None: it is not a variable, but goes on from the original's."""
        self._power = value
        return None

    def load(self, value: Any) -> bool:
        """Leaves the rate as it is: it is not a variable."""
        return False


def powers(
    form: Dict[str, Any], optimizers: Sequence[Any], steps: NativeVariable
) -> Optional[List[Reading]]:
    """Returns readings of ``beta1_power`` or ``beta2_power`` by optimizers that have such a rate.

    None if the original's variable is none of these.
    """
    match = _POWER.search(form["name"])
    if match is None:
        return None
    rates = [getattr(optimizer, "beta_%s" % match.group(1), None) for optimizer in optimizers]
    return [Power(form["name"], steps, float(rate), form) for rate in rates if rate is not None]


def batches_of(optimizer: Any) -> int:
    """Returns of how many batches an optimizer adds up the gradients for a step."""
    return int(getattr(optimizer, "gradient_accumulation_steps", None) or 1)


def is_between_steps(optimizer: Any) -> bool:
    """Returns whether an optimizer has only added up gradients when it was called last."""
    batches = batches_of(optimizer)
    return batches > 1 and int(np.asarray(optimizer._iterations)) % batches > 0


def note(optimizer: Any, variable: Any, slot: Any, name: Optional[str] = None) -> None:
    """Notes that an optimizer has made a slot of a variable."""
    _made.setdefault(optimizer, []).append((variable, slot, name or ""))


def slots_of(
    optimizer: Any, variables: Sequence[NativeVariable]
) -> Dict[str, List[Optional[Tuple[str, Any]]]]:
    """Returns the slots of variables, by their names: of each where it is, and its variables.

    None is a slot that TensorFlow 1.x has and this optimizer does not need.
    """
    names = next((_SLOTS[k.__name__] for k in type(optimizer).__mro__ if k.__name__ in _SLOTS), ())
    index = {id(v): i for i, v in enumerate(_trained(optimizer))}
    further = _further(optimizer)
    by_variable: Dict[str, List[Optional[Tuple[str, Any]]]] = {}
    for variable in variables:
        if not all(key in index for key in variable.keys):
            continue
        slots: List[Optional[Tuple[str, Any]]] = []
        for name in names:
            held = getattr(optimizer, "_" + name, None) or getattr(optimizer, name, None) or []
            positions = [index[key] for key in variable.keys]
            if all(place < len(held) and held[place] is not None for place in positions):
                slots.append((name, [held[place] for place in positions]))
            elif names == _SLOTS["RMSprop"] and name == "momentums":
                slots.append(None)
        held_ids = {id(part) for slot in slots if slot is not None for part in slot[1]}
        by_part = [
            [s for s in further.get(k, ()) if id(s[1]) not in held_ids] for k in variable.keys
        ]
        # Those that the class is not known for.
        slots += [(parts[0][0], [slot for _, slot in parts]) for parts in zip(*by_part)]
        by_variable[variable.name] = slots
    return by_variable


def _further(optimizer: Any) -> Dict[int, List[Tuple[str, Any]]]:
    """Returns the slots that an optimizer has made, with their names, by their variables' keys."""
    from ..native.created_variables import tensorflow_variable

    # Every optimizer may keep these besides.
    besides = [
        *(getattr(optimizer, "_accumulated_gradients", None) or ()),
        *(getattr(optimizer, "_model_variables_moving_average", None) or ()),
    ]
    ids = {id(each) for each in besides}
    by_key: Dict[int, List[Tuple[str, Any]]] = {}
    for owner, slot, name in _made.get(optimizer, ()):
        if id(slot) not in ids:
            by_key.setdefault(id(tensorflow_variable(owner)), []).append((name, slot))
    return by_key


def averages_of(optimizer: Any) -> Dict[int, Any]:
    """Returns the averages that an optimizer keeps of what it trains, by their variables' keys."""
    averages = getattr(optimizer, "_model_variables_moving_average", None) or ()
    variables = map(id, _trained(optimizer))
    return {key: average for key, average in zip(variables, averages) if average is not None}


def in_order_of(
    forms: Sequence[Dict[str, Any]], slots: Sequence[Optional[Tuple[str, Any]]]
) -> List[Optional[Tuple[str, Any]]]:
    """Returns slots in the order of the original's, where their names are the ends of its names.

    BERT's optimizer calls them ``adam_m`` and ``adam_v``: a port may make ``v`` first.
    """
    by_form = [
        [s for s in slots if s and s[0] and str(form["name"]).split("/")[-1].endswith(s[0])]
        for form in forms
    ]
    names = {fitting[0][0] for fitting in by_form if len(fitting) == 1}
    return [each[0] for each in by_form] if len(names) == len(forms) else list(slots)


def _trained(optimizer: Any) -> List[Any]:
    from ..native.created_variables import tensorflow_variable

    variables = getattr(optimizer, "_trainable_variables", None) or []
    return [tensorflow_variable(variable) for variable in variables]


def of_slot(
    form: Dict[str, Any], slot: Tuple[str, NativeVariable], layout: map_file.Layout, optimizer: Any
) -> Reading:
    """Returns the reading of a slot.

    Args:
        form: ``meta`` of the original's variable.
        slot: where it is, and the variable.
        layout: that of the variable that it belongs to.
        optimizer: what it is of.
    """
    # Optimizers of tf.keras 1.x have the learning rate in it, as those of Keras 3.
    is_of_keras = form["name"].endswith(OF_KERAS)
    if slot[0] != "momentums" or is_of_keras or not has_momentum(optimizer):
        return Reading(form["name"], slot[1], layout, form)
    reading = Momentum(form["name"], slot[1], layout, form)
    reading.decay, reading.optimizer = float(optimizer.momentum), optimizer
    return reading


def forms_of(optimizer: Any, forms: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Returns the slots of an optimizer among those of a variable, in order of creation.

    Args:
        optimizer: the optimizer of Keras.
        forms: ``meta`` of the original's variables: slots of all its optimizers.
    """
    kind = next((kind for kind in _kinds(optimizer) if kind in _SLOTS), "")
    start = getattr(optimizer, "slots_begin_with", None) or _NAMES.get(kind, kind)
    own = [form for form in forms if form["name"].split("/")[-1].lower().startswith(start.lower())]
    # RMSprop of tf.keras 1.x makes it before the mean of gradients.
    return sorted(own or forms, key=lambda form: str(form["name"]).endswith(OF_KERAS))


def _kinds(optimizer: Any) -> List[str]:
    """Returns the names of an optimizer's classes, the most special one first."""
    own: Optional[List[str]] = getattr(optimizer, "kinds", None)
    return own or [kind.__name__ for kind in type(optimizer).__mro__]


def has_momentum(optimizer: Any) -> bool:
    """Whether momenta are kept that depend on the learning rate: those of Keras' own SGD."""
    if hasattr(optimizer, "has_rate_in_momentum"):
        return bool(optimizer.has_rate_in_momentum)
    module = str(getattr(type(optimizer).update_step, "__module__", ""))
    is_own = module.startswith(("keras.", "tf_keras."))
    return "SGD" in _kinds(optimizer) and is_own and bool(getattr(optimizer, "momentum", 0.0))
