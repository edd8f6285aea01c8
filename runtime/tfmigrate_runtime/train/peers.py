"""The other tasks of a cluster: whether they answer, waiting for them, and what is said of them."""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf

_SECONDS_TO_CONNECT = 2.0
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_END = 10.0
_LOOKS_AFTER_A_LOSS = 3
# What waits says so after this time, and again each minute.
SECONDS_UNTIL_SAID = 10.0
SECONDS_BETWEEN_LINES = 60.0
# What is wrong with a task: its host refuses the connection, nothing comes back, or it has none.
ENDED, SILENT = "which has not been listening", "which has not answered"
UNKNOWN = "whose host name does not resolve"
# What a step ends with whose peer has cancelled its part.
BROKEN_STEPS = (
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.InternalError,
    tf.errors.UnavailableError,
)


class PeerLostError(RuntimeError):
    """Another task of the cluster cannot be reached."""


def look(address: str) -> str:
    """Returns what is wrong with a task at "host:port": ENDED, SILENT, UNKNOWN, "" for nothing."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_CONNECT):
            return ""
    except ConnectionRefusedError:
        return ENDED
    except socket.gaierror:
        return UNKNOWN
    except OSError:
        return SILENT


class Missing:
    """The tasks that do not answer, and since when.

    Attributes:
        all_refuse: whether the hosts of all of them answer, so that their processes have ended.
    """

    def __init__(self, peers: Mapping[str, str]) -> None:
        """Looks at nobody yet.

        Args:
            peers: addresses by names.
        """
        self._peers = dict(peers)
        self._since: dict[str, tuple[float, str]] = {}
        self.all_refuse = False

    def look(self) -> bool:
        """Looks at all of them; says whether any does not answer."""
        faults = {name: look(address) for name, address in self._peers.items()}
        now = time.time()
        self._since = {
            name: (self._since.get(name, (now,))[0], what) for name, what in faults.items() if what
        }
        self.all_refuse = all(what == ENDED for _, what in self._since.values())
        return bool(self._since)

    def missing(self) -> dict[str, str]:
        """Returns the addresses of those that do not answer, by their names."""
        return {name: self._peers[name] for name in self._since}

    def drop_found(self) -> None:
        """Does not look at those again that have answered."""
        self._peers = self.missing()

    def __str__(self) -> str:
        parts = []
        for name, (since, what) in self._since.items():
            clock = time.strftime("%H:%M:%S", time.localtime(since))
            for_how_long = "" if what == UNKNOWN else f" since {clock}"
            parts.append(f"{name} ({self._peers[name]}), {what}{for_how_long}")
        return "; ".join(parts)


def say(text: str) -> None:
    """Prints a line on stderr, whatever the level of the logs is."""
    print(f"tfmigrate_runtime: {text}", file=sys.stderr, flush=True)


def say_unknown(who: str, addresses: Mapping[str, str]) -> None:
    """Reports at the start which host names of a cluster do not resolve; they may do so later.

    Args:
        who: this task, with its address.
        addresses: of all tasks, by their names.
    """

    def look_up() -> None:
        unknown = []
        for name, address in addresses.items():
            try:
                socket.getaddrinfo(address.rpartition(":")[0].strip("[]"), None)
            except OSError:
                unknown.append(f"{name} ({address})")
        if unknown:
            say(f"{who}: the host name of {', '.join(unknown)} does not resolve")

    # A name server that is not there takes seconds to be given up.
    threading.Thread(target=look_up, name="host names", daemon=True).start()


class Losses:
    """Reports at once which tasks are gone, where a call has failed because of it."""

    def __init__(self, who: str, peers: Mapping[str, str]) -> None:
        """Reports nothing yet.

        Args:
            who: this task, with its address.
            peers: the addresses of the others, by their names.
        """
        self._who, self._peers = who, peers
        self._said: dict[str, float] = {}

    def say(self, needed: Collection[str], error: Exception) -> None:
        """Reports which tasks are gone, each once a minute at most.

        A process that is killed may lose its connections before its port: it still seems to listen.
        """
        missing = Missing({name: self._peers[name] for name in needed})
        if missing.look():
            self._say_new(missing)
        elif isinstance(error, tf.errors.UnavailableError):
            threading.Thread(target=self._look_again, args=(missing,), daemon=True).start()

    def _look_again(self, missing: Missing) -> None:
        for _ in range(_LOOKS_AFTER_A_LOSS):
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            if missing.look():
                self._say_new(missing)
                return

    def _say_new(self, missing: Missing) -> None:
        now = time.monotonic()
        recent = {n for n, at in self._said.items() if now - at < SECONDS_BETWEEN_LINES}
        if missing.missing().keys() - recent:
            self._said |= dict.fromkeys(missing.missing(), now)
            say(f"{self._who} lost {missing}")


class Lines:
    """Reports for whom a task waits: once it has waited for a while, and again each minute."""

    def __init__(self, who: str, missing: Missing) -> None:
        """Reports nothing yet.

        Args:
            who: the task that waits, with its address.
            missing: the tasks that it waits for.
        """
        self._who, self._missing = who, missing
        self._begin = time.monotonic()
        self._next = self._begin + SECONDS_UNTIL_SAID
        self._said = False

    def update(self) -> None:
        """Looks at the tasks, and says which do not answer."""
        is_any = self._missing.look()
        now = time.monotonic()
        if is_any and now >= self._next:
            self._next, self._said = now + SECONDS_BETWEEN_LINES, True
            say(f"{self._who} has waited {now - self._begin:.0f} s for {self._missing}")

    def end(self) -> None:
        """Reports that the waiting has ended, where it was said that it had begun."""
        if self._said:
            say(f"{self._who} continues after {time.monotonic() - self._begin:.0f} s")


def wait_for_peers(who: str, peers: Mapping[str, str], seconds: float, setting: str) -> None:
    """Waits until the servers of other tasks can be reached, and says for which.

    Args:
        who: this task, with its address.
        peers: the addresses of the others, by their name.
        seconds: how long to wait.
        setting: what the program calls that time.

    Raises:
        PeerLostError: one could not be reached in time.
    """
    end = time.monotonic() + seconds
    missing = Missing(peers)
    lines = Lines(who, missing)
    while True:
        lines.update()
        missing.drop_found()
        if not missing.missing():
            lines.end()
            return
        if time.monotonic() >= end:
            raise PeerLostError(not_reached(who, missing.missing(), seconds, setting))
        time.sleep(min(0.2, max(0.0, end - time.monotonic())))


def not_reached(who: str, peers: Mapping[str, str], seconds: float, setting: str) -> str:
    """Returns the message about tasks that did not come."""
    listed = ", ".join(f"{name} ({address})" for name, address in peers.items())
    return (
        f"{who} could not reach {listed} within {seconds:.0f} s ({setting}). Start every task of "
        "the cluster and check their addresses."
    )


class PeerWatch:
    """Ends training when a peer is gone, which TensorFlow would wait for.

    A peer that does not answer is taken for lost when no step was made for a while either: tasks
    end at different moments after the last step.
    """

    def __init__(
        self, who: str, peers: Mapping[str, str], seconds: float, refused: float | None = None
    ) -> None:
        """Watches nobody yet.

        Args:
            who: this task, with its address.
            peers: the addresses of those to watch, by their name.
            seconds: how long a peer may be away.
            refused: how long where its host says that nothing listens; None for the same.
        """
        self._who = who
        self._missing = Missing(peers)
        self._seconds = seconds
        self._refused = seconds if refused is None else refused
        self._stop = threading.Event()
        self._progress_at = time.monotonic()
        self.lost: str | None = None

    def step_made(self) -> None:
        """Notes that the cluster makes steps."""
        self._progress_at = time.monotonic()

    @contextmanager
    def watching(self) -> Iterator[PeerWatch]:
        """Watches the peers.

        Raises:
            PeerLostError: one was lost, and TensorFlow noticed too. Where it did not, and its call
                does not return, the process ends with exit code 1 and the same message.
        """
        thread = threading.Thread(target=self._watch, name="peer watch", daemon=True)
        self._progress_at = time.monotonic()
        thread.start()
        try:
            yield self
        except tf.errors.OpError as error:
            if not (lost := self._lost_with(error)):
                raise
            raise PeerLostError(self._message(lost)) from error
        finally:
            self._stop.set()
            thread.join()

    def _lost_with(self, error: Exception) -> str:
        """Returns the peers that are gone; a peer that ends breaks a step before it is away."""
        end = time.monotonic() + (_SECONDS_TO_END if isinstance(error, BROKEN_STEPS) else 0)
        while True:
            if not self.lost and self._missing.look():
                self.lost = str(self._missing)
            if self.lost or time.monotonic() >= end:
                return self.lost or ""
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def _watch(self) -> None:
        away_since: float | None = None
        lines: Lines | None = None
        while not self._stop.wait(_SECONDS_BETWEEN_LOOKS):
            if lines is None:
                lines = Lines(self._who, self._missing)
            lines.update()
            now = time.monotonic()
            if not self._missing.missing():
                lines.end()
                away_since = lines = None
                continue
            away_since = away_since if away_since is not None else now
            seconds = self._refused if self._missing.all_refuse else self._seconds
            if now - max(away_since, self._progress_at) >= seconds:
                self.lost = str(self._missing)
                if not self._stop.wait(_SECONDS_TO_END):
                    # The call that waits for the peer cannot be interrupted from Python.
                    say(self._message(self.lost))
                    os._exit(1)
                return

    def _message(self, lost: str) -> str:
        return (
            f"{self._who} lost {lost}: it failed, ran out of input first or cannot be reached. "
            "Restart all tasks; they resume from the last checkpoint."
        )


@contextmanager
def listening(task: Any) -> Iterator[None]:
    """A context in which the server of a task starts; names its address where it is taken.

    Args:
        task: the ``task.Task``, which its cluster may not have.

    Raises:
        UnknownError: what TensorFlow raises, which names no address.
    """
    try:
        yield
    except tf.errors.UnknownError as error:
        if not task.is_known:
            raise
        taken = ": another process has this port" if _is_taken(task.address) else ""
        raise type(error)(
            error.node_def,
            error.op,
            f"the server of {task.type} {task.index} cannot listen at {task.address}{taken} "
            f"({error.message})",
        ) from error


def _is_taken(address: str) -> bool:
    with socket.socket(socket.AF_INET6 if address.startswith("[") else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", int(address.rpartition(":")[2])))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
        except (OverflowError, ValueError):  # no port
            return False
    return False


def named(task: Any) -> str:
    """Returns the name and address of a ``task.Task``, for messages."""
    return f"{task.type} {task.index} ({task.address})"
