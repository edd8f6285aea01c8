"""Runs monitors as one session hook."""

import inspect
from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf


class RunHookAdapterForMonitors(tf.train.SessionRunHook):  # type: ignore[misc]
    """One hook for several monitors, which count steps from global_step + 1."""

    def __init__(self, monitors: list[Any]) -> None:
        """Takes the monitors, in the order in which they are asked."""
        self._monitors = monitors

    def begin(self) -> None:
        """Begins all monitors."""
        self._step: int | None = None
        self._global_step = tf.train.get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: Any) -> Any:
        """Asks the monitors what they want to see.

        Raises:
            ValueError: a monitor returns no list, or what is in no graph of this session.
        """
        if self._step is None:
            self._step = int(run_context.session.run(self._global_step)) + 1
        wanted: list[Any] = []
        for monitor in self._monitors:
            asked = monitor.step_begin(self._step) or []
            if not isinstance(asked, list):
                raise ValueError("Monitor.step_begin should return a list.")
            wanted += asked
        fetches = {item: _graph_element(item) for item in wanted}
        return tf.train.SessionRunArgs({"step": self._global_step, "monitors": fetches})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Shows the monitors what was fetched; stops where one of them asks for it."""
        outputs = run_values.results["monitors"]
        for monitor in self._monitors:
            if monitor.step_end(self._step, outputs):
                run_context.request_stop()
        for monitor in self._monitors:
            monitor.post_step(self._step, run_context.session)
        self._step = int(run_values.results["step"]) + 1

    def end(self, session: Any) -> None:
        """Ends all monitors, which may take no session."""
        self._step = None
        for monitor in self._monitors:
            takes_session = "session" in inspect.getfullargspec(monitor.end).args
            monitor.end(**({"session": session} if takes_session else {}))


def replace_monitors_with_hooks(
    monitors_or_hooks: Iterable[Any] | None, estimator: Any
) -> list[Any]:
    """Returns hooks as they are, and one more for all monitors.

    Args:
        monitors_or_hooks: both, mixed.
        estimator: whose training is watched. Monitors that do not run on all workers are left out
            where its task is not chief.
    """
    watchers = list(monitors_or_hooks or [])
    hooks = [item for item in watchers if isinstance(item, tf.train.SessionRunHook)]
    monitors = [item for item in watchers if not isinstance(item, tf.train.SessionRunHook)]
    if not estimator.config.is_chief:
        monitors = [monitor for monitor in monitors if monitor.run_on_all_workers]
    for monitor in monitors:
        monitor.set_estimator(estimator)
    return [*hooks, RunHookAdapterForMonitors(monitors)] if monitors else hooks


def _graph_element(item: Any) -> Any:
    """Returns a tensor or operation; a name without ":0" is that of an op's only output."""
    graph = tf.get_default_graph()
    if not isinstance(item, str):
        if getattr(item, "graph", None) is not graph:
            raise ValueError(
                f"Passed {item} should have graph attribute that is equal to current graph {graph}."
            )
        return item
    if ":" in item:
        return graph.as_graph_element(item)
    element = graph.as_graph_element(f"{item}:0")
    if len(element.op.outputs) > 1:
        raise ValueError(
            f"Name {item} is ambiguous, as this `Operation` has multiple outputs (at least 2)."
        )
    return element
