"""The recording of a program, and the file that it is written to."""

import json
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from .. import archive, shared
from .draws import initial_values, of_steps, pinned_randomness
from .sessions import batch_rows, graph_variables, operations, repeats, step_order


def origin_of(wanted: Any, own: Any) -> str:
    """Returns where the value comes from that a variable starts from.

    Args:
        wanted: the other program's, None where there is none.
        own: the program's own.
    """
    if wanted is None or (wanted.shape, wanted.dtype) != (own.shape, own.dtype):
        return "free"
    return "pinned" if wanted.tobytes() == own.tobytes() else "transferred"


class Model:
    """The training of one model: sessions with the same variables train one model."""

    def __init__(self, every: int, shapes: Optional[Dict[str, List[int]]] = None) -> None:
        self.every = every
        self.shapes = shapes  # of its variables, None before it has a session
        self.variables: List[Any] = []
        self.graph_version = -1  # of its graph when it was last searched for variables
        self.sessions: List[Dict[str, Any]] = []
        self.initial: Dict[str, Any] = {}
        self.steps: List[int] = []
        self.losses: List[float] = []
        self.variable_steps: List[int] = []
        self._steps_read = 0  # how many steps were made when variables were last read
        self.values: Dict[str, List[Any]] = {}
        self.ends: List[Dict[str, Any]] = []  # of sessions: the step, and what changed since
        self.origin: Dict[str, List[str]] = {"transferred": [], "pinned": [], "free": []}
        self.drawn: Dict[str, Any] = {}
        self.laws: Dict[str, Any] = {}  # draws of initializers, from draws/initial_values.py
        self.tower_losses: List[List[float]] = []  # by step, where one machine trains several
        self.batch: Optional[Dict[str, Any]] = None  # the first one, once a step was made
        self.all_batches = False  # whether those of all steps are kept
        self.batches: Dict[int, Dict[str, Any]] = {}  # these, by the number of steps before
        self.about: Dict[str, Any] = {}  # further entries of ``meta``
        self.checkpoints: Any = None  # a checkpoints.Checkpoints
        self.follow: Any = None  # the lock_step.States that it is given after each step
        self.waits_to_be_given = False  # until all workers have made the step
        self.steps_together = False  # workers begin each step together, and read what it leaves
        self._waiting: Dict[str, Any] = {}  # the state that it is given then
        self.limit: Any = None  # the limit.Limit of the program
        self.held: Dict[str, Any] = {}  # what its variables held when they were last read or given
        self.loss_tensors: List[Any] = []  # the losses of the step that is under way
        self.repeats: Any = None  # the repeats.Repeats, where steps are made again
        # Of variables that are updated in no order: what they hold in the other order since the
        # last state, and after each state (sessions/update_order.py).
        self.other: Dict[str, Any] = {}
        self.other_order: Dict[str, List[Any]] = {}

    def add_step(self, step: int, loss: float, session: Any) -> None:
        """Records one training step."""
        self.before_step()
        self.steps.append(step)
        self.losses.append(loss)
        if step == 1 or step % self.every == 0:
            self.add_values(session)

    def before_step(self) -> None:
        """Ends the program if it has made its last step."""
        if self.limit is not None:
            self.limit.before_step(self)

    def add_unseen(self, step: int) -> None:
        """Records that a step was made together with others, after which nothing was read."""
        self.steps.append(step)
        self.losses.append(float("nan"))
        self.about.setdefault("unseen", []).append(step)
        if self.follow is not None:
            self.follow.next(step)

    def add_values(self, session: Any) -> None:
        """Records all variables at the last step, once."""
        if self._steps_read == len(self.steps):
            return  # several steps may have one global step: those of a GAN's two optimizers
        self._steps_read = len(self.steps)
        self.variable_steps.append(self.steps[-1])
        self.held = graph_variables.read(session, self.variables)
        for name, value in self.held.items():
            self.values[name].append(value)
        for name in self.about.get("ordered_updates", ()):
            rows = self.other_order.setdefault(name, self.values[name][:-1])
            rows.append(self.other.get(name, self.held[name]))
        if self.checkpoints is not None and len(self.variable_steps) == 1:
            self.checkpoints.save(session, self.steps[-1], self.values)
        if self.repeats is not None:
            self.repeats.make(self)
        self.other.clear()  # what the state is written by is no further update
        if self.follow is not None:
            state = self.follow.next(self.steps[-1])
            if state and self.limit is not None:
                self.limit.compare(self, self.follow, self.held)
            self._waiting = state
            if not self.waits_to_be_given:
                self.give(session)

    def give(self, session: Any, writes: bool = True) -> None:
        """Gives the variables the other program's state after the last step.

        Args:
            session: the session.
            writes: False where another process writes it.
        """
        state, self._waiting = self._waiting, {}
        forced_values = self.follow.force(session, self.variables, state, writes)
        self.held = dict(self.held, **forced_values)

    def add_end(self, session: Any) -> None:
        """Records final values of a session that differ from those after the last step."""
        if not self.steps or (self.limit is not None and self.limit.is_reached):
            return  # a limit ends it within a further step, which is not compared
        if self._steps_read != len(self.steps):
            self.add_values(session)
            return
        self.note_end(graph_variables.read(session, self.variables), self.held)

    def note_end(self, values: Dict[str, Any], held: Dict[str, Any]) -> None:
        """Records which final values are not those that variables held after the last step."""
        changed = {n: v for n, v in values.items() if held[n].tobytes() != v.tobytes()}
        self.ends.append({"step": self.steps[-1], "changed": changed})

    def has_held(self, values: Dict[str, Any]) -> bool:
        """Returns whether a variable has a value that it had after a step; constants are none."""
        for name, value in values.items():
            if value.size > 1 and (value != value.flat[0]).any():
                rows, wanted = [*self.values.get(name, ())], value.tobytes()
                rows += [self.held[name]] if name in self.held else []
                if any(row.tobytes() == wanted for row in rows):
                    return True
        return False

    def add_batch(self, first: Any, fetched: Sequence[Any], feeds: Any) -> None:
        """Records the first batch, or a further part of it.

        Args:
            first: the FirstBatch of the losses.
            fetched: the values of its fetches.
            feeds: what the run was fed, by tensor.
        """
        batch_arrays = first.arrays(fetched, feeds)
        if self.all_batches:
            self.batches.setdefault(len(self.steps), {}).update(batch_arrays)
        if self.steps:
            return
        parts = {name: [values] for name, values in (self.batch or {}).items()}
        for name, values in batch_arrays.items():
            parts.setdefault(name, []).append(values)
        self.batch = {name: batch_rows.joined(values) for name, values in parts.items()}
        shapes = {name: list(array.shape) for name, array in self.batch.items()}
        self.about["batch"] = {"shapes": shapes, "reason": first.reason(self.batch)}

    def examine_initializers(self) -> None:
        """Examines the initializers, except of variables that already start as they should."""
        unpinned = [entry for entry in self.variables if entry.name not in self.origin["pinned"]]
        own = {**self.initial, **self.drawn}
        self.about["initializers"], self.laws = initial_values.examine(unpinned, own)

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays of the npz archive, without ``meta``; lists are to be stacked."""
        arrays: Dict[str, Any] = {
            "step": np.asarray(self.steps, np.int64),
            "loss": np.asarray(self.losses, np.float64),
            "variable_step": np.asarray(self.variable_steps, np.int64),
        }
        for name, value in self.initial.items():
            arrays["initial/" + name] = value
            values = self.values[name]
            arrays["variable/" + name] = values or value[np.newaxis][:0]
        for name, value in self.drawn.items():
            arrays["drawn/" + name] = value
        for name, rows in self.other_order.items():
            arrays["other_order/" + name] = rows
        arrays.update(self.laws)
        for number, end in enumerate(self.ends):
            for name, value in end["changed"].items():
                arrays["end/%d/%s" % (number, name)] = value
        for name, value in (self.batch or {}).items():
            arrays["batch/" + name] = graph_variables.storable(batch_rows.reduced(value))
        for number, batch in self.batches.items():
            for name, value in batch.items():
                arrays["batches/%d/%s" % (number, name)] = graph_variables.storable(value)
        if self.tower_losses:
            arrays["tower_loss"] = np.asarray(self.tower_losses, np.float64)
        if self.repeats is not None:
            arrays.update(self.repeats.arrays())
        return arrays

    def meta(self) -> Dict[str, Any]:
        """Returns the entries about the model for ``meta``."""
        return dict(
            self.about,
            variables=[
                {"name": v.name, "shape": v.shape, "dtype": v.dtype, "trainable": v.trainable}
                for v in self.variables
            ],
            sessions=self.sessions,
            **({"follow": self.follow.about} if self.follow is not None else {}),
            **(self.repeats.meta() if self.repeats is not None else {}),
            ends=[end["step"] for end in self.ends],
            **self.origin,
        )


class Trace(Model):
    """The recording of one program: the training of its models, and everything else."""

    def __init__(self, every: int) -> None:
        super().__init__(every)
        self.out = ""  # the path that it will be written to
        self.is_chief, self.is_original_eager = True, False
        self.others: List[Model] = []
        self.starts_of_others: List[Dict[str, Any]] = []  # initial values to copy, by model
        self.saves_again = False  # whether the recorder writes a checkpoint of the program again
        self.orders_updates = True  # whether what several ops update gets an order
        self.assigns_first = False  # where steps read and assign in no order
        self.states: List[Any] = []  # lock_step.States to take after each step, by model
        self.states_in_turns: Any = None  # the lock_step.States after the steps of all workers
        self.evaluations: List[Dict[str, Any]] = []
        self.predictions: List[Any] = []
        self.parts: List[Any] = []  # further recorders: each has ``arrays()`` and ``meta()``
        self.hooks_passed_over: List[str] = []  # their classes, for each step made without hooks
        self.draws = of_steps.StepDraws()
        self.exports: Any = None  # a exports.Exports
        self.prediction_rows: List[int] = []  # of each prediction, those that are not kept too
        self.calls: List[Dict[str, Any]] = []
        self.open_calls: List[Dict[str, Any]] = []  # those of ``calls`` that have not returned
        self.under_way: List[str] = []  # kinds of the calls that have not returned, outermost first
        self.steps_seen: List[int] = []  # global steps of the training that is under way
        self.followed: Set[int] = set()  # ids of the sessions that a RecordHook follows
        self.by_session: Dict[int, Model] = {}  # by the ids of their sessions
        self.older_steps: Any = None  # the older_optimizers.OlderSteps

    @property
    def models(self) -> List[Model]:
        """All models that were trained, in the order of their first sessions."""
        return [self] + self.others

    @property
    def step_count(self) -> int:
        """How many steps all models have made."""
        return sum(len(model.steps) for model in self.models)

    def model_of(self, graph: Any, session: Any = None) -> Model:
        """Returns the model that a graph trains: one with the same variables, or a new one.

        Args:
            graph: the graph.
            session: of it; it may be known which model that trains.
        """
        if id(session) in self.by_session:
            return self.by_session[id(session)]
        shapes = {v.name: v.shape for v in graph_variables.variables_of(graph)}
        if self.shapes is None:
            self.shapes = shapes
        for model in self.models:
            if shapes in (model.shapes, {v.name: v.shape for v in model.variables}):
                return model  # a graph may have got variables since
        return self.added(shapes)

    def added(self, shapes: Any) -> Model:
        """Returns a further model with variables of these shapes."""
        self.others.append(Model(self.every, shapes))
        self.others[-1].limit = self.limit
        self.follow_in(self.others[-1], len(self.others))
        return self.others[-1]

    def model_started_by(self, session: Any, step: int, is_original: bool) -> Model:
        """Returns the model that a session trains: of those with the same variables the one it is.

        If none of them has held what it holds at step 0, it is a further one: each fold of a
        cross-validation trains such a model.

        Args:
            session: not yet followed.
            step: the global step that it begins with.
            is_original: whether nothing says how many models there are.
        """
        first = self.model_of(session.graph)
        alike = [model for model in self.models if model.shapes == first.shapes]
        model = alike[-1]
        if model.steps:
            variables = graph_variables.variables_of(session.graph)
            values = graph_variables.read(session, variables)
            known = [each for each in alike if each.has_held(values)]
            if known:
                model = known[-1]
            elif not step and (is_original or len(self.others) < len(self.starts_of_others)):
                model = self.added(first.shapes)
        self.by_session[id(session)] = model
        return model

    def follow_in(self, model: Model, number: int) -> None:
        """Lets a model take the states of the model with this number in the other trace."""
        if number < len(self.states):
            model.follow = self.states[number]
            if model.follow.again is not None:
                model.repeats = repeats.Repeats(model.follow.again)

    def starts_of(self, model: Model, of_first: Dict[str, Any]) -> Dict[str, Any]:
        """Returns the initial values to copy to a model.

        Args:
            model: one of ``models``.
            of_first: those of the first one.
        """
        if model is self:
            return of_first
        number, shapes = self.others.index(model), model.shapes or {}
        known = self.starts_of_others[number:] + self.starts_of_others
        # The original's graph may have got variables after its first step.
        for starts in sorted(known, key=lambda each: len(each) != len(shapes)):
            if all(n in starts and list(starts[n].shape) == s for n, s in shapes.items()):
                return starts if shapes else {}
        return {}

    def begin_session(self, session: Any, step: int, loss_name: str) -> Model:
        """Records the initial values; returns the model that the session trains."""
        model = self.model_of(session.graph, session)
        variables = graph_variables.variables_of(session.graph)
        if not model.sessions:
            if model.checkpoints is not None and step == 0:
                model.checkpoints.restore(session, variables, graph_variables.read)
            model.initial = graph_variables.read(session, variables)
            model.values = {entry.name: [] for entry in variables}
        model.variables = variables
        self.by_session[id(session)] = model
        if not model.sessions:
            renamed = {v.name: v.own_name for v in variables if v.name != v.own_name}
            if renamed:
                model.about["renamed"] = renamed
            model.about["graph_seeds"] = pinned_randomness.graph_seeds(session.graph)
            model.about["operations"] = operations.operations_of(session.graph)
            unordered = step_order.unordered_reads(session.graph)
            if unordered:
                model.about["unordered_reads"] = unordered
        if not model.sessions and self.is_chief:
            model.examine_initializers()
        if self.orders_updates:
            model.about.setdefault("ordered_updates", [])
        model.sessions.append(
            {
                "first_step": step,
                "loss": loss_name,
                "replicas": graph_variables.replicas_of(session.graph),
            }
        )
        return model

    def arrays(self) -> Dict[str, Any]:
        """Returns the arrays of the npz archive, without ``meta``."""
        storable = graph_variables.storable
        arrays = super().arrays()
        for number, model in enumerate(self._other_models(), start=1):
            for key, array in model.arrays().items():
                arrays["model/%d/%s" % (number, key)] = array
        if self.checkpoints is not None:
            arrays.update({key: storable(v) for key, v in self.checkpoints.arrays.items()})
        for part in (self.draws, *self.parts):
            arrays.update({key: storable(value) for key, value in part.arrays().items()})
        for index, metrics in enumerate(self.evaluations):
            for name, value in metrics.items():
                arrays["evaluation/%d/%s" % (index, name)] = storable(value)
        for index, rows in enumerate(self.predictions):
            for name in rows[0] if rows else ():
                stacked = storable(np.stack([row[name] for row in rows]))
                arrays["prediction/%d/%s" % (index, name)] = stacked
        return arrays

    def refuse(self, reason: str) -> None:
        """Ends the program, with the reason why it cannot be compared."""
        sys.stderr.write("record.py: %s\n" % reason)
        sys.stderr.flush()
        if self.out:
            with open(self.out + shared.REFUSED, "w") as stream:
                stream.write(reason)
        sys.stdout.flush()
        os._exit(shared.FAILED)

    def _other_models(self) -> List[Model]:
        """Returns the models besides the first that ran a step."""
        return [model for model in self.others if model.steps]

    def write(self, path: str, meta: Dict[str, Any]) -> None:
        """Writes the archive whole or not at all."""
        for part in (self.draws, *self.parts):
            meta.update(part.meta())
        meta.update(
            self.meta(),
            format=shared.FORMAT_VERSION,
            every=self.every,
            models=[model.meta() for model in self._other_models()],
            evaluations=len(self.evaluations),
            predictions=[len(rows) for rows in self.predictions],
            prediction_rows=self.prediction_rows,
            # --steps ends a program within a call, which is not compared.
            calls=[call for call in self.calls if all(call is not one for one in self.open_calls)],
            **(self.checkpoints.about if self.checkpoints is not None else {}),
        )
        archive.write(path, json.dumps(meta, sort_keys=True), self.arrays())


def meta_of(path: str) -> Dict[str, Any]:
    """Returns the ``meta`` of a trace, {} of a file that has none."""
    with np.load(path, allow_pickle=False) as stored:
        meta: Dict[str, Any] = json.loads(str(stored["meta"])) if "meta" in stored.files else {}
    return meta


def steps_of(path: str) -> List[int]:
    """Returns the global steps in a trace."""
    with np.load(path, allow_pickle=False) as stored:
        return [int(step) for step in stored["step"]] if "step" in stored.files else []


def initial_values_of(path: str) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
    """Returns the initial values in a trace: of the first model, and of all others."""
    with np.load(path, allow_pickle=False) as stored:
        meta = json.loads(str(stored["meta"])) if "meta" in stored.files else {}
        others = len(meta.get("models", ()))
        prefixes = ["initial/"] + ["model/%d/initial/" % (i + 1) for i in range(others)]
        by_model = [
            {key[len(prefix) :]: stored[key] for key in stored if key.startswith(prefix)}
            for prefix in prefixes
        ]
    return by_model[0], by_model[1:]
