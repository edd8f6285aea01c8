"""Follows programs that train without sessions: Keras ``fit``, and loops with a GradientTape.

* A step is a call of ``apply`` or ``apply_gradients`` of an optimizer of Keras, in a function or
  not, on all replicas. Ops that are put behind it pass the variables to Python.
* Where no optimizer is used, a step is the assignment of all variables that have gradients.
* The loss is what was given to ``GradientTape.gradient`` for these variables, added up over
  replicas, as their gradients are; ``tower_loss`` has each, times their number.
* ``global_step`` is ``iterations`` of the optimizer. The first batch is what ``strategy.run`` was
  given, or what the function that computes the loss was.
* Variables have the names of the original's, as ``pairing/variable_map.py`` pairs them, and start
  from its values. These are loaded while the first training function is built, before it is run.
* Functions are compiled without XLA, which rounds differently and cannot call Python.

``meta["native"]`` marks such programs; ``meta["map"]`` is described in
``pairing/readings_of_original.py``.
"""

import functools
import os
import threading
from typing import Any, Dict, List, Optional, Sequence, Set

from ... import map_file
from ..draws import of_original
from ..eager import loops
from ..keras import fit_shuffles
from ..pairing import cells, partner_optimizers, readings_of_original, stored_differently
from ..program import wrapping
from ..recording import initial_values_of, meta_of, steps_of
from . import (
    coordinator,
    created_variables,
    early_optimizers,
    functions,
    hand_steps,
    in_lock_step,
    losses,
)
from .created_variables import tensorflow_variable
from .early_optimizers import elements_of, size_of
from .model import NativeModel, Step
from .models import NativeModels

_SEVERAL = (
    "alternates between the training steps of several optimizers, which verify does not support"
)
_NO_LOSS = (
    "applies gradients that GradientTape.gradient did not return for these variables, so its loss "
    "cannot be recorded"
)
_NOT_THERE = (
    "initializes its variables inside its first training step, too late to copy the original's "
    "initial values. Build the model and the optimizer (optimizer.build) before it"
)
_IN_ONE_CALL = (
    "schedules several training steps in one call, all for one worker: verify lets workers take "
    "turns after each step. Schedule each step by itself"
)
_TOO_LATE = (
    "makes its first step outside of a tf.function, too late to copy the original's initial values "
    "to %s. Put the training step into a tf.function, or build the model and the optimizer "
    "(optimizer.build) before the first tf.GradientTape"
)


