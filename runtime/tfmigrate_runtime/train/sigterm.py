"""A last checkpoint when a scheduler ends the tasks of a training by SIGTERM, where that is wanted.

TensorFlow 1.x ended at once, and so do migrated programs unless the variable of the environment is
set. With it the chief saves after its step and ends; all others serve it until then.
"""

from __future__ import annotations

import atexit
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.train.peers import look, named, say

if TYPE_CHECKING:
    from tfmigrate_runtime.estimator.task import Task  # whose package imports this module

SETTING = "TFMIGRATE_CHECKPOINT_ON_SIGTERM"
_EXIT_CODE = 128 + signal.SIGTERM
_SECONDS_BETWEEN_LOOKS = 0.2
_has_come = threading.Event()
_acts: list[Callable[[], None]] = []  # what is done when it comes: one thing


def prepare(task: Task) -> None:
    """Has this task save, or serve the one that saves, when SIGTERM comes; nothing if not set."""
    if os.environ.get(SETTING, "0") in ("", "0"):
        return
    if task.is_chief:
        # A program that saves by other means than these ends at once, as without the setting.
        supervised = functools.partial(_saving_beside_steps, named(task))
        patches.wrap_once(tf.train.Supervisor, "start_standard_services", supervised)
        patches.wrap_once(tf.train.Supervisor, "stop", _end)
        patches.wrap_once(tf.train.CheckpointSaverHook, "begin", _listening)
        last = functools.partial(_saving_last, named(task))
        patches.wrap_once(tf.train.CheckpointSaverHook, "after_run", last)
        patches.wrap_once(tf.train.CheckpointSaverHook, "end", _end)
        return
    kind, index = task.training_tasks[0]
    chief = task.cluster[kind][index]

    def outlive_chief() -> None:
        say(f"{named(task)} got SIGTERM, and ends when {kind} {index} ({chief}) has saved")
        # A step that the chief has left may end like a training without more input: with code 0.
        atexit.register(_exit)
        while not look(chief):
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        _exit()

    _listen(outlive_chief)


def _exit() -> None:
    sys.stdout.flush()
    os._exit(_EXIT_CODE)


def _listen(act: Callable[[], None]) -> None:
    """Calls a function in a thread when SIGTERM comes, unless the program handles it."""
    if not _is_handled_by(signal.SIG_DFL):
        return
    _acts[:] = [act]
    # A handler is called between two lines of Python: not while a server is joined, or in a step.
    signal.signal(signal.SIGTERM, _pass_on)
    signal.set_wakeup_fd(_thread_that_acts(), warn_on_full_buffer=False)


def _end(what: Any, *arguments: Any, **options: Any) -> Any:
    """Leaves SIGTERM to the system again once nothing is to be saved any more."""
    result = what(*arguments, **options)
    if _is_handled_by(_pass_on):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if _has_come.is_set():
            os.kill(os.getpid(), signal.SIGTERM)
    return result


def _is_handled_by(handler: Any) -> bool:
    """Returns whether it is, and can be changed: in the main thread only."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGTERM) == handler


def _pass_on(*_: Any) -> None:
    """Does nothing: the thread acts."""


@functools.cache
def _thread_that_acts() -> int:
    """Starts it; returns the descriptor by which it learns of signals."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)

    def wait() -> None:
        while True:
            if signal.SIGTERM in os.read(reading, 1):
                _acts[0]()

    threading.Thread(target=wait, name="SIGTERM", daemon=True).start()
    return writing


def _listening(begin: Any, hook: Any) -> None:
    begin(hook)
    _listen(_has_come.set)


def _saving_beside_steps(who: str, start: Any, supervisor: Any, session: Any) -> Any:
    """Has a supervisor save when SIGTERM comes, in a thread, as it always saves."""
    threads = start(supervisor, session)

    def save() -> None:
        saver, step = supervisor.saver, supervisor.global_step
        try:
            path = saver.save(session, supervisor.save_path, global_step=step)
            say(f"{who} got SIGTERM, has saved {path}, and ends")
        finally:
            _exit()

    if supervisor.saver is not None and supervisor.save_path:
        _listen(save)
    return threads


def _saving_last(who: str, after_run: Any, hook: Any, run_context: Any, run_values: Any) -> None:
    after_run(hook, run_context, run_values)
    if not _has_come.is_set():
        return
    session = run_context.session
    step = int(session.run(tf.train.get_global_step(session.graph)))
    # Not by the hook's own method, whose listeners may evaluate: little time is left.
    path = hook._get_saver().save(session, hook._save_path, global_step=step)
    say(f"{who} got SIGTERM, has saved step {step} in {path}, and ends")
    raise SystemExit(_EXIT_CODE)
