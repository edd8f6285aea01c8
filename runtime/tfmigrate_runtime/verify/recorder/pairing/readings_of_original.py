"""Pairs the variables of a Keras program with those of the original's trace."""

from collections import Counter
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set, Tuple

from ... import map_file
from ..native.created_variables import Created, NativeVariable, named, tensorflow_variable
from . import slot_names, stored_differently, variable_map
from .stored_differently import Reading

_STEPS = "steps"
_COUNTERS = ("global_step", "iter", "iterations")  # of tf.train; of optimizers of tf.keras 1.x
_ASSIGNED = "a number that only the program assigns, between steps"
_SUM = "a sum of gradients between steps"
_IN_TURN = "optimizers that take turns count their own steps"


class Program:
    """The variables of a Keras program that trains one model.

    Attributes:
        trained: those that the optimizer is given, in order of creation. Its own order is that of
            attributes in a subclassed model, not that of the layers' calls.
        others: of models besides, in order of creation.
        idle: variables that a training step does not read, in order of creation.
        own: those of the optimizers.
        steps: the one that counts its steps.
        optimizers: those that take turns; mostly one.
    """

    def __init__(
        self,
        optimizers: Sequence[Any],
        trained: List[NativeVariable],
        others: List[NativeVariable],
        own: List[NativeVariable],
        steps: NativeVariable,
        idle: List[NativeVariable],
    ) -> None:
        """Takes the variables."""
        self.optimizers, self.trained, self.others = optimizers, trained, others
        self.own, self.steps, self.idle = own, steps, idle

    @property
    def all(self) -> List[NativeVariable]:
        """All variables."""
        return self.trained + self.others + self.idle + self.own


def program_of(
    created: Created,
    optimizer: Any,
    variables: Sequence[Any],
    optimizers: Sequence[Any],
    used: Optional[Set[int]],
    is_only: bool,
    without: Sequence[NativeVariable] = (),
    partners: Sequence[Any] = (),
) -> Program:
    """Returns the variables of the program under unique names.

    Args:
        created: the variables that were made.
        optimizer: what trains.
        variables: what it is given.
        optimizers: all of the program.
        used: ids of those that a step reads, None where that is not known.
        is_only: whether no other model trains.
        without: variables that are not of it.
        partners: partner_optimizers.Partner of the optimizers that take turns with it.
    """
    together = [optimizer] + [partner.optimizer for partner in partners]
    own = [variable for each in together for variable in variables_of(each)]
    of_others = [v for other in optimizers for v in variables_of(other)]
    trained = list(variables)
    for partner in partners:  # phases of a training may train the same variables
        keys = {id(tensorflow_variable(variable)) for variable in trained}
        trained += [v for v in partner.variables if id(tensorflow_variable(v)) not in keys]
    of_others += [part.variable for variable in without for part in variable.parts]
    others = created.of_models(trained + own + of_others)
    names = named(trained + others + own)
    counts = len(trained), len(trained) + len(others)
    # What is public is computed of it, where gradients are added up.
    steps = getattr(optimizer, "_iterations", None)
    key = id(tensorflow_variable(optimizer.iterations if steps is None else steps))
    (counter,) = [variable for variable in names if variable.key == key]
    rates = [id(tensorflow_variable(getattr(o, "_learning_rate", None))) for o in together]
    without_rates = [variable for variable in names[counts[1] :] if variable.key not in rates]
    besides = names[counts[0] : counts[1]]
    # Variables that a further model may use are not paired with this one.
    idle = [v for v in besides if is_only and used is not None and v.key not in used]
    besides = [v for v in besides if used is None or v.key in used]
    places = created.places()
    trained_ones = sorted(names[: counts[0]], key=lambda v: places.get(v.key, len(places)))
    return Program(together, trained_ones, besides, without_rates, counter, idle)


def variables_of(optimizer: Any) -> List[Any]:
    """Returns the variables of an optimizer itself."""
    own = optimizer.variables
    return list(own() if callable(own) else own)


class Paired:
    """The recorded variables of a program, and how they were paired.

    Attributes:
        readings: the recorded variables, in order.
        about: ``meta["map"]``: ``pairs``, of each variable of the original ``[name of the migrated
            program's, how it was found]``; ``left_out``, why some of the original's are not
            compared; ``extra``, variables of the migrated program that the original does not have.
    """

    def __init__(self) -> None:
        self.readings: List[Reading] = []
        self.about: Dict[str, Any] = {"pairs": {}, "left_out": {}, "extra": []}

    def add(self, reading: Reading, how: str) -> None:
        """Adds a reading."""
        self.readings.append(reading)
        self.about["pairs"][reading.name] = [reading.variable.name, how]


