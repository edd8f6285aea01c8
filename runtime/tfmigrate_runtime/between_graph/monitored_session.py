"""``tf.train.MonitoredTrainingSession``, for workers in lockstep too."""

import inspect
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.sessions import Beginning, Once, prepared_session
from tfmigrate_runtime.between_graph.shared_state import SharedState
from tfmigrate_runtime.between_graph.strategies import is_synchronous
from tfmigrate_runtime.train.managed_sessions import monitored_training_session


def MonitoredTrainingSession(  # noqa: N802
    *arguments: Any, strategy: Any = None, **options: Any
) -> Any:
    """Returns a ``tf.train.MonitoredSession`` for training.

    Args:
        *arguments: as ``tf.train.MonitoredTrainingSession`` takes them.
        strategy: the strategy of the program. With one that is not synchronous the session is
            that of ``tf.train.MonitoredTrainingSession``.
        **options: as ``tf.train.MonitoredTrainingSession`` takes them.

    Raises:
        PeerLostError: another worker did not come, or is lost.
        RuntimeError: variables are not initialized.
    """
    if not is_synchronous(strategy):
        return tf.train.MonitoredTrainingSession(*arguments, **options)
    bound = inspect.signature(tf.train.MonitoredTrainingSession).bind(*arguments, **options)
    chosen = bound.arguments
    # First: what others save or assign at the end comes after it.
    first = "chief_only_hooks" if chosen.get("is_chief", True) else "hooks"
    chosen[first] = [_EndHook(), *(chosen.get(first) or ())]

    def creator(**values: Any) -> Any:
        return _SessionCreator(strategy, {**chosen, **values})

    return monitored_training_session(creator, **chosen)


class _EndHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """Compares the variables of the workers at the end of a training without an error."""

    def end(self, session: Any) -> None:
        """Compares them."""
        session.end()


class _SessionCreator(tf.train.SessionCreator):  # type: ignore[misc]
    """Makes the session of a worker, once."""

    def __init__(self, strategy: Any, values: dict[str, Any]) -> None:
        self._strategy, self._values = strategy, values
        self._once = Once(strategy.task)

    def create_session(self) -> Any:
        """Returns the session.

        Raises:
            PeerLostError: it is not the first, or another worker did not come, or is lost.
            RuntimeError: variables are not initialized.
        """
        self._once.check()
        values, scaffold = self._values, self._values["scaffold"]
        is_chief = bool(values.get("is_chief", True))
        # Before the scaffold finalizes the graph, and after hooks have added to it.
        shared = SharedState(self._strategy, is_chief)
        scaffold.finalize()
        beginning = Beginning(
            is_chief=is_chief,
            shared=shared,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
            saver=scaffold.saver,
            checkpoint_dir=values["checkpoint_dir"] if is_chief else None,
            local_init_op=scaffold.local_init_op,
            local_init_feed_dict=scaffold.local_init_feed_dict,
            ready_op=scaffold.ready_op,
            ready_for_local_init_op=scaffold.ready_for_local_init_op,
        )
        return prepared_session(
            self._strategy,
            values["master"],
            values["config"],
            beginning,
            values.get("max_wait_secs"),
            tf.get_default_graph(),
        )
