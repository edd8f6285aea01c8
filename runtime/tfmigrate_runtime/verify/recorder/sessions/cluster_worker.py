"""A recorded worker in its cluster: whose turn it is, and its state.

The workers of a cluster meet in a folder. ``worker-<i>.json`` there is the state of worker i::

    {"state": "starting" | "between" | "waiting" | "step" | "closing" | "finished",
     "steps": int, "made": int, "came": int, "turns": int, "given": int, "skipped": int,
     "synchronous": bool, "since": seconds since the epoch}

A worker of several begins its steps after the first one has recorded the initial values, and
asynchronous ones begin them together. Workers that take turns run one step each, in order. A turn
ends when the worker comes for its next step: what a program does after a step, such as reading the
global step, is part of its turn. A turn is skipped (and counted) if the worker that has it has
ended its training, or runs no step for a long time: it may wait for the others.

Synchronous workers in lock-step meet before each step (``meet``): once all have come, the chief
gives the variables the state that they are to begin with. ``given`` is how many steps it has done
that for.

Synchronous workers whose variables are on parameter servers read these when all have made the step
(``made``), and begin the next one when all have come for it (``came``); so does the chief's thread
that applies their gradients. What nothing else orders is then the same in every recording: moving
averages, which every worker updates by itself, slots of embeddings, which Adam decays before it has
gradients, and what is saved or evaluated meanwhile.

Where a file ``finish-<i>`` appears, worker i writes its trace and ends with exit code 0: a
synchronous chief of TensorFlow 1.x hangs in its last ``Coordinator.join`` when the others have
left.
"""

import json
import os
import tempfile
import threading
import time
from typing import Any, Callable, Dict, NoReturn

from ... import shared
from ..program import wrapping
from . import session_config

_POLL_SECONDS = 0.005
_WATCH_SECONDS = 0.3
# Longer than a worker needs for a checkpoint or an evaluation between two of its steps.
_PATIENCE_SECONDS = 20.0
# TensorFlow is imported and the graph is built before the first one.
_PATIENCE_AT_START_SECONDS = 150.0