def alone(program: Program) -> Paired:
    """Returns the readings of a program that is compared with no trace, under its own names."""
    paired = Paired()
    for variable in program.all:
        paired.readings.append(Reading(variable.name, variable))
    return paired


def paired(
    program: Program, about: Dict[str, Any], by_map: Dict[str, map_file.Entry], path: str
) -> Paired:
    """Returns the recorded variables of a program under the names of the original.

    Args:
        program: the program's variables.
        about: ``meta`` of the original's model.
        by_map: the map.
        path: its file.

    Raises:
        RefusedError: the map names unknown variables, or a map is needed.
    """
    forms = about["variables"]
    # What rounding is measured from has no variables that the map left out.
    left_out = about.get("left_out", ())
    by_map = {name: entry for name, entry in by_map.items() if name not in left_out}
    named = [(v.name, tuple(v.shape)) for v in program.all]
    variable_map.check(path, by_map, _named(forms), named)
    pairing = _Found(program, by_map)
    for form in forms:
        pairing.take_given(form)
        if form["name"] in about.get("gradient_sums", ()):
            pairing.leave_out([form], _SUM)
    slots_of = slot_names.original_slots(forms)
    with_slots = [name for name, of_variable in slots_of.items() if of_variable]
    trainable = [form for form in forms if form["trainable"]]
    for names in (with_slots, about.get("written_by_steps", ())):
        pairing.take_trained([form for form in trainable if form["name"] in names])
    pairing.take_trainable(trainable)
    pairing.take_steps(forms, about.get("counters", ()))
    pairing.take_slots(forms)
    pairing.take_averages(forms)
    open_forms = [form for form in forms if pairing.is_open(form) and not form["trainable"]]
    # A learning rate that is assigned between steps need not be a variable of Keras, and a number
    # that is may be anything.
    numbers = [form for form in open_forms if not form["shape"] and not _is_written(form, about)]
    # An optimizer that is still to come leaves its slots open: averages of weights are no partners.
    by_owner = slots_of.values()
    slots = [form["name"] for its_forms in by_owner for form in its_forms]
    for are_slots in (False, True):
        some = [form for form in open_forms if (form["name"] in slots) == are_slots]
        pairing.take_others([form for form in some if form not in numbers])
    pairing.take_same_names(open_forms)
    pairing.check_trainable(trainable)
    pairing.leave_out(numbers, _ASSIGNED)
    if any(hasattr(optimizer, "keeps_slots_anywhere") for optimizer in program.optimizers):
        pairing.check_slots(by_owner)
    result = pairing.result
    order = {form["name"]: number for number, form in enumerate(forms)}
    result.readings.sort(key=lambda reading: order[reading.name])
    for variable in program.trained:
        if variable.name not in pairing.used:
            result.readings.append(Reading(variable.name, variable))
    used = {reading.variable.name for reading in result.readings}
    result.about["extra"] = [v.name for v in program.others if v.name not in used]
    return result


