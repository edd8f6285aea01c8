"""Several optimizers that train one model of the original in turn: of a GAN, of actor and critic.

A graph of TensorFlow 1 has the variables of all its optimizers, and each run of a training op is a
step of it. So the steps of a program whose optimizers share out the original's variables are
recorded as those of one model, under the numbers of the original's: which optimizer counts the
global step is not to be seen.

Where each step of the original trains the variables of all optimizers, one run had all training
ops: then the steps of all optimizers together are one, with the loss that is the original's first.

An optimizer that was not built yet is, since its slots are to be recorded from the first step on,
which may be another's. Two of them leave open which trains what.
"""

import functools
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from ..keras import calls
from ..native.created_variables import Created, tensorflow_variable
from . import readings_of_original


class Partner(NamedTuple):
    """An optimizer, and the variables that it trains."""

    optimizer: Any
    variables: List[Any]

    @property
    def keys(self) -> List[int]:
        """The keys of its variables."""
        return [id(tensorflow_variable(variable)) for variable in self.variables]


def partners_of(
    optimizer: Any,
    variables: Sequence[Any],
    optimizers: Sequence[Any],
    created: Created,
    meta: Dict[str, Any],
) -> List[Partner]:
    """Returns the optimizers that train the rest of what the original trains; may build one.

    Args:
        optimizer: the one whose step comes first.
        variables: what it trains.
        optimizers: all of the program.
        created: its variables.
        meta: of the original's trace; {} for none.
    """
    from tensorflow.python.framework import ops

    trainable = [form for form in meta.get("variables") or () if form["trainable"]]
    if len(trainable) <= len(variables) or meta.get("models"):
        return []
    taken = set(Partner(optimizer, list(variables)).keys)
    partners, unbuilt = [], []
    for other in optimizers:
        if other is optimizer:
            continue
        if not other.built:
            unbuilt.append(other)
            continue
        partner = Partner(other, list(getattr(other, "_trainable_variables", None) or ()))
        if partner.variables and not taken.intersection(partner.keys):
            partners.append(partner)
            taken.update(partner.keys)
    if len(unbuilt) == 1 and calls.trained_by(unbuilt[0]) is None:
        own = [v for o in optimizers if o.built for v in readings_of_original.variables_of(o)]
        others = [variable for variable in created.of_models(own) if variable.trainable]
        others = [v for v in others if id(tensorflow_variable(v)) not in taken]
        if 0 < len(others) <= len(trainable) - len(taken):
            with ops.init_scope():
                # A second phase may train what the first one does, too.
                unbuilt[0].build(list(variables) + others)
            partners.append(Partner(unbuilt[0], others))
    return partners


class Round:
    """The steps of several optimizers that are one of the original's."""

    def __init__(self, partners: Sequence[Partner], loss: float) -> None:
        """Takes all optimizers, and the original's first loss."""
        self._partners = partners
        self._loss = loss
        self._whose: Optional[Partner] = None  # whose loss the original's is
        self._made: Set[int] = set()  # ids of the optimizers that have made their steps

    def ends_with(self, optimizer: Any) -> bool:
        """Notes a step of an optimizer; returns whether all have made theirs."""
        self._made.add(id(optimizer))
        if len(self._made) < len(self._partners):
            return False
        self._made.clear()
        return True

    def keys_of_loss(self, losses: Sequence[Any]) -> Set[int]:
        """Returns the keys of the variables whose loss is compared.

        Args:
            losses: losses.Loss, of all optimizers.
        """
        if self._whose is None:
            apart = {}
            for number, partner in enumerate(self._partners):
                keys = set(partner.keys)
                own = [loss.value for loss in losses if loss.sources & keys]
                apart[number] = abs(own[-1] - self._loss) if own else float("inf")
            self._whose = self._partners[min(apart, key=lambda number: apart[number])]
        return set(self._whose.keys)


def round_of(partners: Sequence[Partner], readings: Sequence[Any], path: str) -> Optional[Round]:
    """Returns the round of optimizers, None where the original trains their variables in turn.

    Args:
        partners: all optimizers.
        readings: the paired variables.
        path: the original's trace.
    """
    names, loss = _first_step(path)
    moved = {key for reading in readings if reading.name in names for key in reading.variable.keys}
    if all(moved.intersection(partner.keys) for partner in partners):
        return Round(partners, loss)
    return None


@functools.lru_cache(maxsize=1)
def _first_step(path: str) -> Tuple[Set[str], float]:
    """Returns the variables that the original's first step changes, and its loss.

    A model is prepared for each function that is built before its first step.
    """
    moved = set()
    with np.load(path, allow_pickle=False) as stored:
        names = [key[len("variable/") :] for key in stored.files if key.startswith("variable/")]
        for name in names:
            first = stored["variable/" + name][:1]
            if first.size and first[0].tobytes() != stored["initial/" + name].tobytes():
                moved.add(name)
        return moved, float(stored["loss"][0])
