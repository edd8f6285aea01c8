"""Supervisor and MonitoredTrainingSession over the session of a coordinator."""

import time
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.coordinator.session import Session

_UNSET = object()


class SessionManager(tf.train.SessionManager):  # type: ignore[misc]
    """Makes the sessions of a coordinator: restored from a checkpoint, or initialised."""

    def __init__(self, local_init_op: Any = _UNSET, graph: Any = None) -> None:
        """Keeps what to run in every new session.

        Args:
            local_init_op: run after variables have been restored or initialised; without it, what
                the graph's collection of that name holds then.
            graph: the graph of the sessions, the default one if None.
        """
        super().__init__(graph=graph)
        self._of_graph, self._local_init_op = graph, local_init_op

    def _local_init(self, graph: Any) -> Any:
        if self._local_init_op is not _UNSET:
            return self._local_init_op
        collected = graph.get_collection(tf.GraphKeys.LOCAL_INIT_OP)
        return collected[0] if collected else None

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
    ) -> Session:
        """Returns a session whose variables have values.

        Args:
            master: not used.
            init_op: initialises variables where there is no checkpoint.
            saver: restores them where there is one.
            checkpoint_dir: where to look for the newest checkpoint.
            checkpoint_filename_with_path: a checkpoint to restore.
            wait_for_checkpoint: must be False: the coordinator is the only one that saves.
            max_wait_secs: not used.
            config: for the session.
            init_feed_dict: fed to ``init_op``.
            init_fn: called with the session after ``init_op``.

        Raises:
            RuntimeError: there is no checkpoint and nothing to initialise with.
        """
        graph = self._of_graph or tf.get_default_graph()
        local_init_op = self._local_init(graph)
        session = Session(master, graph=graph, config=config)
        if (path := checkpoint_filename_with_path) is None and checkpoint_dir:
            path = tf.train.latest_checkpoint(checkpoint_dir)
        if saver is not None and path:
            saver.restore(session, path)
        else:
            if init_op is None and init_fn is None and local_init_op is None:
                raise RuntimeError("no checkpoint to restore: pass init_op or init_fn")
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn is not None:
                init_fn(session)
        if local_init_op is not None:
            session.run(local_init_op)
        return session

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float = float("inf")
    ) -> Session:
        """Raises RuntimeError: there is no other process that would initialise variables."""
        raise RuntimeError(
            "the coordinator initializes the variables, so there is no chief to wait for; remove "
            "Supervisor(is_chief=False) and wait_for_session"
        )


class Supervisor(tf.train.Supervisor):  # type: ignore[misc]
    """``tf.train.Supervisor`` of a coordinator; it is always the chief."""

    def __init__(self, graph: Any = None, **options: Any) -> None:
        """Takes the arguments of ``tf.train.Supervisor``; ``is_chief`` is that of the coordinator.

        Args:
            graph: the graph, the default one if None.
            **options: the other arguments, by keyword.
        """
        local_init_op = options.get("local_init_op", self.USE_DEFAULT)
        # The default is made by the supervisor, and found in the graph's collection.
        known = {} if local_init_op is self.USE_DEFAULT else {"local_init_op": local_init_op}
        options["is_chief"] = True
        options["session_manager"] = SessionManager(graph=graph, **known)
        super().__init__(graph, **options)

    def start_standard_services(self, sess: Any) -> list[Any]:
        """Starts the threads that write summaries, the speed of training, and checkpoints.

        They do what those of ``tf.train.Supervisor`` do, and know the program's graph.
        """
        writer, step = self.summary_writer, self.global_step
        threads = []
        if writer is not None and step is not None:
            start = tf.SessionLog(status=tf.SessionLog.START)
            writer.add_session_log(start, int(sess.run(step)))
        if writer is not None and self.save_summaries_secs:
            if self.summary_op is not None:
                threads.append(self.loop(self.save_summaries_secs, self._summarise, (sess,)))
            if step is not None:
                speed = _Speed(self, sess)
                threads.append(self.loop(self.save_summaries_secs, speed.write))
        if self.saver is not None and self.save_path and self.save_model_secs:
            threads.append(self.loop(self.save_model_secs, self._save, (sess,)))
        return threads

    def loop(
        self, timer_interval_secs: float, target: Any, args: Any = None, kwargs: Any = None
    ) -> Any:
        """Starts a thread that calls a function again and again, with the session's graph."""
        graph = tf.get_default_graph()

        def in_graph(*positional: Any, **named: Any) -> None:
            with graph.as_default():
                target(*positional, **named)

        return super().loop(timer_interval_secs, in_graph, args, kwargs)

    def _summarise(self, session: Any) -> None:
        step = None if self.global_step is None else int(session.run(self.global_step))
        self.summary_writer.add_summary(session.run(self.summary_op), step)

    def _save(self, session: Any) -> None:
        self.saver.save(session, self.save_path, global_step=self.global_step)


