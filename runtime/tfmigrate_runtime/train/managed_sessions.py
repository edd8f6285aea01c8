"""Which sessions TensorFlow's session managers and monitored sessions have."""

import contextlib
import inspect
import threading
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.sessions import session_manager

_local = threading.local()


@contextlib.contextmanager
def sessions_are(kind: Callable[..., Any]) -> Iterator[None]:
    """Has the sessions that TensorFlow's session managers make in this thread be of another class.

    Args:
        kind: makes a session, as ``tf.Session``.
    """
    if not isinstance(session_manager.session, _Sessions):
        session_manager.session = _Sessions(session_manager.session)
    before = getattr(_local, "session", None)
    _local.session = kind
    try:
        yield
    finally:
        _local.session = before


class _Sessions:
    """The module of sessions, as TensorFlow's session manager knows it."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name == "Session":
            return getattr(_local, "session", None) or self._module.Session
        return getattr(self._module, name)


def monitored_training_session(creator: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Returns a ``tf.train.MonitoredTrainingSession`` whose session another SessionCreator makes.

    Args:
        creator: makes the SessionCreator; takes what ``tf.train.ChiefSessionCreator`` and
            ``tf.train.WorkerSessionCreator`` take.
        *arguments: as ``tf.train.MonitoredTrainingSession`` takes them.
        **options: as ``tf.train.MonitoredTrainingSession`` takes them.
    """
    function: Any = inspect.unwrap(tf.train.MonitoredTrainingSession)
    creators = {"ChiefSessionCreator": creator, "WorkerSessionCreator": creator}
    names = {**function.__globals__, **creators}
    own = FunctionType(function.__code__, names, None, function.__defaults__)
    return own(*arguments, **options)
