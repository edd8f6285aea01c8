"""Runs a program unchanged and records its training, whatever kind of session it trains with.

    python all_sessions.py --out TRACE.npz [--replicas N] [--every K] [--initial-values TRACE0.npz]
                              [--worker I/N --shared DIR [--turns]] script.py -- script arguments

``record.py`` follows Estimators, and this a plain ``Session``, a ``Supervisor`` or a
``MonitoredTrainingSession``.

* The loss of a step is the first argument of the ``Optimizer.compute_gradients`` or ``minimize``
  whose gradients the step computes; towers, which pass theirs in the same line of the program,
  count as one with the mean. Without such a call it is the first argument of ``tf.gradients``.
  A step that computes no gradients, as those that earlier runs have added up, has the mean loss of
  these runs.
* A step is a ``session.run`` that runs an op made by ``apply_gradients``, or one that writes what
  ``tf.gradients`` returned, or is computed of it, into a trainable variable. The loss is fetched in
  the same run; the global step and all variables are read after it.
* Final values are read when a session is closed: ``assign`` may have changed them since.
* Variables start from ``--initial-values`` where the global step is 0 before the first step.

With ``--worker I/N`` the program is worker I of N in a cluster, started by ``run_program``; see
``sessions/cluster_worker.py``. To ``meta`` come ``placement`` (device by variable), ``mirrored``
(whether the variables are copies on the workers), ``synchronous`` (a SyncReplicasOptimizer trained)
and ``runs_ahead`` (it has initial tokens); towers add ``tower_loss`` float64[T, towers].

Private names of TensorFlow that are touched, and why no public one does:

============================================ =====================================================
name (module tensorflow.python...)           what for
============================================ =====================================================
client.session.BaseSession._do_run           the one way of every session.run to the runtime, with
                                             the tensors and ops that are fetched
client.session.BaseSession.close,            what a worker is doing that has ended its training
training.coordinator.Coordinator.join
training.optimizer.Optimizer                 the loss, and the ops that train
ops.gradients_util._GradientsHelper          the loss of programs that call tf.gradients
(ops.gradients_impl._GradientsHelper, 1.12)
============================================ =====================================================
"""

import sys

if __name__ == "__main__":
    # The first entry is this file's folder or the working directory: not what `python script.py`
    # would have, and modules next to this file would hide those of the standard library.
    del sys.path[:1]
    import os
    import types

    # The files next to this one form a package, however this file is started. Its parent has what
    # they share with the process that compares.
    _files = types.ModuleType("tfmigrate_record")
    _files.__path__ = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    sys.modules[_files.__name__] = _files
    __package__ = _files.__name__ + ".recorder"

import functools
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

import numpy as np

from . import command_line, record
from .eager import loops
from .keras import legacy_calls
from .program import child_processes, wrapping
from .results import callables
from .sessions import (
    added_variables,
    average_order,
    cluster_worker,
    early_values,
    fed_values,
    first_batch,
    graph_training,
    graph_variables,
    hooks,
    reached_limits,
    step_losses,
    step_order,
    summary_threads,
    update_order,
)

_MIRRORED = ("Mirrored", "SyncOnRead", "TPUMirrored")


