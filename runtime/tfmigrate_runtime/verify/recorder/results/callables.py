"""Lets what a session has prepared as a callable run as ``session.run`` does, which is recorded.

tf.keras of TensorFlow 1.x trains so (``K.function``), and programs that call
``session.make_callable``: both go to the runtime by another way than ``run``, and a program of
tf.keras seemed to train nothing.

Private names of TensorFlow that are touched: ``BaseSession._make_callable_from_options``, which is
what Keras calls; no public function makes a callable whose feeds are names.
"""

import functools
import itertools
import sys
from typing import Any, Callable, List, Optional

from ..program import wrapping

_QUEUES = "queue_runner_impl"


def install(await_all: Optional[Callable[[int], None]]) -> None:
    """Wraps both ways in which sessions make callables.

    Args:
        await_all: called before the thread of a synchronous chief applies gradients, with how
            often it has; None where no workers train.
    """
    from tensorflow.python.client import session

    session.BaseSession._make_callable_from_options = _from_options
    wrapping.wrap(session.BaseSession, "make_callable", functools.partial(_observed, await_all))


def _from_options(this: Any, options: Any) -> Callable[..., List[Any]]:
    """Returns what runs the fetches of a CallableOptions; feeds are passed in their order."""
    graph = this.graph

    def tensors(names: Any) -> List[Any]:
        return [graph.get_tensor_by_name(name) for name in names]

    feeds, fetches = tensors(options.feed), tensors(options.fetch)
    targets = [graph.get_operation_by_name(name.lstrip("^")) for name in options.target]
    links = list(options.tensor_connection)
    sources = tensors(link.from_tensor for link in links)
    fed = tensors(link.to_tensor for link in links)

    def run(*values: Any, run_metadata: Any = None) -> List[Any]:
        feed = dict(zip(feeds, values))
        # A tensor that is connected to another one is fed its value: inputs of tf.data.
        feed.update(zip(fed, this.run(sources)) if sources else ())
        fetched: List[Any] = this.run(fetches + targets, feed, run_metadata=run_metadata)
        return fetched[: len(fetches)]

    return run


def _observed(
    await_all: Optional[Callable[[int], None]],
    original: Any,
    this: Any,
    fetches: Any,
    feed_list: Any = None,
    accept_options: bool = False,
) -> Callable[..., Any]:
    prepared: Callable[..., Any] = original(this, fetches, feed_list, accept_options)
    if str(sys._getframe(2).f_globals.get("__name__")).endswith(_QUEUES):
        training = getattr(this.graph, "_tfmigrate_training", None)
        if await_all is None or training is None or fetches not in training.queued_updates:
            return prepared  # threads that fill queues train nothing, and are many runs
        return _gated(prepared, training, await_all)
    feeds = list(feed_list or [])

    def run(*values: Any, **options: Any) -> Any:
        return this.run(fetches, dict(zip(feeds, values)), **options)

    return run


def _gated(
    prepared: Callable[..., Any], training: Any, await_all: Callable[[int], None]
) -> Callable[..., Any]:
    counts = itertools.count()

    @functools.wraps(prepared)
    def run(*values: Any, **options: Any) -> Any:
        if not training.runs_ahead:
            await_all(next(counts))
        return prepared(*values, **options)

    return run
