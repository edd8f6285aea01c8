"""The training of one model by one optimizer of Keras, or by several that take turns."""

from typing import Any, Dict, List, NamedTuple, Sequence, Set

from ..keras import initial_draws
from ..pairing import partner_optimizers, readings_of_original, stored_differently
from ..recording import Model, origin_of
from .created_variables import NativeVariable, tensorflow_variable, values_of


class NativeModel:
    """The training of one model."""

    def __init__(self, recorded: Model, number: int) -> None:
        """Takes where it is recorded, and the position among the models of the program."""
        self.recorded, self.number = recorded, number
        self.fetched: List[NativeVariable] = []
        self.paired: Any = None
        self.steps: Any = None  # the NativeVariable that counts
        self.loaded: Dict[str, Any] = {}  # what was loaded, by variable of the migrated program
        self.own: Dict[str, Any] = {}  # what these variables held before
        self.has_step = False  # whether one was made, or built into a function
        self.to_come: Set[int] = set()  # keys of what compiled models will train
        self.replicas = 1
        self.runs: Set[int] = set()  # numbers of the runs of a strategy that update variables
        self.optimizer: Any = None
        self.trained: Set[int] = set()  # keys of the variables that the optimizers are given
        self.variables: List[Any] = []  # that the optimizer is given
        self.partners: List[
            Any
        ] = []  # partner_optimizers.Partner: optimizers that take turns with it
        self.round: Any = None  # the partner_optimizers.Round where their steps are one together
        self.graph: Any = None  # that a step was last built in, before the first was made
        self.numbers: Sequence[int] = ()  # of the original's steps, where there are partners
        self.is_joined = False  # whether a partner came whose slots are not recorded yet
        self.rates: Dict[int, float] = {}  # of the step that is being made, by ids of optimizers
        self.last: Dict[str, Any] = {}  # values after the last step
        self.written: Set[str] = set()  # untrained variables that the original's steps write
        self.pending: Set[str] = set()  # those of them that the last step has yet to update
        self.given_later: Dict[str, Any] = {}  # the original's values of them, to be given then
        self.is_early = False  # whether that was before its first step was built
        self.is_started = False  # whether it is known what it starts from
        self.has_begun = False  # whether a step was made
        self.earlier: Any = None  # the NativeModel whose training it resumes
        self.weights: List[str] = []  # names of what is trained
        self.state: List[str] = []  # names of what is trained and of the optimizer's own
        self.of_workers: Dict[int, Model] = {}  # steps of others than a coordinator's first worker

    def of_worker(self, index: int) -> Model:
        """Returns where the steps of a worker are recorded, which begins as the first one's."""
        if not index:
            return self.recorded
        if index not in self.of_workers:
            first = self.recorded
            own = Model(first.every, first.shapes)
            own.variables, own.sessions = first.variables, first.sessions
            own.initial, own.follow, own.limit = first.initial, first.follow, first.limit
            own.values = {name: [] for name in first.values}
            own.origin, own.about = first.origin, dict(first.about)
            self.of_workers[index] = own
        return self.of_workers[index]

    def is_by(self, optimizer: Any) -> bool:
        """Whether an optimizer trains it."""
        return any(o is optimizer for o in [self.optimizer, *(p.optimizer for p in self.partners)])

    def join(self, optimizer: Any, variables: Sequence[Any]) -> None:
        """Adds an optimizer that goes on with its training, as one with another rate does."""
        self.partners.append(partner_optimizers.Partner(optimizer, list(variables)))
        self.trained.update(id(tensorflow_variable(variable)) for variable in variables)
        self.is_joined = True

    def resumes(self, other: "NativeModel", state: Sequence[NativeVariable]) -> bool:
        """Whether variables hold, to the bit, what another model had after its last step."""
        if len(state) != len(other.state):
            return False
        pairs = [(v, other.last[n]) for v, n in zip(state, other.state) if n in other.last]
        return bool(pairs) and all(
            variable.is_there and _is_same(variable.now(), value) for variable, value in pairs
        )

    def pair(
        self,
        program: readings_of_original.Program,
        about: Dict[str, Any],
        by_map: Dict[str, Any],
        path: str,
    ) -> None:
        """Pairs the variables of a program with those of the original.

        Args:
            program: its variables, and what counts its steps.
            about: the entry of the original's model in ``meta``; {} where there is none.
            by_map: the pairs that a map gives.
            path: its file.

        Raises:
            RefusedError: which belong together is not certain.
        """
        if about.get("variables") is None:
            self.paired = readings_of_original.alone(program)
        else:
            self.paired = readings_of_original.paired(program, about, by_map, path)
        readings = self.paired.readings
        self.fetched = list({r.variable.name: r.variable for r in readings}.values())
        names = {variable.name for variable in self.fetched}
        if program.steps.name not in names:
            self.fetched.append(program.steps)
        self.steps = program.steps
        besides = {variable.name for variable in program.others + program.idle}
        written = about.get("written_by_steps")  # of sessions only
        self.written = {r.variable.name for r in readings if written is None or r.name in written}
        self.written &= besides
        self.weights = [v.name for v in program.trained if v.name in names]
        self.state = [variable.name for variable in program.trained + program.own]

    def is_under_way(self) -> bool:
        """Whether its first step has begun that updates no weights yet.

        A function that applies gradients which others added up is built when these have updated
        moving averages. Not to be called while a graph is built.
        """
        return (
            self.is_started
            and not self.is_early
            and any(
                variable.name in self.written
                and not _is_same(variable.now(), self.last[variable.name])
                for variable in self.fetched
            )
        )

    def extend(
        self, program: readings_of_original.Program, about: Dict[str, Any], wanted: Dict[str, Any]
    ) -> None:
        """Records what a joined optimizer keeps, too, as if it had been there from the start.

        Args:
            program: the variables of the program.
            about: the entry of the original's model in ``meta``; {} where there is none.
            wanted: the original's initial values.
        """
        if not all(variable.is_there for variable in program.own):
            return  # made by the function that is being built, which is built again with them
        before, fetched, last = self.paired, self.fetched, self.last
        self.pair(program, about, {}, "")
        old = {reading.name: reading for reading in before.readings}
        readings = [old.get(reading.name, reading) for reading in self.paired.readings]
        self.paired.readings = readings
        new = [reading for reading in readings if reading.name not in old]
        names = {variable.name for variable in fetched}
        for reading in new:
            while reading.variable.name in names:
                reading.variable.name += "+"  # it had the name of one that is recorded already
            names.add(reading.variable.name)
        # Functions that were built before pass the values of those before.
        self.fetched = fetched + [reading.variable for reading in new]
        values = {reading.variable.name: reading.variable.now() for reading in new}
        recorded = self.recorded
        shapes: Dict[str, List[int]] = recorded.shapes or {}
        for reading in new:
            initial = recorded.initial[reading.name] = reading.initial(values)
            recorded.values[reading.name] = [initial] * len(recorded.variable_steps)
            shapes[reading.name] = reading.shape
            other = wanted.get(reading.name)
            is_same = other is not None and other.tobytes() == initial.tobytes()
            recorded.origin["pinned" if is_same else "free"].append(reading.name)
        for name in set(recorded.values) - {reading.name for reading in readings}:
            del recorded.values[name], recorded.initial[name], shapes[name]
        recorded.variables, recorded.about["map"] = readings, self.paired.about
        self.last, self.is_joined = {**last, **values}, False

    def start(self, wanted: Dict[str, Any], initializers: Dict[int, Any]) -> None:
        """Loads the original's values where they differ, and records the start."""
        recorded = self.recorded
        readings = self.paired.readings
        origin: Dict[str, List[str]] = {"transferred": [], "pinned": [], "free": []}
        recorded.drawn, self.loaded = {}, {}
        for reading in readings:
            before = reading.initial(self.own)
            value = wanted.get(reading.name)
            kind = origin_of(value, before)
            if kind == "pinned":
                self._put_back(reading)
            # Early, slots are up to the program, and a target network as a copy.
            elif kind == "transferred" and (not self.is_early or self._is_weight(reading)):
                if reading.load(value):
                    recorded.drawn[reading.name] = before
                    self.loaded[reading.variable.name] = reading.variable.now()
                else:
                    kind = "free"
            origin[kind].append(reading.name)
        recorded.origin = origin
        values = {variable.name: variable.now() for variable in self.fetched}
        recorded.initial = {reading.name: reading.initial(values) for reading in readings}
        self.last = values
        recorded.values = {reading.name: [] for reading in readings}
        recorded.variables = readings
        recorded.shapes = {reading.name: reading.shape for reading in readings}
        recorded.about["map"] = self.paired.about
        if not self.is_early:  # what is prepared again is examined then
            recorded.about["initializers"], recorded.laws = initial_draws.examine(
                readings, self.own, initializers, origin["pinned"]
            )
        recorded.sessions = [{"first_step": 0, "loss": "", "replicas": self.replicas}]

    def _is_weight(self, reading: Any) -> bool:
        """Whether a variable is trained, or as yet a copy of one that is (zeros are none)."""
        own = self.own[reading.variable.name]
        if self.to_come.intersection(reading.variable.keys):
            return True  # of the generator, which the optimizer of the combined model trains
        is_copy = own.size > 0 and (own != own.flat[0]).any()
        return reading.variable.name in self.weights or (
            is_copy and any(own.tobytes() == self.own[name].tobytes() for name in self.weights)
        )

    def add_step(self, recorded: Model, values: Dict[str, Any]) -> None:
        """Records a step.

        Args:
            recorded: where: steps of other workers are recorded elsewhere.
            values: of variables after it, by their names.
        """
        number = int(values[self.steps.name]) // stored_differently.batches_of(self.optimizer)
        if self.partners:
            count = len(recorded.steps)
            last = recorded.steps[-1] if count else 0
            number = int(self.numbers[count]) if count < len(self.numbers) else last + 1
        recorded.steps.append(number)
        is_kept = len(recorded.steps) == 1 or len(recorded.steps) % recorded.every == 0
        if is_kept:
            recorded.variable_steps.append(recorded.steps[-1])
        for reading in self.paired.readings:
            value = reading.after(values, self.rates)
            if is_kept:
                recorded.values[reading.name].append(value)
        if not self.of_workers:  # nor is it known there which step an update is of
            known = self.written & set(self.last)
            self.pending = {name for name in known if _is_same(values[name], self.last[name])}
        self.last, self.rates = values, {}

    def settle(self, recorded: Model, values: Dict[str, Any]) -> None:
        """Corrects the last step by what its program has updated after the optimizer.

        Moving averages are: TensorFlow 1.x had their updates in the training op, a loop of
        TensorFlow 2 makes them once the optimizer has returned.

        Args:
            recorded: where the step is recorded.
            values: of variables now, by their names.
        """
        pending, self.pending = {name: values[name] for name in self.pending}, set()
        self.last.update(pending)
        if recorded.variable_steps[-1:] != recorded.steps[-1:]:
            return
        for reading in self.paired.readings:
            if reading.variable.name in pending:
                recorded.values[reading.name][-1] = reading.after(pending, {})

    def add_end(self) -> None:
        """Records which values have changed since the last step."""
        values = {variable.name: variable.now() for variable in self.fetched}
        changed = {}
        for reading in self.paired.readings:
            name = reading.variable.name
            # These go on from one step to the next; all others, the counter too, are as they are.
            plain = not isinstance(reading, (stored_differently.Momentum, stored_differently.Power))
            if plain and values[name].tobytes() != self.last[name].tobytes():
                changed[reading.name] = reading.initial(values)
        recorded = self.recorded
        if recorded.variable_steps[-1:] == recorded.steps[-1:]:
            recorded.ends.append({"step": recorded.steps[-1], "changed": changed})

    def resume(self, earlier: "NativeModel") -> None:
        """Is recorded as the training of an earlier model."""
        self.recorded, self.number = earlier.recorded, earlier.number
        self.is_started, self.loaded = True, {}

    def take_over(self) -> None:
        """Lets the readings of the earlier model read the own variables from now on."""
        own, self.paired = self.paired.readings, self.earlier.paired
        for reading, new in zip(self.paired.readings, own):
            reading.variable, reading.optimizer = new.variable, new.optimizer

    def _put_back(self, reading: Any) -> None:
        """Gives a variable its own value again where another one had been loaded before."""
        name = reading.variable.name
        if reading.variable.now().tobytes() != self.own[name].tobytes():
            reading.variable.put(self.own[name])


class Step(NamedTuple):
    """A step of an optimizer, as it is built into a function.

    Attributes:
        model: whose.
        optimizer: that makes it.
        keys: of the variables that it is given.
        fetched: the variables whose values are passed to Python after it.
    """

    model: NativeModel
    optimizer: Any
    keys: Set[int]
    fetched: List[NativeVariable]

    def values(self, passed: Sequence[Any]) -> Dict[str, Any]:
        """Returns the values of all variables by their names, given those of all copies."""
        return {**self.model.last, **values_of(self.fetched, passed)}


def _is_same(value: Any, other: Any) -> bool:
    return bool(value.shape == other.shape and value.tobytes() == other.tobytes())