class SessionRecorder:
    """Records the steps of every session that no RecordHook follows."""

    def __init__(self, worker: Any = None) -> None:
        self.in_cluster = worker is not None
        self.is_chief = worker is None or worker.is_chief
        self._worker = worker
        self._local = threading.local()
        self._lock = threading.RLock()
        self._models: Dict[int, Any] = {}  # the recording.Model by the id of the session
        self._ended: Set[int] = set()  # ids of sessions whose ends are recorded
        self._sessions: List[Any] = []  # keeps those ids from being given again
        self._losses = step_losses.StepLosses()
        self._eager: Any = None  # the loops.EagerTraining

    def install(
        self,
        trace: Any,
        randomness: Any,
        initial_values: Optional[Dict[str, Any]],
        write: Callable[[], None],
    ) -> None:
        """Wraps optimizers and sessions."""
        from tensorflow.python.client import session

        self._trace, self._initial_values = trace, initial_values
        models = legacy_calls.GraphModels(trace)
        if self._worker is None:
            self._eager = loops.EagerTraining(trace, initial_values, randomness.place)
            self._eager.install(models.computes_metric)
        graph_training.GradientCalls(self._eager, trace.older_steps).install()
        average_order.install()
        callables.install(None if self._worker is None else self._worker.await_all)
        models.install()
        children = child_processes.Children(trace.out + ".trained-in")
        children.install()
        if self._worker is not None:
            # Each worker has one replica, whichever number it has among those in sync.
            randomness.replicas_are_workers = True
            self._worker.install(self._lock, write)
        session.BaseSession._do_run = self._observing(session.BaseSession._do_run, children)
        if self._worker is None:  # in a cluster, parameter servers may be gone
            wrapping.before(session.BaseSession, "close", self._end)
            summary_threads.install(self._unobserved)

    def _unobserved(self) -> Any:
        """Leaves the recorder's own runs of this thread out; it may be called within itself."""
        return wrapping.setting(self._local, "reading")

    def _observing(self, original: Callable[..., Any], children: Any) -> Any:
        """Wraps the one way of every run of a session to the runtime."""
        from tensorflow.python.framework import errors

        trace, orders = self._trace, update_order.UpdateOrder()
        limits = reached_limits.ReachedLimits()
        trace.parts.append(limits)
        worker = self._worker
        early_reads = early_values.EarlyReads(worker is not None and worker.takes_turns)

        @functools.wraps(original)
        def do_run(
            this: Any, handle: Any, targets: Any, fetches: Any, *arguments: Any, **options: Any
        ) -> Any:
            feeds = arguments[0] if arguments else options.get("feed_dict")

            def run(wanted: List[Any]) -> Any:
                model = trace.by_session.get(id(this))
                if model is None or not trace.orders_updates:
                    return plain_run(wanted)
                with self._unobserved():
                    return orders.run(this, model, (targets, wanted, feeds), plain_run)

            training = getattr(this.graph, "_tfmigrate_training", None)

            def plain_run(wanted: List[Any]) -> Any:
                if training is None or handle is not None:
                    return run_all(wanted)
                places = early_reads.places(training, targets, wanted)
                early = [wanted[place] for place in places]
                values = original(this, handle, [], early, feeds, None, None) if early else []
                all_but_early = run_all
                if worker is None:
                    all_but_early = functools.partial(
                        limits.run, training, targets, feeds, run=run_all
                    )
                return early_values.merged(places, values, wanted, all_but_early)

            def run_all(wanted: List[Any]) -> Any:
                try:
                    return original(this, handle, targets, wanted, *arguments, **options)
                except errors.FailedPreconditionError:
                    if self._models or self._worker is None or self._worker.is_chief:
                        raise
                # What the chief initializes is not there yet: slim's workers do not wait for it,
                # and end if they come first. On a cluster they are started again.
                self._worker.wait_for_chief()
                return original(this, handle, targets, wanted, *arguments, **options)

            if training is not None:
                step_order.order_reads(this.graph, trace.assigns_first)
            if children.note_step(training, targets, fetches):
                return plain_run(fetches)
            if training is None or handle is not None:
                return plain_run(fetches)
            repeats = getattr(trace.by_session.get(id(this)), "repeats", None)
            if repeats is not None and repeats.is_running:  # what is read and written is no step
                return run(fetches) if repeats.takes_step() else plain_run(fetches)
            if getattr(self._local, "reading", False):
                return plain_run(fetches)
            is_followed = id(this) in trace.followed
            # What a hook follows is of interest only where its steps are made again.
            if is_followed and repeats is None:
                return run(fetches)
            what = training.run_of(list(targets) + list(fetches))

            def make(wanted: List[Any]) -> Any:
                model = trace.by_session.get(id(this))  # which the first step begins
                if model is None or model.repeats is None or not what.trains:
                    return run(wanted)
                return model.repeats.observe(model, this, (targets, wanted, feeds), run)

            if is_followed:
                return make(list(fetches))
            if not what.trains and not (what.keeps_gradients and self._worker is None):
                return self._between(this, list(fetches), feeds, run)
            return self._observed(this, (training, what), list(fetches), feeds, make)

        return do_run

    def finish(self) -> None:
        """Notes that the program has ended."""
        if self._worker is not None:
            self._worker.finish()
            return
        self._eager.finish()
        for session in self._sessions:
            self._end(session)

    def _end(self, session: Any) -> None:
        """Records the final values of a session, once."""
        model = self._models.get(id(session))
        if model is None or id(session) in self._ended or getattr(session, "_closed", False):
            return
        self._ended.add(id(session))
        from tensorflow.python.framework import errors

        with self._unobserved():
            try:
                with self._lock:
                    model.add_end(session)
            except (errors.OpError, RuntimeError):
                pass  # a session that failed, or that a different thread closes

    def _observed(
        self,
        session: Any,
        training_run: Tuple[graph_training.GraphTraining, graph_training.Run],
        fetches: List[Any],
        feeds: Optional[Dict[Any, Any]],
        run: Callable[..., Any],
    ) -> Any:
        """Makes and records a step, or a run that keeps gradients; returns what is fetched."""
        training, what = training_run
        self._take_turn(session, training)
        model = self._models[id(session)]
        if self._worker is None:
            with self._unobserved(), self._lock:
                added_variables.notice(model, session)
        losses = self._losses.of(session, training, what, feeds)
        wants_batch = not model.steps or self._trace.all_batches
        first = first_batch.FirstBatch(losses) if losses and wants_batch else None
        model.loss_tensors = losses
        drawn = self._drawn(losses, feeds or {}, session) if what.trains else {}
        wanted = losses + (first.fetches if first is not None else []) + list(drawn.values())
        try:
            results, values = graph_variables.run_with(run, fetches, wanted)
        except BaseException:
            if self._worker is not None:
                self._worker.fail_step()
            raise
        if what.trains and model.steps_together:
            self._worker.await_step_of_all()
        with self._lock:
            fed_values.add(model.about, len(model.steps), feeds)
            if first is not None:
                model.add_batch(first, [values[id(item)] for item in first.fetches], feeds)
            numbers = {key: values[id(item)] for key, item in drawn.items()}
            if what.trains:
                self._trace.draws.add_step(numbers, self._trace, model)
            loss_values = [values[id(loss)] for loss in losses]
            towers = self._losses.add(session, training, what, loss_values)
            model.about["towers"] = max(model.about.get("towers", 0), what.towers)
            # What adds up gradients is a part of the step that applies them.
            written = what.written.union(model.about.get("written_by_steps", ()))
            model.about["written_by_steps"] = sorted(written)
            if what.trains:
                self._record(session, training, towers)
            elif what.sums:
                model.about["gradient_sums"] = sorted(what.sums)
        if self._worker is not None:
            self._worker.after_step()
        return results

    def _between(
        self, session: Any, fetches: List[Any], feeds: Optional[Dict[Any, Any]], run: Any
    ) -> Any:
        """Makes a run that is no step, and records what it draws."""
        draws, steps = self._trace.draws, self._trace.step_count
        with self._unobserved():
            drawn = draws.between(fetches, feeds or {}, session, steps) if fetches else {}
        if not drawn:
            return run(fetches)
        results, values = graph_variables.run_with(run, fetches, list(drawn.values()))
        with self._lock:
            draws.add_between({key: values[id(each)] for key, each in drawn.items()}, steps)
        return results

    def _drawn(self, losses: List[Any], feeds: Dict[Any, Any], session: Any) -> Dict[str, Any]:
        """Returns the draws of a step to fetch."""
        with self._unobserved():
            draw_tensors: Dict[str, Any] = self._trace.draws.of(losses, feeds, session)
        return draw_tensors

    def _take_turn(self, session: Any, training: graph_training.GraphTraining) -> None:
        """Waits until the step may be made; before a session's first, follows the session."""
        worker = self._worker
        new = id(session) not in self._models
        if worker is not None and not worker.is_chief:
            if new:
                worker.wait_for_chief()
                worker.begin()
            # Its start values are set in its turn.
            worker.before_step(training.synchronous, training.runs_ahead)
        if new:
            with self._lock:
                self._begin(session, training)
        if worker is not None and worker.is_chief:
            if new:
                worker.begin()
            worker.before_step(training.synchronous, training.runs_ahead)
        if self._models[id(session)].waits_to_be_given:
            worker.meet(functools.partial(self._give, session))
        if self._models[id(session)].steps_together:
            worker.come_together()  # the chief's thread waits for it, too: after the state is given

    def _give(self, session: Any) -> None:
        """Gives all synchronous workers the other program's state, which the chief writes."""
        with self._unobserved(), self._lock:
            self._models[id(session)].give(session, self.is_chief)

    def _begin(self, session: Any, training: graph_training.GraphTraining) -> None:
        """Copies and records initial values, before the first step of a session."""
        worker = self._worker
        with self._unobserved():
            first = self._global_step(session, training)
            # Only the chief sets variables on parameter servers.
            own = worker is None or worker.is_chief or not _on_parameter_servers(session.graph)
            if worker is None:
                self._trace.model_started_by(session, first or 0, self._initial_values is None)
            is_new = not self._trace.model_of(session.graph, session).sessions
            if self._initial_values is not None and not first and is_new and own:
                hooks.copy_values(self._trace, self._initial_values, session)
            names = ", ".join(loss.name for loss in training.losses)
            model = self._trace.begin_session(session, first or 0, names)
            self._models[id(session)] = model
            self._sessions.append(session)
        shares = training.synchronous and _on_parameter_servers(session.graph)
        model.steps_together = shares and worker is not None and not training.runs_ahead
        if training.synchronous and model.follow is not None:
            model.waits_to_be_given = shares  # other workers may not have read the step yet
        model.about.update(about_graph(session.graph, model.variables, training))

    def _record(
        self, session: Any, training: graph_training.GraphTraining, towers: List[float]
    ) -> None:
        model = self._models[id(session)]
        model.about["losses"] = self._losses.about
        with self._unobserved():
            step = self._global_step(session, training)
            model.before_step()
            model.steps.append(len(model.steps) + 1 if step is None else step)
            model.losses.append(float(np.mean(towers)) if towers else float("nan"))
            if len(training.losses) > 1:
                count = len(training.losses)
                model.tower_losses.append(towers if len(towers) == count else [np.nan] * count)
            if len(model.steps) == 1 or len(model.steps) % model.every == 0:
                model.add_values(session)

    def _global_step(self, session: Any, training: graph_training.GraphTraining) -> Optional[int]:
        """Returns the global step, None if the program has none."""
        variable = training.global_step
        if variable is None:
            step_variables = session.graph.get_collection("global_step")
            variable = step_variables[0] if step_variables else None
        if variable is None:
            return None
        return int(
            graph_variables.fetch(
                session, [graph_variables.GraphVariable(variable, False).fetches]
            )[0][0]
        )


