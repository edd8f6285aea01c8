"""Supervisors compute their summaries once, when they stop, and not while the program trains.

The thread of a Supervisor, as of ``slim.learning.train``, computes the summaries when training
begins, and then every ``save_summaries_secs``. A summary of the loss takes a batch from the input
that no step has then, and updates moving averages that have no collection: which steps that
changes is decided by threads. At the end it changes nothing that is recorded.

Private name that is touched: ``Coordinator._exc_info_to_raise``, with what the program fails.
"""

from typing import Any, Callable, List

from ..program import wrapping
from . import graph_variables


def install(unobserved: Callable[[], Any]) -> None:
    """Wraps the threads and the Supervisors.

    Args:
        unobserved: returns a context in which no run of a session is recorded.
    """
    from tensorflow.python.framework import errors
    from tensorflow.python.training import supervisor

    compute = supervisor.SVSummaryThread.run_loop
    held: List[Any] = []

    def hold(_: Any, thread: Any) -> None:
        if thread not in held:
            held.append(thread)

    def compute_held(this: Any, *_: Any, **__: Any) -> None:
        own = [thread for thread in held if thread._sv is this]
        for thread in own if this.coord._exc_info_to_raise is None else ():
            held.remove(thread)
            session = thread._sess
            variables = graph_variables.variables_of(session.graph)
            with unobserved():
                try:
                    values = graph_variables.read(session, variables)
                    compute(thread)
                    graph_variables.load(session, [(each, values[each.name]) for each in variables])
                except (errors.OutOfRangeError, errors.FailedPreconditionError):
                    pass  # the input has ended, or nothing is initialized

    wrapping.wrap(supervisor.SVSummaryThread, "run_loop", hold)
    wrapping.before(supervisor.Supervisor, "stop", compute_held)
