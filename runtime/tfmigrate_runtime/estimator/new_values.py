"""Variables that hooks fetch together with a step: they get the values after it.

A hook whose ``before_run`` asked for ``tf.train.get_global_step()`` was given the step after the
increment by TensorFlow 1.x (``late_reads.py`` has the reason), and counted on it: it stopped at
step 100, or halved the learning rate there. A read of a variable of TensorFlow 2 comes before the
step, so that the same hook let one step more be made. ``train_distribute`` had such variables in
TensorFlow 1.x already: there hooks get the old value, as they did.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.step_plan import EVERY_STEP
from tfmigrate_runtime.train.executed import executed_by
from tfmigrate_runtime.train.late_reads import late_reads
from tfmigrate_runtime.train.open_graphs import opened


class NewValues(tf.train.SessionRunHook):  # type: ignore[misc]
    """Makes a session return the new values of variables that its calls fetch and change."""

    def steps_without_me(self, global_step: int) -> int:
        """Returns how many steps need not be seen: all."""
        return EVERY_STEP

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Changes the session's ``run``: of a session that was lost and made again, too."""
        # MonitoredSession makes its session itself and passes on what all hooks fetch at once,
        # which no hook can see or change. So it is this one session's method that is replaced.
        session.run = functools.partial(_run, session.run, _Fetched(session.graph))


def _run(
    run: Callable[..., Any], fetched: _Fetched, fetches: Any, feed_dict: Any = None, **options: Any
) -> Any:
    return run(fetched.with_new_values(fetches, feed_dict or {}), feed_dict, **options)


class _Fetched:
    """Knows which fetches are read late, by what is fetched with them."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._known: dict[Any, dict[str, Any]] = {}

    def with_new_values(self, fetches: Any, feeds: Mapping[Any, Any]) -> Any:
        """Returns the fetches, reads that are to come late replaced."""
        elements = list(self._elements(fetches))
        if not any(_reads_variable(element) for element in elements):
            return fetches
        fed = list(self._elements(list(feeds)))
        key = frozenset(e.name for e in elements), frozenset(feed.name for feed in fed)
        if key not in self._known:
            self._known[key] = self._late(elements, fed)
        late_variables = self._known[key]
        return self._replaced(fetches, late_variables) if late_variables else fetches

    def _late(self, elements: list[Any], fed: list[Any]) -> dict[str, Any]:
        """Returns the tensors to fetch in place of others, by the names of these."""
        tensors = [element for element in elements if isinstance(element, tf.Tensor)]
        targets = [element for element in elements if not isinstance(element, tf.Tensor)]
        late_variables = late_reads(executed_by(tensors, targets, fed), tensors, fed)
        with opened(self._graph), tf.name_scope("new_values/"):
            return {name: _read(*read) for name, read in late_variables.items()}

    def _elements(self, fetches: Any) -> Iterator[Any]:
        """Yields the tensors and operations of fetches."""
        if isinstance(fetches, Mapping):
            fetches = list(fetches.values())
        if isinstance(fetches, (list, tuple)):
            for each in fetches:
                yield from self._elements(each)
            return
        with contextlib.suppress(TypeError):  # a SparseTensor is not a read of a variable
            yield self._graph.as_graph_element(fetches)

    def _replaced(self, fetches: Any, late_variables: Mapping[str, Any]) -> Any:
        if isinstance(fetches, Mapping):
            return {key: self._replaced(each, late_variables) for key, each in fetches.items()}
        if isinstance(fetches, (list, tuple)):
            values = [self._replaced(each, late_variables) for each in fetches]
            return type(fetches)(*values) if hasattr(fetches, "_fields") else type(fetches)(values)
        for element in self._elements(fetches):
            return late_variables.get(element.name, fetches)
        return fetches


def _reads_variable(element: Any) -> bool:
    """Returns whether something that is fetched may be what a variable is read as."""
    return getattr(element, "op", element).type in ("Identity", "ReadVariableOp")


def _read(handle: Any, writers: list[Any]) -> Any:
    with tf.device(handle.device):
        value = tf.raw_ops.ReadVariableOp(
            resource=handle.outputs[0], dtype=handle.get_attr("dtype")
        )
    # tf.control_dependencies also marks the writers, which have been executed: sessions warn of it.
    value.op._add_control_inputs(writers)
    return value
