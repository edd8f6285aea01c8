"""The losses of programs without sessions, kept until an optimizer uses their gradients."""

from typing import Any, List, Sequence, Set, Tuple

import numpy as np

from ..recording import Model
from ..sessions import batch_rows

_MOST_PENDING = 1024  # losses that no optimizer has used
_NO_BATCH = "its first step reads no arrays that can be recorded"


class Loss:
    """One loss that was computed: of a replica, for some variables."""

    def __init__(
        self,
        replica: int,
        run: int,
        tapes: Tuple[int, Sequence[int]],
        sources: Set[int],
        value: float,
        batch: Sequence[Any],
    ) -> None:
        """Takes a loss and its context.

        Args:
            replica: that computed it.
            run: of the strategy, 0 for none.
            tapes: the number of the one that it was differentiated by, and of those that recorded
                this.
            sources: ids of the variables that it was differentiated for.
            value: the loss.
            batch: the arrays that it was computed of.
        """
        self.replica, self.run, self.sources = replica, run, sources
        self.tape, self.recorded_by = tapes
        self.value, self.batch = value, batch


class Losses:
    """The losses since the last step."""

    def __init__(self) -> None:
        self._pending: List[Loss] = []

    def add(self, loss: Loss) -> None:
        """Keeps a loss, and only the last ones of those that nothing uses."""
        self._pending.append(loss)
        del self._pending[:-_MOST_PENDING]

    def of_round(self, model: Any) -> Set[int]:
        """Keeps only those losses of a round that are compared; returns keys of their variables."""
        keys: Set[int] = model.round.keys_of_loss(self._pending)
        self._pending = [
            loss
            for loss in self._pending
            if loss.sources & keys or not loss.sources & model.trained
        ]
        return keys

    def record(self, model: Any, recorded: Model, keys: Set[int], scale: float) -> bool:
        """Records the loss, and the first batch, of a step; returns whether there is one.

        Args:
            model: the model.NativeModel that makes the step.
            recorded: where.
            keys: of the variables that it updates.
            scale: what its optimizer has scaled the loss by.
        """
        mine = [loss for loss in self._pending if loss.sources & keys]
        self._pending = [loss for loss in self._pending if not loss.sources & keys]
        # What a loss that is trained was computed of is another's gradient: as by MAML, whose
        # tasks take a step each of which the new losses are computed, or a penalty on gradients.
        used = {loss.tape for loss in mine}
        mine = [loss for loss in mine if used.isdisjoint(loss.recorded_by)]
        if not mine:
            return False
        replicas = sorted({loss.replica for loss in mine})
        each = [np.mean([x.value for x in mine if x.replica == r]) / scale for r in replicas]
        if all(loss.run and loss.run not in model.runs for loss in mine):
            # The program averages the gradients of replicas outside of them, as towers did.
            each = [loss / len(each) for loss in each]
        recorded.losses.append(float(np.sum(each)))
        if len(each) > 1:
            recorded.tower_losses.append([float(loss) * len(each) for loss in each])
        if recorded.batch is None:
            recorded.batch, recorded.about["batch"] = _batch_of(mine)
        return True


def _batch_of(losses: Sequence[Any]) -> Any:
    """Returns the rows of all replicas, and the entry about them for ``meta``."""
    parts = [loss.batch for loss in sorted(losses, key=lambda loss: loss.replica) if loss.batch]
    widths = {len(part) for part in parts}
    arrays = {}
    if len(widths) == 1:
        for number, values in enumerate(zip(*parts)):
            if all(value.ndim for value in values):
                arrays["0/%d" % number] = batch_rows.joined(values)
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    return arrays, {"shapes": shapes, "reason": None if arrays else _NO_BATCH}