class Worker:
    """This process as worker ``index`` of ``count``."""

    def __init__(self, index: int, count: int, folder: str, turns: bool) -> None:
        self.is_chief = index == 0
        self._index, self._count, self._folder = index, count, folder
        self.takes_turns, self._steps, self._turns_ended = turns, 0, 0
        self._given, self._skipped, self._synchronous = 0, 0, False
        self._made = self._came = 0
        self._is_together = True  # until a worker does not come
        self._state = "starting"

    def install(self, lock: Any, write: Callable[[], None]) -> None:
        """Publishes the worker's state, and listens for the request to finish.

        Args:
            lock: held while the trace changes.
            write: writes the trace.
        """
        from tensorflow.python.client import session
        from tensorflow.python.training import coordinator, session_manager

        self._lock, self._write = lock, write
        self._publish("starting")
        for owner, name in ((coordinator.Coordinator, "join"), (session.BaseSession, "close")):
            wrapping.wrap(owner, name, self._closing)
        _poll_often(session_manager.SessionManager)
        _place_softly(session.BaseSession)
        self._exit = os._exit
        self._process = os.getpid()
        os._exit = self._leave
        threading.Thread(target=self._listen, name="tfmigrate-finish", daemon=True).start()

    def wait_for_chief(self) -> None:
        """Waits until the first worker has recorded the initial values."""
        while not self.is_chief and shared.state_of(self._folder, 0)["state"] == "starting":
            time.sleep(_POLL_SECONDS)

    def begin(self) -> None:
        """Publishes that initial values are recorded."""
        self._publish("between")

    def before_step(self, synchronous: bool, runs_ahead: bool = False) -> None:
        """Waits for this worker's turn; synchronous workers step together.

        Args:
            synchronous: whether they do.
            runs_ahead: whether they need not, on initial tokens: they then begin together.
        """
        self._synchronous = synchronous
        self._turns_ended = self._steps
        is_first = not self._steps
        if (runs_ahead and is_first) if synchronous else (self.takes_turns or is_first):
            self._publish("waiting")
            for other in range(self._count):
                if other != self._index:
                    self._wait_for(other, self.takes_turns and not synchronous)
        self._publish("step")

    def meet(self, give: Callable[[], None]) -> None:
        """Waits until all workers come for their next step and the chief has given the state.

        Args:
            give: gives it; called by all, of whom the chief writes.
        """
        if self._steps:
            self._publish("waiting")
            others = [i for i in range(self._count) if i != self._index] if self.is_chief else [0]
            for other in others:
                self._wait_to_meet(other)
            give()
            self._given = self._steps
        self._publish("step")

    def await_step_of_all(self) -> None:
        """Waits until all workers have made the step that this one has: then it is read."""
        self._made = self._steps + 1
        self._publish("step")
        self._wait_for_all("made", self._made)

    def come_together(self) -> None:
        """Waits until all workers have come for the step that this one is about to make."""
        self._came = self._steps + 1
        self._publish("waiting")
        self.await_all(self._steps)
        self._publish("step")

    def await_all(self, steps: int) -> None:
        """Waits until all workers are done with so many steps, and with what follows these."""
        self._wait_for_all("came", steps + 1)

    def _wait_for_all(self, key: str, count: int) -> None:
        """Waits until a number in the states of all workers is so great."""
        begin = time.time()
        patience = _PATIENCE_SECONDS if self._steps else _PATIENCE_AT_START_SECONDS
        for other in range(self._count):
            while self._is_together:
                state = shared.state_of(self._folder, other)
                if state[key] >= count or state["state"] in ("closing", "finished"):
                    break
                if time.time() - begin > patience:
                    self._is_together = False  # what it does between its steps takes long
                time.sleep(_POLL_SECONDS)

    def after_step(self) -> None:
        """Counts a step."""
        self._steps += 1
        self._publish("between")

    def fail_step(self) -> None:
        """Publishes that a step was not made: the program's input may have ended."""
        self._publish("between")

    def finish(self) -> None:
        """Publishes that the program has ended."""
        self._publish("finished")

    def _wait_for(self, other: int, turns: bool) -> None:
        """Waits until a different worker has made the step that precedes this one's next step.

        Without turns all begin together, so that the first to be ready does not make all the steps.
        """
        needed = self._steps + (1 if other < self._index else 0)
        while True:
            state = shared.state_of(self._folder, other)
            if state["state"] in ("closing", "finished"):
                return
            if turns and state["turns"] >= needed:
                return
            if not turns and state["state"] != "starting":
                return
            patience = _PATIENCE_SECONDS if state["steps"] else _PATIENCE_AT_START_SECONDS
            if (
                state["state"] in ("starting", "between")
                and time.time() - state["since"] > patience
            ):
                self._skipped += 1
                return
            time.sleep(_POLL_SECONDS)

    def _wait_to_meet(self, other: int) -> None:
        """Waits for a worker to come, or for the chief to have given the state."""
        while True:
            state = shared.state_of(self._folder, other)
            if state["state"] in ("closing", "finished"):
                return
            has_come = state["state"] == "waiting" and state["steps"] >= self._steps
            if has_come if self.is_chief else state["given"] >= self._steps:
                return
            if state["state"] == "between" and time.time() - state["since"] > _PATIENCE_SECONDS:
                self._skipped += 1
                return
            time.sleep(_POLL_SECONDS)

    def _closing(self, original: Any, *arguments: Any, **options: Any) -> Any:
        before = self._state
        if not self._steps or threading.current_thread() is not threading.main_thread():
            return original(*arguments, **options)
        self._publish("closing")
        result = original(*arguments, **options)
        self._publish(before)
        return result

    def _leave(self, status: int) -> NoReturn:
        """Replaces ``os._exit``, which programs use to leave sessions that do not close."""
        if status == 0 and os.getpid() == self._process:
            with self._lock:
                self._write()
                self._publish("finished")
        self._exit(status)

    def _publish(self, state: str) -> None:
        self._state = state
        content: Dict[str, Any] = {
            "state": state, "steps": self._steps, "turns": self._turns_ended, "given": self._given,
            "made": self._made, "came": self._came, "skipped": self._skipped,
            "synchronous": self._synchronous, "since": time.time(),
        }  # fmt: skip
        handle, temporary = tempfile.mkstemp(dir=self._folder)
        with os.fdopen(handle, "w") as stream:
            json.dump(content, stream)
        os.replace(temporary, os.path.join(self._folder, "worker-%d.json" % self._index))

    def _listen(self) -> None:
        wanted = os.path.join(self._folder, "finish-%d" % self._index)
        while not os.path.exists(wanted):
            time.sleep(_WATCH_SECONDS)
        with self._lock:
            self._write()
            self._publish("finished")
            self._exit(0)  # the main thread hangs


def _poll_often(owner: Any) -> None:
    """Makes a worker check every second whether the chief has initialized, not every 30 s."""

    def change(bound: Dict[str, Any]) -> None:
        bound["recovery_wait_secs"] = min(1, bound.get("recovery_wait_secs", 1))

    wrapping.change_arguments(owner, "__init__", change)


def _place_softly(owner: Any) -> None:
    """Allows ops that the program puts on a GPU: workers have none."""

    def change(proto: Any) -> None:
        proto.allow_soft_placement = True

    session_config.change_config(owner, change)