class _Speed:
    """Writes the steps made in a second, as the supervisor's step counter does."""

    def __init__(self, supervisor: Supervisor, session: Any) -> None:
        self._supervisor, self._session = supervisor, session
        self._step = int(session.run(supervisor.global_step))
        self._time = time.monotonic()

    def write(self) -> None:
        step, now = int(self._session.run(self._supervisor.global_step)), time.monotonic()
        speed = (step - self._step) / max(now - self._time, 1e-6)
        tag = f"{self._supervisor.global_step.op.name}/sec"
        value = tf.Summary.Value(tag=tag, simple_value=speed)
        self._supervisor.summary_writer.add_summary(tf.Summary(value=[value]), step)
        self._step, self._time = step, now


class _Creator(tf.train.SessionCreator):  # type: ignore[misc]
    def __init__(self, scaffold: Any, checkpoint_dir: str | None, path: str | None, config: Any):
        self._scaffold, self._checkpoint_dir = scaffold, checkpoint_dir
        self._path, self._config = path, config

    def create_session(self) -> Session:
        scaffold = self._scaffold.finalize()
        manager = SessionManager(scaffold.local_init_op)
        return manager.prepare_session(
            "",
            init_op=scaffold.init_op,
            saver=scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._path,
            config=self._config,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


def MonitoredTrainingSession(  # noqa: N802 - the name of TensorFlow's function
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Any = None,
    hooks: Sequence[Any] | None = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: Any = _UNSET,
    save_summaries_steps: Any = _UNSET,
    save_summaries_secs: Any = _UNSET,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _UNSET,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> Any:
    """Returns a ``tf.train.MonitoredSession`` on the coordinator's cluster.

    The arguments and their defaults are those of ``tf.train.MonitoredTrainingSession``;
    ``master``, ``is_chief`` and ``max_wait_secs`` are not used: the coordinator is the chief.
    """
    scaffold = scaffold or tf.train.Scaffold()
    every_secs, every_steps = save_checkpoint_secs, save_checkpoint_steps
    if every_secs is _UNSET and every_steps is _UNSET:
        every_secs = 600
    every_secs = None if every_secs is _UNSET else every_secs
    every_steps = None if every_steps is _UNSET else every_steps
    if save_summaries_steps is _UNSET and save_summaries_secs is _UNSET:
        save_summaries_steps = 100
    summary_steps = None if save_summaries_steps is _UNSET else save_summaries_steps
    summary_secs = None if save_summaries_secs is _UNSET else save_summaries_secs
    summary_dir = summary_dir or checkpoint_dir
    added = list(chief_only_hooks or ())
    if summary_dir and log_step_count_steps:
        added.append(tf.train.StepCounterHook(log_step_count_steps, output_dir=summary_dir))
    if summary_dir and (summary_steps or summary_secs):
        added.append(
            tf.train.SummarySaverHook(
                summary_steps, summary_secs, output_dir=summary_dir, scaffold=scaffold
            )
        )
    if checkpoint_dir and (every_secs or every_steps):
        added.append(
            tf.train.CheckpointSaverHook(
                checkpoint_dir,
                every_secs,
                every_steps,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    return tf.train.MonitoredSession(
        session_creator=_Creator(scaffold, checkpoint_dir, None, config),
        hooks=[*(hooks or ()), *added],
        stop_grace_period_secs=stop_grace_period_secs,
    )
