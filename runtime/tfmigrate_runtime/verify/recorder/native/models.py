"""The models that a program without sessions trains: which of them a step is of.

A model is known by what trains it. One that begins with the last values of another goes on with its
training, as a program does that loads a checkpoint into a new model, and is recorded as that one.
"""

from typing import Any, Callable, Dict, List, Optional, Sequence

from ..pairing import partner_optimizers, readings_of_original
from ..recording import Model
from .created_variables import tensorflow_variable
from .model import NativeModel

Partners = Callable[[Any, Sequence[Any]], List[partner_optimizers.Partner]]


class NativeModels(List[NativeModel]):
    """The models, in the order of their first steps."""

    def __init__(self, trace: Any) -> None:
        """Takes where they are recorded: the first one as the trace's first."""
        super().__init__()
        self._trace = trace
        self.numbers: Sequence[int] = ()  # of the original's steps
        self.most = 0  # models of the original; 0 where there is none

    @property
    def begun(self) -> List[NativeModel]:
        """Those that have made a step."""
        return [model for model in self if model.has_begun]

    @property
    def of_workers(self) -> Dict[int, Model]:
        """What other workers than the first made of the first model."""
        return self[0].of_workers if self else {}

    def of(self, optimizer: Any, variables: Sequence[Any], partners: Partners) -> NativeModel:
        """Returns the model that an optimizer trains: that with the same variables, or a new one.

        Args:
            optimizer: the optimizer.
            variables: what it trains.
            partners: returns the optimizers that take turns with that of the first model.
        """
        keys = {id(tensorflow_variable(variable)) for variable in variables}
        for model in self:
            if model.is_by(optimizer):
                model.trained |= keys
                return model
        last = self.begun[-1] if self.begun else None
        if last is not None and len(self) >= self.most:
            known = {key for variable in last.fetched for key in variable.keys}
            if keys & known:
                last.join(optimizer, variables)
                last.numbers = self.numbers
                return last
        early = self.pop() if len(self) == 1 and not self[0].has_step else None
        recorded = self._trace.added({}) if self else self._trace
        model = NativeModel(recorded, len(self._trace.others))
        if early is not None:  # another optimizer makes the first step than was expected
            model.loaded, model.own = early.loaded, early.own
        model.optimizer, model.variables, model.trained = optimizer, list(variables), keys
        if not self:
            model.partners = partners(optimizer, variables)
            model.trained = keys.union(*(partner.keys for partner in model.partners))
            model.numbers = self.numbers
        self.append(model)
        return model

    def earlier(
        self, model: NativeModel, program: readings_of_original.Program
    ) -> Optional[NativeModel]:
        """Returns the last model where another goes on with its training, as from a checkpoint."""
        begun = self.begun
        state = program.trained + program.own
        return begun[-1] if begun and model.resumes(begun[-1], state) else None

    def place(self, model: NativeModel, earlier: Optional[NativeModel]) -> None:
        """Decides where a model is recorded that has made no step: by itself, unless it resumes."""
        if earlier is model.earlier:
            return
        others = self._trace.others
        model.earlier = earlier
        if earlier is not None:
            others.remove(model.recorded)
            model.number = earlier.number
            return
        model.recorded = self._trace.added({})
        model.number = len(others)

    def finish(self, with_ends: bool) -> None:
        """Ends the recording of all models.

        Args:
            with_ends: whether what has changed since their last steps is recorded.
        """
        resumed = [model.earlier for model in self.begun]
        for model in self:
            recorded = model.recorded
            if model in resumed:
                continue
            if not model.has_begun:
                if recorded in self._trace.others:
                    self._trace.others.remove(recorded)
                continue
            for session in recorded.sessions:  # begun before the step was built on all replicas
                session["replicas"] = max(session["replicas"], model.replicas)
            model.settle(
                recorded, {v.name: v.now() for v in model.fetched if v.name in model.pending}
            )
            if with_ends:
                model.add_end()
