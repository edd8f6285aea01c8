"""``tf.train.Supervisor``, for workers in lockstep too."""

import inspect
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.sessions import Beginning, WatchedSession, prepared_session
from tfmigrate_runtime.between_graph.shared_state import SharedState
from tfmigrate_runtime.between_graph.strategies import is_synchronous


class Supervisor(tf.train.Supervisor):  # type: ignore[misc]
    """A Supervisor whose workers begin with the variables of the chief."""

    def __init__(self, *arguments: Any, strategy: Any = None, **options: Any) -> None:
        """Makes a supervisor.

        Args:
            *arguments: as ``tf.train.Supervisor`` takes them.
            strategy: the strategy of the program. With one that is not synchronous this is
                ``tf.train.Supervisor``.
            **options: as ``tf.train.Supervisor`` takes them.

        Raises:
            ValueError: a session manager is given to workers in lockstep.
        """
        if is_synchronous(strategy):
            bound = _given(arguments, options)
            if bound.get("session_manager") is not None:
                raise ValueError(
                    "synchronous workers start their sessions together, which a custom "
                    "session_manager does not do; remove the argument"
                )
            options["session_manager"] = _SessionManager(self, strategy, bound)
        super().__init__(*arguments, **options)

    def stop(self, *arguments: Any, **options: Any) -> None:
        """Stops the services, as ``tf.train.Supervisor.stop`` does.

        Raises:
            CopiesDifferError: the workers' copies of a variable differ at the end of training.
        """
        try:
            if isinstance(self.session_manager, _SessionManager):
                self.session_manager.end(self.coord)
        finally:
            super().stop(*arguments, **options)


class _SessionManager(tf.train.SessionManager):  # type: ignore[misc]
    """Makes the sessions of a supervisor."""

    def __init__(self, supervisor: Supervisor, strategy: Any, arguments: dict[str, Any]) -> None:
        super().__init__()
        self._supervisor, self._strategy = supervisor, strategy
        self._given = arguments
        self._session_of_worker: WatchedSession | None = None
        self._graph_of_program = arguments.get("graph") or tf.get_default_graph()
        with self._graph_of_program.as_default():
            # A supervisor finalizes the graph.
            self._shared = SharedState(strategy, bool(arguments.get("is_chief", True)))

    def prepare_session(self, master: str, *_: Any, **options: Any) -> Any:
        """Returns the session of the chief."""
        return self._session(
            master,
            options,
            is_chief=True,
            saver=options.get("saver"),
            checkpoint_dir=options.get("checkpoint_dir"),
            init_fn=options.get("init_fn"),
        )

    def wait_for_session(self, master: str, *_: Any, **options: Any) -> Any:
        """Returns the session of a worker that is not the chief."""
        return self._session(master, options, is_chief=False)

    def _session(self, master: str, options: dict[str, Any], **parts: Any) -> Any:
        supervisor = self._supervisor
        beginning = Beginning(
            shared=self._shared,
            init_op=supervisor.init_op,
            init_feed_dict=supervisor.init_feed_dict,
            local_init_op=self._local_init_op_of_program(),
            ready_op=supervisor.ready_op,
            ready_for_local_init_op=supervisor.ready_for_local_init_op,
            **parts,
        )
        self._session_of_worker = prepared_session(
            self._strategy,
            master,
            options.get("config"),
            beginning,
            options.get("max_wait_secs"),
            self._graph_of_program,
        )
        return self._session_of_worker

    def end(self, coordinator: Any) -> None:
        """Compares the variables of the workers, once, at the end of a training without an error.

        Args:
            coordinator: of the supervisor, which knows of errors.
        """
        session, self._session_of_worker = self._session_of_worker, None
        try:
            coordinator.raise_requested_exception()
        except Exception:  # of any kind, which the supervisor raises
            return
        if session is not None:
            session.end()

    def _local_init_op_of_program(self) -> Any:
        """Returns what the program gave, or what a supervisor has put into the collection."""
        default = tf.train.Supervisor.USE_DEFAULT
        init_op = self._given.get("local_init_op", default)
        if isinstance(init_op, type(default)) and init_op == default:
            with self._graph_of_program.as_default():
                return tf.get_collection(tf.GraphKeys.LOCAL_INIT_OP)[0]
        return init_op


def _given(arguments: Any, options: Any) -> dict[str, Any]:
    """Returns the arguments that were given to a supervisor by their name."""
    return dict(inspect.signature(tf.train.Supervisor).bind(*arguments, **options).arguments)
