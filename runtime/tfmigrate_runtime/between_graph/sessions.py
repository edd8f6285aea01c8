"""Sessions of workers in lockstep: they start together, and end when one is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph import own_values, step_reports
from tfmigrate_runtime.between_graph.agreement import is_reduction
from tfmigrate_runtime.between_graph.shared_state import SharedState
from tfmigrate_runtime.estimator.task import Task
from tfmigrate_runtime.train import peers
from tfmigrate_runtime.train.executed import executed_by

SECONDS_AWAY = 60.0  # a peer that does not answer for so long, in a step, is lost
SECONDS_ENDED = 5.0  # one whose host says that it has ended
SECONDS_TO_END = 10.0  # how long one that has ended its training waits for the others to end theirs
SECONDS_TO_COME = 7200.0  # what tf.train's sessions waited for their chief


@dataclass(frozen=True)
class Beginning:
    """What a session runs before it is given to the program; None for what there is not."""

    is_chief: bool
    shared: SharedState
    init_op: Any
    init_feed_dict: Any = None
    init_fn: Any = None
    saver: Any = None
    checkpoint_dir: str | None = None
    local_init_op: Any = None
    local_init_feed_dict: Any = None
    ready_op: Any = None
    ready_for_local_init_op: Any = None


class WatchedSession(tf.Session):  # type: ignore[misc]
    """A session whose steps end with an error that names the peer which was lost.

    Attributes:
        shared: the variables that all workers share, once the session has begun.
    """

    def __init__(self, target: str, graph: Any, config: Any, task: Task) -> None:
        """Makes a session.

        Args:
            target: of this worker's server.
            graph: the graph.
            config: a ConfigProto, or None.
            task: this worker, in the cluster of those that train.
        """
        super().__init__(target, graph=graph, config=config)
        self.shared: SharedState | None = None
        self._calls_lock = threading.Lock()
        self._task = task
        self._calls: dict[tuple[frozenset[Any], frozenset[Any]], step_reports.Call] = {}

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs operations, as ``tf.Session.run`` does.

        Raises:
            PeerLostError: another worker, which has to take part, is lost.
        """
        call = self._call(fetches, feed_dict)
        if self.shared is not None and call.copies:
            copies = own_values.fetches_of_copies(self.graph, fetches, call.copies)
            with self.shared.lock:
                result = super().run(copies, feed_dict, options, run_metadata)
                self.shared.note(call.writes, saves=call.saves)
            return result
        if not call.is_step:
            result = super().run(fetches, feed_dict, options, run_metadata)
            if self.shared is not None:
                self.shared.note(call.writes, saves=call.saves)
            return result
        watch = peers.PeerWatch(
            peers.named(self._task), self._task.peers(), SECONDS_AWAY, SECONDS_ENDED
        )
        with watch.watching():
            if self.shared is None:
                return super().run(fetches, feed_dict, options, run_metadata)

            def make(fetches: Any, feeds: Any) -> Any:
                return super(WatchedSession, self).run(fetches, feeds, options, run_metadata)

            return self.shared.step(super().run, make, fetches, feed_dict, call)

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        """Returns a function that runs operations, as ``tf.Session.make_callable`` does."""
        tensors = list(feed_list or ())

        def call(*values: Any, **options: Any) -> Any:  # TensorFlow's own passes by ``run``
            return self.run(fetches, dict(zip(tensors, values, strict=True)), **options)

        return call

    def end(self) -> None:
        """Compares the variables with those of the other workers, which end with this one.

        One that does not end with it is left to itself: it may be evaluating.

        Raises:
            CopiesDifferError: they differ.
        """
        if self.shared is None:
            return

        def run(fetches: Any, feeds: Any) -> Any:
            options = tf.RunOptions(timeout_in_ms=int(SECONDS_TO_END * 1000))
            return super(WatchedSession, self).run(fetches, feeds, options)

        missing = peers.Missing(self._task.peers())
        if not missing.look():
            try:
                self.shared.end(run)
                return
            except tf.errors.OpError:
                missing.look()
        whom = str(missing) or "the others, which have not ended their sessions yet"
        peers.say(
            f"{peers.named(self._task)} has not compared its variables at the end with {whom}"
        )

    def _call(self, fetches: Any, feed_dict: Any) -> step_reports.Call:
        """Returns what is known of a call of these operations, with feeds of these tensors."""
        fetched = frozenset(
            getattr(element, "op", element)
            for element in map(self.graph.as_graph_element, _flattened(fetches))
        )
        # What is fed is not computed: variables are loaded by feeding their initial value.
        fed = frozenset(getattr(key, "name", key) for key in feed_dict or ())
        with self._calls_lock:  # a supervisor has threads that fetch summaries
            if (known := self._calls.get((fetched, fed))) is None:
                known = self._new_call(fetched, fed)
                if self.shared is not None:  # what is run before has begun is run once
                    self._calls[fetched, fed] = known
        return known

    def _new_call(self, fetched: frozenset[Any], fed: frozenset[str]) -> step_reports.Call:
        """Returns what is known of a call of operations, with feeds of tensors of these names."""
        shared, copies = self.shared, {}
        operations = list(executed_by((), fetched, fed).values())
        reports = step_reports.find(self.graph, operations)
        is_step = any(map(is_reduction, operations))
        if is_step and reports is None and shared is not None and not shared.trains(operations):
            copies = own_values.with_own_values(self.graph, fetched, fed)
        if copies:
            is_step = False
            operations = list(executed_by((), {copies.get(op, op) for op in fetched}, fed).values())
        return step_reports.Call(
            is_step=is_step,
            writes={} if shared is None else shared.writes_of(operations),
            waits=[] if shared is None else shared.waits_of(operations),
            saves=any(operation.type == "SaveV2" for operation in operations),
            reports=reports,
            copies=copies,
        )


