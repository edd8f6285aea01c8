"""An optimizer's slots: which of the original's is which of a port's.

TensorFlow 1.x calls them by the optimizer, ``w/Adam`` and ``w/Adam_1``; here they have roles:

========== =================================================================
``m``       Adam's first moment (``exp_avg`` of torch, ``mu`` of optax)
``v``       Adam's second moment (``exp_avg_sq``, ``nu``)
``momentum``  the accumulator of momentum (``momentum_buffer``, ``trace``)
``rms``     RMSProp's mean square (``square_avg``, ``nu``)
``sum``     Adagrad's sum of squares (``sum``, ``sum_of_squares``)
``delta``   Adadelta's second accumulator (``acc_delta``, ``e_x``)
========== =================================================================
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tfmigrate_runtime.verify.recorder.pairing.slot_names import original_slots

ROLES = ("m", "v", "momentum", "rms", "sum", "delta")
# In the order in which TensorFlow 1.x makes them.
_OF_OPTIMIZERS = {
    "Adam": ("m", "v"),
    "Momentum": ("momentum",),
    "RMSProp": ("rms", "momentum"),
    "Adagrad": ("sum",),
    "Adadelta": ("rms", "delta"),
}
_COUNTER = re.compile(r"(?:^|/)(?:global_step|beta[12]_power(?:_\d+)?)$")


def is_step(name: str) -> bool:
    """Returns whether a variable of the original counts the steps."""
    return name.rsplit("/", 1)[-1] == "global_step"


def is_counter(name: str) -> bool:
    """Returns whether a variable of the original follows from the number of steps."""
    return _COUNTER.search(name) is not None


def roles_of(forms: Sequence[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Returns the slots of a trace: by their names the variable that each is of, and its role.

    Those of optimizers that are not listed above have the role "".
    """
    by_slot = {}
    for owner, slots in original_slots(forms).items():
        for number, form in enumerate(slots):
            kind = re.sub(r"_\d+$", "", form["name"].rsplit("/", 1)[-1])
            roles: Sequence[str] = _OF_OPTIMIZERS.get(kind, ())
            by_slot[form["name"]] = (owner, roles[number] if number < len(roles) else "")
    return by_slot


def checked(slots: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the slots that a port passes, by their roles.

    Raises:
        ValueError: a role is none.
    """
    if unknown := [role for role in slots if role not in ROLES]:
        raise ValueError(f"no role of a slot: {unknown[0]!r}; there are {', '.join(ROLES)}")
    return slots
