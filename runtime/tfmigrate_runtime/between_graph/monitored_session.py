"""``tf.train.MonitoredTrainingSession``, for workers in lockstep too."""

import inspect
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.sessions import Beginning, Once, prepared_session
from tfmigrate_runtime.between_graph.shared_state import SharedState
from tfmigrate_runtime.between_graph.strategies import is_synchronous

_SECONDS_BETWEEN_CHECKPOINTS = 600
_STEPS_BETWEEN_SUMMARIES = 100


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
    chosen = set(bound.arguments)
    bound.apply_defaults()
    values = bound.arguments
    scaffold = values["scaffold"] or tf.train.Scaffold()
    creator = _SessionCreator(strategy, scaffold, values)
    hooks = list(values["hooks"] or [])
    if values["is_chief"]:
        hooks = [*_hooks_of_chief(scaffold, values, chosen), *hooks]
    return tf.train.MonitoredSession(
        session_creator=creator,
        # First: what others save or assign at the end comes after it.
        hooks=[_EndHook(), *hooks],
        stop_grace_period_secs=values["stop_grace_period_secs"],
    )


class _EndHook(tf.train.SessionRunHook):  # type: ignore[misc]
    """Compares the variables of the workers at the end of a training without an error."""

    def end(self, session: Any) -> None:
        """Compares them."""
        session.end()


class _SessionCreator(tf.train.SessionCreator):  # type: ignore[misc]
    """Makes the session of a worker, once."""

    def __init__(self, strategy: Any, scaffold: Any, values: dict[str, Any]) -> None:
        self._strategy, self._scaffold = strategy, scaffold
        self._values = values
        self._once = Once(strategy.task)

    def create_session(self) -> Any:
        """Returns the session.

        Raises:
            PeerLostError: it is not the first, or another worker did not come, or is lost.
            RuntimeError: variables are not initialized.
        """
        self._once.check()
        is_chief = bool(self._values["is_chief"])
        # Before the scaffold finalizes the graph, and after hooks have added to it.
        shared = SharedState(self._strategy, is_chief)
        scaffold = self._scaffold
        scaffold.finalize()
        beginning = Beginning(
            is_chief=is_chief,
            shared=shared,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
            saver=scaffold.saver,
            checkpoint_dir=self._values["checkpoint_dir"] if is_chief else None,
            local_init_op=scaffold.local_init_op,
            local_init_feed_dict=scaffold.local_init_feed_dict,
            ready_op=scaffold.ready_op,
            ready_for_local_init_op=scaffold.ready_for_local_init_op,
        )
        return prepared_session(
            self._strategy,
            self._values["master"],
            self._values["config"],
            beginning,
            self._values["max_wait_secs"],
            tf.get_default_graph(),
        )


def _hooks_of_chief(scaffold: Any, values: dict[str, Any], chosen: set[str]) -> list[Any]:
    """Returns the hooks that ``tf.train.MonitoredTrainingSession`` adds for the chief."""
    hooks = list(values["chief_only_hooks"] or [])
    checkpoint_dir = values["checkpoint_dir"]
    summary_dir = values["summary_dir"] or checkpoint_dir
    every = values["log_step_count_steps"]
    steps, seconds = _intervals(values, chosen, "save_summaries", steps=_STEPS_BETWEEN_SUMMARIES)
    if summary_dir and every and every > 0:
        hooks.append(tf.train.StepCounterHook(output_dir=summary_dir, every_n_steps=every))
    if summary_dir and (steps or seconds):
        hooks.append(
            tf.train.SummarySaverHook(
                scaffold=scaffold, save_steps=steps, save_secs=seconds, output_dir=summary_dir
            )
        )
    steps, seconds = _intervals(
        values, chosen, "save_checkpoint", seconds=_SECONDS_BETWEEN_CHECKPOINTS
    )
    if checkpoint_dir and (steps or seconds):
        hooks.append(
            tf.train.CheckpointSaverHook(
                checkpoint_dir,
                save_steps=steps,
                save_secs=seconds,
                scaffold=scaffold,
                save_graph_def=values["save_graph_def"],
            )
        )
    return hooks


def _intervals(
    values: dict[str, Any],
    chosen: set[str],
    name: str,
    steps: int | None = None,
    seconds: int | None = None,
) -> tuple[Any, Any]:
    """Returns every how many steps and seconds: what the program chose, or the default of both."""
    names = (f"{name}_steps", f"{name}_secs")
    if not chosen.intersection(names):
        return steps, seconds
    wanted = tuple(values[key] if key in chosen else None for key in names)
    positive = tuple(value if value and value > 0 else None for value in wanted)
    return positive[0], positive[1]