class Native:
    """Records programs that train without sessions."""

    def __init__(
        self,
        trace: Any,
        initial_values: Optional[str],
        path: Optional[str],
        script: str,
        randomness: Any,
    ) -> None:
        """Takes what to record.

        Args:
            trace: where to record it.
            initial_values: the original's trace, None to record the program by itself.
            path: the file of the map.
            script: the program.
            randomness: the pinned_randomness.PinnedRandomness.
        """
        self._trace, self._source = trace, initial_values
        self._path = path or ""
        self._script = os.path.basename(script)
        self._originals: Dict[str, Any] = {}
        self._wanted = 0  # elements of all that the original trains; 0 without one
        self._starts: List[Dict[str, Any]] = []
        self._given: Dict[str, Any] = {}
        self._models = NativeModels(trace)
        self._last: Any = None  # the NativeModel that made the last step
        self._is_building = False  # whether an optimizer is built here
        self.built: Any = None  # the NativeModel of the last step that was made or built
        self.lock = threading.RLock()
        self.created = created_variables.Created()
        self._cells = cells.Cells()
        self._coordinated = coordinator.Coordinated()
        self.losses = losses.Losses()
        self.xla = False
        self.draws = of_original.GivenDraws(trace, randomness.place, self.created)
        self._tapes: Any = None
        self.by_hand = hand_steps.HandSteps(self)
        self._metrics: Any = None  # the metric_results.LoopMetrics

    @property
    def wants_batches(self) -> bool:
        """Whether a model or a worker may have run no step yet, of which the batch is recorded."""
        if not self._models or len(self._models.begun) < len(self._models):
            return True
        return self.worker > 0 and self.worker not in self._models.of_workers

    @property
    def is_used(self) -> bool:
        """Whether the program ran a step that this recorded."""
        return bool(self._models.begun)

    def install(self) -> None:
        """Wraps what makes variables, losses and steps."""
        from ..keras import calls, legacy_steps  # these need this file
        from . import tape

        imports = calls.KerasImports(self, self._trace)
        if self._source is not None:
            first, others = initial_values_of(self._source)
            self._models.numbers = steps_of(self._source)
            self._starts = [first] + list(others)
            self._originals = meta_of(self._source)
            self._wanted = sum(map(size_of, readings_of_original.shapes_of(self._originals)))
            self._models.most = 1 + len(self._originals.get("models", ()))
            self.draws.install(self._source, self._originals)
            shuffles = fit_shuffles.Shuffles()
            shuffles.give(self._source, imports.calls.makes_validation)
            self._trace.parts.append(shuffles)
        if self._path:
            try:
                self._given = map_file.read(self._path)
            except map_file.RefusedError as error:
                self.refuse(str(error))
        self.created.install()
        self._cells.install()
        self.by_hand.install()
        self._tapes = tape.Tapes(self)
        self._tapes.install()
        imports.install()
        legacy_steps.follow(self)
        self._metrics = imports.metrics
        functions.change_functions(self._note_xla)
        self._coordinated.install()

    def _note_xla(self) -> None:
        self.xla = True

    @property
    def worker(self) -> int:
        """The worker whose step is under way, where a coordinator makes the steps of several."""
        return self._coordinated.worker

    def refuse(self, reason: str) -> None:
        """Ends the program, with the reason why it cannot be compared."""
        self._trace.refuse(reason)

    def before_step(self, optimizer: Any, variables: Sequence[Any]) -> Any:
        """Called before an optimizer updates variables; returns its learning rate, where needed."""
        import tensorflow as tf

        if functions.in_session_graph():
            return None
        if tf.executing_eagerly():
            model = self._models.of(optimizer, variables, self._partners)
            if not model.has_begun and not self._is_ready(model, optimizer, variables):
                self._prepare(model, optimizer, variables)
                if model.loaded:
                    self.refuse(self._script + " " + _TOO_LATE % ", ".join(sorted(model.loaded)))
            elif model.is_joined:
                self._build(optimizer, variables)
                self._prepare(model, optimizer, variables)
        if stored_differently.has_momentum(optimizer):
            return tf.identity(optimizer.learning_rate)
        return None

    def tape_opened(self, is_early: bool = False) -> None:
        """Called outside of graphs when a GradientTape opens, or a graph with one is built.

        Variables of the one optimizer that ran no step yet get the values of the original.

        Args:
            is_early: it is called before that: what the program computes of its variables until
                its first step is of these values too, as the actions of an agent.
        """
        if self._is_building:
            return
        self._build_early()
        waiting = [
            optimizer
            for optimizer in self._optimizers()
            if optimizer.built and not any(model.is_by(optimizer) for model in self._models.begun)
        ]
        if not waiting:
            return
        optimizer = waiting[0]
        built_with = getattr(optimizer, "_trainable_variables", None) or ()
        variables = [variable for variable in built_with if self.created.trains(variable)]
        if not variables:
            return
        if len(waiting) > 1 and not (
            self._models[0].partners if self._models else self._partners(optimizer, variables)
        ):
            return
        model = self._models.of(optimizer, variables, self._partners)
        if model.has_begun or model.graph is not None:
            return  # a partner's step is built already, with what it reads
        if not self._is_ready(model, optimizer, variables, is_early):
            self._prepare(model, optimizer, variables, is_early=is_early)

    def before_layer(self, layer: Any, was_built: bool) -> None:
        """Called where a layer has its variables, and is about to be run or built into a function.

        A model without ``Input`` makes them within its first step; an agent acts before it, often
        with a target network that could be trained as well.

        Args:
            layer: of Keras.
            was_built: whether it had them before; else layers before it may have computed already.
        """
        import tensorflow as tf
        from tensorflow.python.framework import ops

        # The optimizer may be made after the layers.
        if not self._wanted or self._models or self.is_by_hand:
            return
        if functions.in_session_graph():
            return
        is_whole = elements_of(layer.trainable_variables) == self._wanted
        if not is_whole and not (was_built and elements_of(self._trainable()) == self._wanted):
            return
        if tf.executing_eagerly():  # slots are made outside of replicas
            functions.across_replicas(lambda _: self.tape_opened(is_early=not is_whole))
        else:
            with ops.init_scope():
                self.tape_opened(is_early=not is_whole)

    def _build_early(self) -> None:
        """Builds the optimizer of the first step, so that losses are of the original's values."""
        import tensorflow as tf

        optimizers = self._optimizers()
        if not self._wanted or self._models or any(each.built for each in optimizers):
            return
        if tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context():
            return  # slots are made outside of replicas
        first = early_optimizers.first_of(optimizers, self._wanted, self._trainable)
        if first is not None:
            self._build(*first)

    def _trainable(self) -> List[Any]:
        """Returns all variables of the program's models that could be trained."""
        return [v for v in self.created.of_models([]) if v.trainable]

    def _build(self, optimizer: Any, variables: Sequence[Any]) -> None:
        """Builds an optimizer, which is not the program's start."""
        from ..keras import calls

        if not optimizer.built:
            with wrapping.setting(self, "_is_building"), calls.scope_of(optimizer):
                optimizer.build(variables)

    @property
    def is_by_hand(self) -> bool:
        """Whether no optimizer trains: neither of Keras 3 nor of TensorFlow 1.x."""
        from ..keras import calls

        return not self.by_hand.has_optimizer and not calls.optimizers()

    def _optimizers(self) -> List[Any]:
        from ..keras import calls

        return [self.by_hand] if self.is_by_hand else calls.optimizers()

    def _is_ready(
        self, model: NativeModel, optimizer: Any, variables: Sequence[Any], is_early: bool = False
    ) -> bool:
        """Whether nothing was changed since the model was prepared.

        What was prepared early is ready for what is early only: agents predict for every action.
        """
        if model.paired is None or not model.is_by(optimizer) or model.is_early > is_early:
            return False
        if (model.number or model.earlier) and not model.loaded:
            return False  # whether it resumes the training of another is to be found out
        keys = {id(tensorflow_variable(variable)) for variable in variables}
        if not keys <= {key for variable in model.fetched for key in variable.keys}:
            return False
        # Averages of batch normalization change before the optimizer's step.
        return all(
            variable.name not in model.loaded
            or not keys.intersection(variable.keys)
            or variable.now().tobytes() == model.loaded[variable.name].tobytes()
            for variable in model.fetched
        )

    def step_made(self, optimizer: Any, variables: Sequence[Any], rate: Any) -> None:
        """Called after an optimizer has updated variables, or has built the ops that do.

        Args:
            optimizer: the optimizer.
            variables: what it was given.
            rate: what ``before_step`` returned.
        """
        import tensorflow as tf
        from tensorflow.python.framework import ops

        from ..keras import calls

        if functions.in_session_graph():
            return

        def emit(strategy: Any) -> None:
            model = self._models.of(optimizer, variables, self._partners)
            model.runs.add(self._tapes.run_now)
            model.replicas = max(model.replicas, strategy.num_replicas_in_sync)
            self._coordinated.note_training()
            if self._coordinated.is_used:  # each step applies the gradients of one worker
                model.recorded.follow = self._trace.states_in_turns
            elif getattr(strategy.extended, "_num_workers", 1) > 1:
                model.recorded.about.update(synchronous=True, mirrored=True)
            graph = ops.get_default_graph()
            if model.is_joined:
                with ops.init_scope():
                    self._prepare(model, optimizer, variables)
            is_building = not tf.executing_eagerly() and not model.has_begun
            if is_building and (model.graph is not graph or not model.partners):
                model.graph = graph if model.partners else None
                used = functions.used_variables()
                with ops.init_scope():
                    if not model.is_under_way():
                        self._prepare(model, optimizer, variables, used)
            self.built, model.has_step = model, True
            copies = [copy for variable in model.fetched for copy in variable.fetches]
            keys = {id(tensorflow_variable(variable)) for variable in variables}
            step = Step(model, optimizer, keys, model.fetched)
            self.draws.step_built()
            values = [copy.read_value() for copy in copies]
            scale = calls.loss_scale_of(optimizer)
            values += [
                tf.constant(0.0) if rate is None else tf.convert_to_tensor(rate),
                tf.constant(1.0) if scale is None else tf.convert_to_tensor(scale),
            ]
            noted = self._tapes.noted
            if model.recorded.follow is None:
                functions.to_python(functools.partial(self.record, step), values, noted)
                return
            targets = [copy for variable in model.fetched for copy in variable.copies]
            functions.assigned_by_python(
                functools.partial(in_lock_step.step, self, step),
                values + [copy.read_value() for copy in targets],
                targets,
                noted,
            )

        functions.across_replicas(emit)

    def _partners(
        self, optimizer: Any, variables: Sequence[Any]
    ) -> List[partner_optimizers.Partner]:
        """Returns the optimizers that train the rest of the original's variables."""
        # An optimizer that is built by this is not the program's start.
        with wrapping.setting(self, "_is_building"):
            return partner_optimizers.partners_of(
                optimizer, variables, self._optimizers(), self.created, self._originals
            )

    def _prepare(
        self,
        model: NativeModel,
        optimizer: Any,
        variables: Sequence[Any],
        used: Optional[Set[int]] = None,
        is_early: bool = False,
    ) -> None:
        """Pairs variables, copies the original's values to them, and records their own."""
        from ..keras import calls

        shapes = readings_of_original.shapes_of(self._originals)
        # Two models may share an optimizer that is built with the variables of both.
        is_part = self._models.most == 1 and (
            elements_of(variables) < self._wanted == elements_of(model.variables)
        )
        if model.partners or is_part:  # the step may be another's
            optimizer, variables = model.optimizer, model.variables

        def program_of(without: Sequence[Any] = ()) -> readings_of_original.Program:
            program = readings_of_original.program_of(
                self.created,
                optimizer,
                variables,
                self._optimizers(),
                used=used,
                is_only=len(self._models) == 1,
                without=without,
                partners=model.partners,
            )
            try:
                program.trained = self._cells.joined(program.trained, shapes)
            except map_file.RefusedError as error:
                self.refuse(str(error))
            return program

        program = program_of()
        wanted = self._starts[model.number] if model.number < len(self._starts) else {}
        if model.is_joined:
            about = readings_of_original.meta_of_model(self._originals, model.number)
            model.extend(program, about, wanted)
            return
        earlier = self._models.earlier(model, program)
        if earlier is not None:
            program = program_of(without=earlier.fetched)
        self._models.place(model, earlier)
        about = readings_of_original.meta_of_model(self._originals, model.number)
        try:
            model.pair(program, about, {} if model.number else self._given, self._path)
        except map_file.RefusedError as error:
            self.refuse(str(error))
        if not model.partners:
            model.optimizer = optimizer
        elif self._source is not None:
            together = [partner_optimizers.Partner(optimizer, model.variables), *model.partners]
            readings = model.paired.readings
            model.round = partner_optimizers.round_of(together, readings, self._source)
        if not all(variable.is_there for variable in model.fetched):
            return  # made by the function that is being built, which is built again with them
        if earlier is not None:
            model.resume(earlier)
            return
        own = {variable.name: variable.now() for variable in model.fetched}
        for name, value in own.items():
            if name in model.loaded and model.loaded[name].tobytes() == value.tobytes():
                own[name] = model.own[name]  # that is what was loaded
        for variable in model.fetched:
            pair = getattr(variable.copies[0], loops.DRAWN, None)
            if pair is not None and pair[1].tobytes() == own[variable.name].tobytes():
                own[variable.name] = pair[0]
        model.own = own
        to_come = (calls.trained_by(each) or () for each in self._optimizers())
        model.to_come = {id(tensorflow_variable(v)) for variables in to_come for v in variables}
        wanted = self._starts[model.number] if model.number < len(self._starts) else {}
        model.is_early = is_early
        with wrapping.setting(self.draws, "is_paused"):
            model.start(wanted, self.created.initializers)
        model.is_started = True

    def record(self, step: Step, *fetched: Any) -> bool:
        """Records a step by values after it.

        Returns:
            False where further optimizers are to make theirs, which are one step together, and
            where gradients were added up.
        """
        model, optimizer, keys, _ = step
        with self.lock:
            if stored_differently.is_between_steps(optimizer):
                return False
            recorded = model.of_worker(self.worker)
            if not model.is_started or model.is_joined:
                self.refuse("%s %s" % (self._script, _NOT_THERE))
            if self._last is not None and self._last is not model and model.has_begun:
                self.refuse("%s %s" % (self._script, _SEVERAL))
            self._last = model
            if stored_differently.has_momentum(optimizer):
                model.rates[id(optimizer)] = float(fetched[-2])
            if model.round is not None:
                if not model.round.ends_with(optimizer):
                    return False
                keys = self.losses.of_round(model)
            if not self._coordinated.note_step():
                self.refuse("%s %s" % (self._script, _IN_ONE_CALL))
            values = step.values(fetched[:-2])
            model.settle(recorded, values)
            recorded.before_step()
            if not self.losses.record(model, recorded, keys, float(fetched[-1])):
                self.refuse("%s %s" % (self._script, _NO_LOSS))
            if model.earlier is not None and not model.has_begun:
                model.take_over()
            model.has_begun = True
            self.draws.step_made()
            model.add_step(recorded, values)
            return True

    def finish(self) -> None:
        """Records final values, once the program has ended."""
        ended = self._trace.limit is not None and self._trace.limit.is_reached
        # Not in clusters with a coordinator: as in those of TensorFlow 1.x.
        self._models.finish(with_ends=not self._coordinated.is_used and not ended)

    def arrays(self) -> Dict[str, Any]:
        """Returns further arrays for the trace."""
        return {
            "coordinated/%d/%s" % (number, key): array
            for number, model in self._models.of_workers.items()
            for key, array in model.arrays().items()
        }

    def meta(self) -> Dict[str, Any]:
        """Returns the entries for ``meta``."""
        if not self.is_used:
            return {}
        about = {"checkpoint": {"reason": _NO_SAVER}, "restored": {"reason": _NO_SAVER}}
        if self._trace.checkpoints is not None:
            self._trace.checkpoints.about.update(about)
        native: Dict[str, Any] = {"map": os.path.basename(self._path), "xla_left_out": self.xla}
        native.update(self._metrics.meta())
        if self._coordinated.is_used:
            native["coordinator"] = True
        if self.draws.of_original or self.draws.free:
            native["draws"] = self.draws.meta()
        workers = {str(i): model.meta() for i, model in self._models.of_workers.items()}
        return {"native": native, **({"coordinated": workers} if workers else {})}


_NO_SAVER = "a Keras program has no tf.train.Saver"