class _Found:
    """The pairs found so far."""

    def __init__(self, program: Program, by_map: Dict[str, map_file.Entry]) -> None:
        self.program, self.by_map = program, by_map
        self.result = Paired()
        self.used: Dict[str, Reading] = {}  # by the name of the migrated program's variable
        self._known = {variable.name: variable for variable in program.all}
        self._taken: Dict[str, Reading] = {}  # by the name of the original's

    def is_open(self, form: Dict[str, Any]) -> bool:
        """Whether a variable of the original has no partner yet."""
        name = form["name"]
        return name not in self._taken and name not in self.result.about["left_out"]

    def leave_out(self, forms: Sequence[Dict[str, Any]], reason: str) -> None:
        """Leaves out variables of the original that have no partner."""
        names = [form["name"] for form in forms if self.is_open(form)]
        self.result.about["left_out"].update(dict.fromkeys(names, reason))

    def _add(self, reading: Reading, how: str) -> None:
        self.result.add(reading, how)
        self._taken[reading.name] = reading
        if not isinstance(reading, stored_differently.Power):
            self.used[reading.variable.name] = reading

    def take_given(self, form: Dict[str, Any]) -> None:
        """Pairs the variables of the map."""
        name = form["name"]
        if name not in self.by_map:
            return
        entry = self.by_map[name]
        if entry.variable is None:
            self.result.about["left_out"][name] = "left out by --map"
            return
        self._add(Reading(name, self._known[entry.variable], entry.layout, form), "map")

    def take_trained(self, forms: Sequence[Dict[str, Any]]) -> None:
        """Pairs what the original's optimizer trains, if it has the shapes of what this one does.

        The network of an agent and its target have the same layers: both can be trained in
        TensorFlow 1.x, where the optimizer is given one of them.

        Args:
            forms: trainable variables that steps of the original train, as far as is known.
        """
        forms = [form for form in forms if self.is_open(form)]
        trained = [v for v in self.program.trained if v.name not in self.used]
        if _shapes(forms) == Counter(tuple(v.shape) for v in trained):
            self.take(forms, trained)

    def take_trainable(self, forms: Sequence[Dict[str, Any]]) -> None:
        """Pairs what the optimizer trains; then variables that no optimizer was given."""
        forms = [form for form in forms if self.is_open(form)]
        trained = [v for v in self.program.trained if v.name not in self.used]
        variable_map.check_layouts(_named(forms), [(v.name, tuple(v.shape)) for v in trained])
        self.take(forms, trained)
        self._take_besides(forms, (True, False))

    def take_others(self, forms: Sequence[Dict[str, Any]]) -> None:
        """Pairs what the original cannot train: averages, and models no optimizer is given."""
        self._take_besides(forms, (False, True))

    def _take_besides(self, forms: Sequence[Dict[str, Any]], flags: Sequence[bool]) -> None:
        """Pairs variables besides the trained ones, preferably those with the first of these flags.

        Target networks of reinforcement learning may have either: no optimizer is given them.
        """
        # Of a layer that is frozen and its average, the step reads the layer.
        for there in (self.program.others, self.program.idle):
            for is_trainable in flags:
                left = [form for form in forms if self.is_open(form)]
                self.take(left, [v for v in there if v.trainable == is_trainable])

    def take(self, forms: Sequence[Dict[str, Any]], variables: Sequence[NativeVariable]) -> None:
        """Pairs variables by names, shapes and order."""
        variables = [v for v in variables if v.name not in self.used]
        natives = [(v.name, tuple(v.shape)) for v in variables]
        joined = variable_map.with_axes_joined(_named(forms), natives)
        natives = [(name, joined.get(name, shape)) for name, shape in natives]
        by_name = {form["name"]: form for form in forms}
        for name, (other, how) in variable_map.pairs(_named(forms), natives).items():
            layout = map_file.Layout(reshape=other in joined)
            reading = Reading(name, self._known[other], layout, by_name[name])
            if other in joined:
                self.result.about.setdefault("reshaped", []).append(name)
            if reading.variable not in self.program.trained:
                reading.trainable = by_name[name]["trainable"]  # nothing depends on its flag
            self._add(reading, how)

    def take_same_names(self, forms: Sequence[Dict[str, Any]]) -> None:
        """Pairs variables of the same name, as optimizers of Keras on both sides have them."""
        for form in forms:
            variable = self._known.get(form["name"])
            if variable is None or form["name"] in self.used or not self.is_open(form):
                continue
            if list(variable.shape) == list(form["shape"]):
                self._add(Reading(form["name"], variable, None, form), "name")

    def take_steps(self, forms: Sequence[Dict[str, Any]], counters: Sequence[str]) -> None:
        """Pairs the step, and the powers that follow from it.

        Args:
            forms: of the original's variables.
            counters: names of those that its optimizers count, which may be ``Variable``.
        """
        for form in forms:
            if not self.is_open(form) or form["trainable"] or form["shape"]:
                continue
            optimizers = self.program.optimizers
            powers = stored_differently.powers(form, optimizers, self.program.steps)
            name = form["name"]
            is_counter = name in counters or name.split("/")[-1] in _COUNTERS
            if len(optimizers) > 1 and (powers or is_counter):
                self.leave_out([form], _IN_TURN)
            elif powers:
                self._add(powers[0], _STEPS)
            elif powers is not None:  # a class of the program may call them anything
                self.leave_out([form], stored_differently.NO_DECAY)
            elif is_counter and not self._is_of_another(name, forms):
                self._add(
                    stored_differently.Count(name, self.program.steps, form, optimizers[0]), _STEPS
                )

    def _is_of_another(self, counter: str, forms: Sequence[Dict[str, Any]]) -> bool:
        """Whether a counter is of an optimizer that is still to come, as a GAN's second one."""
        scope = counter[: counter.rfind("/") + 1]
        trained = {id(variable) for variable in self.program.trained}
        owners = [
            self._taken.get(owner)
            for owner, slots in slot_names.original_slots(forms).items()
            if scope and any(slot["name"].startswith(scope) for slot in slots)
        ]
        return bool(owners) and not any(o and id(o.variable) in trained for o in owners)

    def take_slots(self, forms: Sequence[Dict[str, Any]]) -> None:
        """Pairs the slots of variables that have partners."""
        own = {v.key: v for v in self.program.own}
        original = slot_names.original_slots(forms)
        for optimizer in self.program.optimizers:
            slots = stored_differently.slots_of(optimizer, self.program.trained)
            for owner, its_forms in original.items():
                reading = self._taken.get(owner)
                if reading is None:
                    continue
                open_forms = [form for form in its_forms if self.is_open(form)]
                there = slots.get(reading.variable.name, [])
                own_forms = stored_differently.forms_of(optimizer, open_forms)
                for form, slot in zip(own_forms, stored_differently.in_order_of(own_forms, there)):
                    if slot is None:
                        self.result.about["left_out"][form["name"]] = stored_differently.NO_MOMENTUM
                        continue
                    held = [own[NativeVariable("", part).key] for part in slot[1]]
                    variable = reading.variable.of_slot(held)
                    slot_reading = stored_differently.of_slot(
                        form, (slot[0], variable), reading.layout, optimizer
                    )
                    self._add(slot_reading, "slot")

    def take_averages(self, forms: Sequence[Dict[str, Any]]) -> None:
        """Pairs averages of variables with those that an optimizer keeps (``use_ema``)."""
        own = {v.key: v for v in self.program.own}
        for optimizer in self.program.optimizers:
            averages = stored_differently.averages_of(optimizer)
            for owner, its_forms in slot_names.averages(forms).items():
                reading = self._taken.get(owner)
                form = next(filter(self.is_open, its_forms), None)
                if reading is None or form is None:
                    continue
                keys = reading.variable.keys
                if not all(key in averages for key in keys):
                    continue
                held = [own[NativeVariable("", averages[key]).key] for key in keys]
                variable = reading.variable.of_slot(held)
                self._add(Reading(form["name"], variable, reading.layout, form), "average")

    def check_trainable(self, forms: Sequence[Dict[str, Any]]) -> None:
        """Checks that the trainable variables that are left could not be paired in some order.

        Raises:
            RefusedError: they could.
        """
        open_forms = [form for form in forms if self.is_open(form)]
        program = self.program
        left = [v for v in (*program.trained, *program.others, *program.idle) if v.trainable]
        left = [v for v in left if v.name not in self.used]
        if open_forms and _shapes(open_forms) == Counter(tuple(v.shape) for v in left):
            raise map_file.RefusedError(
                "cannot pair %s of the original with %s of the migrated program: their shapes are "
                "the same, and which is which their names do not show. %s"
                % (
                    variable_map.some([form["name"] for form in open_forms]),
                    variable_map.some([v.name for v in left]),
                    variable_map.PASS_A_MAP % (open_forms[0]["name"], left[0].name),
                )
            )

    def check_slots(self, by_owner: Iterable[Sequence[Dict[str, Any]]]) -> None:
        """Checks that no variables are left that may be the slots that have no partner.

        A loop that updates its variables itself may keep one slot of RMSProp, where the original
        has two: the shapes are those of both.

        Raises:
            RefusedError: there are.
        """
        open_forms = [[f for f in its_forms if self.is_open(f)] for its_forms in by_owner]
        forms = [its_forms[0] for its_forms in open_forms if its_forms]
        left = [
            v
            for v in (*self.program.others, *self.program.idle)
            if not v.trainable and v.name not in self.used
        ]
        shapes = [tuple(v.shape) for v in left]
        for form in forms:
            if tuple(form["shape"]) not in shapes:
                return
            shapes.remove(tuple(form["shape"]))
        if forms:
            raise map_file.RefusedError(
                "cannot pair %s of the migrated program: the shapes are those of several slots of "
                "the original. %s"
                % (
                    ", ".join(v.name for v in left[:4]),
                    variable_map.PASS_A_MAP % (forms[0]["name"], left[0].name),
                )
            )


def _is_written(form: Dict[str, Any], about: Dict[str, Any]) -> bool:
    """Whether a step writes a variable; older traces do not say it."""
    return "written_by_steps" not in about or form["name"] in about["written_by_steps"]


def _shapes(forms: Sequence[Dict[str, Any]]) -> Dict[Tuple[int, ...], int]:
    return Counter(tuple(form["shape"]) for form in forms)


def _named(forms: Sequence[Dict[str, Any]]) -> List[Tuple[str, Tuple[int, ...]]]:
    return [(form["name"], tuple(form["shape"])) for form in forms]


def shapes_of(meta: Dict[str, Any]) -> List[Tuple[int, ...]]:
    """Returns the shapes of all trainable variables of a trace; [] of none."""
    forms = [form for model in _models(meta) for form in model.get("variables") or ()]
    return [tuple(form["shape"]) for form in forms if form["trainable"]]


def meta_of_model(meta: Dict[str, Any], number: int) -> Dict[str, Any]:
    """Returns the entries about the n-th model of a trace, from 0; {} if it has none."""
    models = _models(meta)
    return models[number] if number < len(models) else {}


def _models(meta: Dict[str, Any]) -> List[Dict[str, Any]]:
    return [meta] + list(meta.get("models", ()))