def about_graph(
    graph: Any, variables: Sequence[Any], training: graph_training.GraphTraining
) -> Dict[str, Any]:
    """Returns the part of ``meta`` about the graph of a session."""
    mirrored = any(
        type(variable).__name__.startswith(_MIRRORED)
        for variable in graph.get_collection("variables")
    )
    step = training.global_step
    copies = [] if step is None else graph_variables.GraphVariable(step, False).copies
    holders = {id(graph_variables.operation_of(copy)) for copy in copies}
    return {
        "counters": [
            entry.name
            for entry in variables
            if any(id(graph_variables.operation_of(copy)) in holders for copy in entry.copies)
        ],
        "placement": {entry.name: str(entry.copies[0].device) for entry in variables},
        "mirrored": mirrored,
        "synchronous": training.synchronous,
        "runs_ahead": training.runs_ahead,
    }


def _on_parameter_servers(graph: Any) -> bool:
    return any("/job:ps" in str(variable.device) for variable in graph.get_collection("variables"))


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Records one program; returns the exit code."""
    parser = command_line.argument_parser()
    parser.add_argument("--worker", metavar="I/N", help="record worker I of N of a cluster")
    parser.add_argument("--shared", metavar="DIR", help="folder for synchronization of the workers")
    parser.add_argument(
        "--turns", action="store_true", help="let the workers take turns, one step each"
    )
    texts = sys.argv[1:] if arguments is None else arguments
    options = command_line.parse_arguments(texts, parser)
    worker = None
    if options.worker:
        index, _, count = options.worker.partition("/")
        worker = cluster_worker.Worker(int(index), int(count), options.shared, options.turns)
    return int(record.record_program(options, SessionRecorder(worker)))


if __name__ == "__main__":
    sys.exit(main())
