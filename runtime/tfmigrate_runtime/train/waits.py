"""Reports which tasks are missing while a call waits for the cluster, as TensorFlow does not.

A session call returns once all tasks that it needs have answered: without device filters it needs
every task of the cluster to begin, and a parameter server later. TensorFlow 1.x waited for ever,
as its programs rely on: the task that is missing may be started again. That stays, but a line on
stderr names the task, its address, and since when it has not answered: at once where a call fails,
and after a while where it does not.

Workers look every two seconds whether their chief has initialized the variables, not every thirty,
as TensorFlow does: a worker that was too early, or has lost a parameter server, would be idle.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from textwrap import shorten
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.compat.sessions import BaseSession
from tfmigrate_runtime.train.peers import (
    BROKEN_STEPS,
    SECONDS_BETWEEN_LINES,
    Lines,
    Losses,
    Missing,
    named,
    say,
    say_unknown,
)

if TYPE_CHECKING:
    from tfmigrate_runtime.estimator.task import Task  # whose package imports this module

_SECONDS_BETWEEN_LOOKS = 2.0
_SECONDS_UNTIL_NOT_READY = 10.0
_SECONDS_BETWEEN_LOOKS_OF_TENSORFLOW, _SECONDS_BETWEEN_LOOKS_AT_VARIABLES = 30, 2
_LONGEST_LIST = 200  # characters of the names of variables
_CHIEFS = ("chief 0", "master 0", "worker 0")


class Waits:
    """The calls of this process that wait for its cluster."""

    def __init__(self, who: str, peers: Mapping[str, str]) -> None:
        """Starts to watch, for as long as the process runs.

        Args:
            who: this task, with its address.
            peers: the addresses of the others, by names as "ps 0".
        """
        self._who = who
        self._peers = dict(peers)
        self._calls: dict[int, tuple[float, frozenset[str]]] = {}
        threading.Thread(target=self._watch, name="cluster waits", daemon=True).start()

    @contextmanager
    def call(self, needed: Collection[str] | None = None) -> Iterator[None]:
        """A context in which a call waits.

        Args:
            needed: the names of the tasks that it may wait for, None for all.
        """
        thread = threading.get_ident()
        outer = self._calls.get(thread)
        names = frozenset(self._peers if needed is None else needed)
        self._calls[thread] = time.monotonic(), names
        try:
            yield
        finally:
            if outer is None:
                self._calls.pop(thread, None)
            else:
                self._calls[thread] = outer

    def _watch(self) -> None:
        current: tuple[float, frozenset[str]] | None = None
        lines = None
        while True:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            oldest = min(self._calls.copy().values(), default=None, key=lambda call: call[0])
            if oldest is not None and time.monotonic() - oldest[0] < _SECONDS_BETWEEN_LOOKS:
                oldest = None
            if oldest != current:
                if lines is not None:
                    lines.end()
                current, lines = oldest, None
            if oldest is not None:
                if lines is None:
                    peers = {name: self._peers[name] for name in oldest[1]}
                    lines = Lines(self._who, Missing(peers))
                lines.update()


def watch_sessions(task: Task, needed: Callable[[Iterable[str]], Iterable[str]]) -> None:
    """Watches all sessions of this process that run on a cluster.

    Args:
        task: this one; its cluster has all others.
        needed: returns the names of the tasks that a session with these device filters needs.
    """
    peers = task.peers()
    waits = Waits(named(task), peers)

    def names_of(session: Any) -> set[str]:
        filters = session._config.device_filters if session._config else ()
        return peers.keys() & set(needed(filters))

    def closed(close: Any, session: Any) -> Any:  # which waits for a parameter server that is gone
        if not session.sess_str.startswith(b"grpc"):
            return close(session)
        with waits.call(names_of(session)):
            return close(session)

    patches.wrap_once(BaseSession, "close", closed)
    say_unknown(named(task), peers)
    _watch_calls(task, names_of, waits)


def watch_calls(task: Task, needed: Callable[[], Collection[str]]) -> None:
    """Reports for which tasks a call of this process waits, and which one is gone when it fails.

    Args:
        task: this one; its cluster has all others.
        needed: returns the names of the tasks that the call needs.
    """
    _watch_calls(task, lambda _: needed(), Waits(named(task), task.peers()))


def watch_losses(task: Task, needed: Collection[str]) -> None:
    """Reports which task is gone as soon as a session call fails because of it.

    Args:
        task: this one; its cluster has all others.
        needed: the names of the tasks that sessions need.
    """
    say_unknown(named(task), task.peers())
    _watch_calls(task, lambda session: needed, None)


def _watch_calls(
    task: Task, names_of: Callable[[Any], Collection[str]], waits: Waits | None
) -> None:
    losses = Losses(named(task), task.peers())

    def called(do_call: Any, session: Any, function: Any, *arguments: Any) -> Any:
        if not session.sess_str.startswith(b"grpc"):
            return do_call(session, function, *arguments)
        names = names_of(session)
        try:
            with waits.call(names) if waits else nullcontext():
                return do_call(session, function, *arguments)
        except BROKEN_STEPS as error:
            losses.say(names, error)
            raise

    patches.wrap_once(BaseSession, "_do_call", called)
    watch_readiness(task)


def watch_readiness(task: Task) -> None:
    """Says so where a worker waits for the chief to initialize variables.

    TensorFlow logs it as information, which is not shown by default.

    Args:
        task: this one; its cluster has all others.
    """
    peers = task.peers()
    chief = next((name for name in _CHIEFS if name in peers), None)
    whom = f"the chief, usually {chief} ({peers[chief]})" if chief else "the chief"
    looks: WeakKeyDictionary[Any, _Looks] = WeakKeyDictionary()

    def looked(look: Any, manager: Any, session: Any) -> Any:
        is_ready, message = look(manager, session)
        if not is_ready:
            seconds = looks.setdefault(manager, _Looks()).seconds_to_say()
            if seconds is not None:
                listed = shorten(message, _LONGEST_LIST, placeholder=" ...")
                say(
                    f"{named(task)} has waited {seconds:.0f} s for {whom}, which has not started "
                    f"or runs another version of the program. {listed}"
                )
        return is_ready, message

    def waited(wait: Any, manager: Any, *arguments: Any, **options: Any) -> Any:
        looks[manager] = _Looks()
        if manager._recovery_wait_secs == _SECONDS_BETWEEN_LOOKS_OF_TENSORFLOW:
            manager._recovery_wait_secs = _SECONDS_BETWEEN_LOOKS_AT_VARIABLES
        return wait(manager, *arguments, **options)

    patches.wrap_once(tf.train.SessionManager, "wait_for_session", waited)
    for name in ("_model_ready", "_model_ready_for_local_init"):
        patches.wrap_once(tf.train.SessionManager, name, looked)


class _Looks:
    """Looks at variables that are not initialized yet."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._next = self._begin + _SECONDS_UNTIL_NOT_READY

    def seconds_to_say(self) -> float | None:
        """Returns how long the waiting has lasted, None where it need not be said again."""
        if (now := time.monotonic()) < self._next:
            return None
        self._next = now + SECONDS_BETWEEN_LINES
        return now - self._begin