def _flattened(fetches: Any) -> Iterator[Any]:
    """Yields what is fetched; keys of dictionaries, as hooks are, need no order."""
    if isinstance(fetches, Mapping):
        fetches = list(fetches.values())
    if isinstance(fetches, (list, tuple)):
        for part in fetches:
            yield from _flattened(part)
    elif fetches is not None:
        yield from tf.nest.flatten(fetches, expand_composites=True)


def session_config(strategy: Any, program_config: Any) -> Any:
    """Returns the ConfigProto for the sessions of a worker.

    Args:
        strategy: the MultiWorkerMirroredStrategy.
        program_config: that of the program, or None.
    """
    config = strategy.update_config_proto(program_config or tf.ConfigProto())
    # What the program placed on a GPU or on a parameter server may not be there.
    config.allow_soft_placement = True
    return config


def prepared_session(
    strategy: Any, target: str, config: Any, beginning: Beginning, seconds: float | None, graph: Any
) -> Any:
    """Returns a session in which all workers have the variables of the chief.

    Every worker initializes its own copies, the chief restores its checkpoint, if there is one,
    and all take over what it has then. What one worker writes later is shared (shared_state.py).

    Args:
        strategy: the MultiWorkerMirroredStrategy.
        target: of this worker's server.
        config: the program's ConfigProto, or None.
        beginning: what to run.
        seconds: how long to wait for the other workers; None for two hours.
        graph: the graph.

    Raises:
        PeerLostError: another worker did not come, or is lost.
        RuntimeError: variables are not initialized.
    """
    task: Task = strategy.task
    seconds = SECONDS_TO_COME if seconds is None else seconds
    peers.wait_for_peers(peers.named(task), task.peers(), seconds, "max_wait_secs")
    session = WatchedSession(target, graph, session_config(strategy, config), task)
    if beginning.init_op is not None:
        session.run(beginning.init_op, feed_dict=beginning.init_feed_dict)
    if beginning.is_chief and not _restored(session, beginning) and beginning.init_fn:
        beginning.init_fn(session)
    beginning.shared.begin(session.run)
    _check_ready(session, beginning.ready_for_local_init_op)
    if beginning.local_init_op is not None:
        session.run(beginning.local_init_op, feed_dict=beginning.local_init_feed_dict)
    _check_ready(session, beginning.ready_op)
    session.shared = beginning.shared
    return session


def _restored(session: Any, beginning: Beginning) -> bool:
    """Restores the latest checkpoint; says whether there was one."""
    if beginning.saver is None or not beginning.checkpoint_dir:
        return False
    state = tf.train.get_checkpoint_state(beginning.checkpoint_dir)
    if state is None or not state.model_checkpoint_path:
        return False
    beginning.saver.restore(session, state.model_checkpoint_path)
    beginning.saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
    return True


def _check_ready(session: Any, ready_op: Any) -> None:
    missing = [] if ready_op is None else list(session.run(ready_op))
    if missing:
        names = ", ".join(name.decode() for name in missing)
        raise RuntimeError(f"Init operations did not initialize the variables {names}.")


class Once:
    """Refuses to begin a second session, which the other workers would not begin with it."""

    def __init__(self, task: Task) -> None:
        """Notes the worker."""
        self._task, self._was = task, False

    def check(self) -> None:
        """Notes that a session begins.

        Raises:
            PeerLostError: it is not the first.
        """
        if self._was:
            raise peers.PeerLostError(
                f"{self._task.type} {self._task.index} lost its session and cannot restart it "
                "alone. Restart all tasks; they resume from the last checkpoint."
            )
        self._was = True
