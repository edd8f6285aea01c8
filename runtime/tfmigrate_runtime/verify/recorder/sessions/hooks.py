"""Training sessions with a NanTensorHook, as those of Estimators: followed by hooks."""

from typing import Any, Dict, List, Optional, Tuple

from .. import recording
from ..program import wrapping
from . import first_batch, graph_variables

_FEWEST_TOGETHER = 4  # steps of the stretch that training makes without hooks


class SessionHook:
    """The methods of ``tf.train.SessionRunHook``, none of which does anything."""

    def begin(self) -> None:
        """Called before the session is created."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called with the raw session once variables are initialized or restored."""

    def before_run(self, run_context: Any) -> Any:
        """Called before each ``run``; returns what to fetch besides."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after each ``run``."""

    def end(self, session: Any) -> None:
        """Called at the end of the session."""


def copy_values(trace: recording.Trace, values: Dict[str, Any], session: Any) -> List[str]:
    """Copies values to the variables of a session where they differ; returns their names.

    Args:
        trace: where to record it.
        values: the initial values of the first model, by the names of variables.
        session: the raw session.
    """
    model = trace.model_of(session.graph, session)
    values = trace.starts_of(model, values)
    variables = graph_variables.variables_of(session.graph)
    current = graph_variables.read(session, variables)
    drawn: Dict[str, Any] = {}
    origin: Dict[str, List[str]] = {"transferred": [], "pinned": [], "free": []}
    loaded = []
    for variable in variables:
        wanted, present = values.get(variable.name), current[variable.name]
        kind = recording.origin_of(wanted, present)
        origin[kind].append(variable.name)
        if kind == "transferred":
            loaded.append((variable, wanted))
            drawn[variable.name] = present
    graph_variables.load(session, loaded)
    if not model.sessions:  # later ones continue the training
        model.origin, model.drawn = origin, drawn
    return origin["transferred"]


class RecordHook(SessionHook):
    """Follows one training session."""

    def __init__(
        self, trace: recording.Trace, loss: Any, hooks: List[Any], values: Optional[Dict[str, Any]]
    ) -> None:
        """Takes the training to follow.

        Args:
            trace: where to record it.
            loss: the loss that is trained.
            hooks: the other hooks of the session.
            values: initial values to copy, None to leave the program's own.
        """
        self._trace, self._loss, self._hooks = trace, loss, hooks
        self._values, self._step = values, 0
        self._model: Any = None  # the recording.Model, once the session is there
        self._first: Any = None  # the FirstBatch, while no step was made
        self._skips = False  # whether steps may be made that this does not see

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Records the initial values."""
        self._trace.followed.add(id(session))
        self._step = graph_variables.read_step(session)
        self._trace.steps_seen.append(self._step)
        # Not before the other hooks, which may load what the program starts from.
        self._trace.model_started_by(session, self._step, self._values is None)
        copied = []
        if self._values is not None and self._step == 0:
            copied = copy_values(self._trace, self._values, session)
        if copied:
            self._save_again(session, 0)
        self._model = self._trace.begin_session(session, self._step, self._loss.name)
        self._model.loss_tensors = [self._loss]
        if self._model.batch is None or self._trace.all_batches:
            self._first = first_batch.FirstBatch([self._loss])

    def _save_again(self, session: Any, step: int) -> None:
        """Writes the checkpoint of a step, where there is one, again with the copied values."""
        import tensorflow as tf

        train = getattr(tf.compat, "v1", tf).train
        for hook in self._hooks:
            path = getattr(hook, "_save_path", None)
            if not path or not hasattr(hook, "_get_saver"):
                continue
            if train.checkpoint_exists("%s-%d" % (path, step)):
                before = self._changed_since(train.load_checkpoint("%s-%d" % (path, step)))
                for entry, value in before:
                    entry.load(session, value)
                self._trace.saves_again = True
                hook._get_saver().save(session, path, global_step=step)
                self._trace.saves_again = False
                for entry, _ in before:
                    entry.load(session, self._model.held[entry.name])

    def _changed_since(self, reader: Any) -> List[Tuple[Any, Any]]:
        """Returns what hooks have assigned after a checkpoint, with what it has of it."""
        changes = []
        for entry in self._model.variables if self._model is not None else ():
            if entry.name in self._model.held and reader.has_tensor(entry.name):
                saved = graph_variables.storable(reader.get_tensor(entry.name))
                if saved.tobytes() != self._model.values[entry.name][-1].tobytes():
                    changes.append((entry, saved))
        return changes

    def steps_without_me(self, global_step: int) -> int:
        """Returns how many steps the runtime may make in one call, as where nobody looks.

        One stretch of a program in lock-step is made as in production, and compared as one step.
        """
        follow = None if self._model is None else self._model.follow
        together = max(_FEWEST_TOGETHER, self._trace.every)
        start, end = together, 2 * together
        if follow is None or not start <= global_step < end or not follow.has(end):
            return 0
        if self._model.about.get("ordered_updates"):
            return 0  # threads decide there
        self._skips = True
        return end - 1 - global_step

    def before_run(self, run_context: Any) -> Any:
        """Fetches the loss, and before the first step the batch."""
        from tensorflow.python.training import session_run_hook

        batch = self._first.fetches if self._first is not None else []
        if self._skips:
            self._skips = False
            self._note_unseen(graph_variables.read_step(run_context.session))
        feeds = run_context.original_args.feed_dict or {}
        draws = self._trace.draws.of([self._loss], feeds, run_context.session)
        return session_run_hook.SessionRunArgs([self._loss, batch, draws])

    def _note_unseen(self, last: int) -> None:
        """Records the steps up to one that were made since the last one that this saw."""
        for step in range(self._step + 1, last + 1):
            self._model.add_unseen(step)
            self._trace.hooks_passed_over += [type(hook).__name__ for hook in self._hooks]
        self._step = last

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Records the step, unless the run made none (the program may fetch other values)."""
        step = graph_variables.read_step(run_context.session)
        self._trace.steps_seen[1:] = [step]
        if step == self._step:
            return
        self._step = step
        loss = float(run_values.results[0])
        if self._first is not None:
            feeds = run_context.original_args.feed_dict
            self._model.add_batch(self._first, run_values.results[1], feeds)
            if not self._trace.all_batches:
                self._first = None
        self._trace.draws.add_step(run_values.results[2], self._trace, self._model)
        self._model.add_step(step, loss, run_context.session)
        if self._model.follow is not None:
            self._save_again(run_context.session, step)

    def end(self, session: Any) -> None:
        """Records the final values."""
        if self._model is not None:
            self._model.add_end(session)


def observe_sessions(trace: recording.Trace, initial_values: Optional[Dict[str, Any]]) -> None:
    """Adds the hooks to every monitored session that trains."""
    from tensorflow.python.training import monitored_session

    owner = monitored_session._MonitoredSession

    def initialize(
        original: Any, this: Any, session_creator: Any, hooks: Any, *arguments: Any, **options: Any
    ) -> None:
        hooks = list(hooks or ())
        losses = [hook._loss_tensor for hook in hooks if hasattr(hook, "_loss_tensor")]
        if losses:
            # Last: sees what other hooks did.
            hooks.append(RecordHook(trace, losses[0], list(hooks), initial_values))
        original(this, session_creator, hooks, *arguments, **options)

    wrapping.wrap(owner, "__init__", initialize)
