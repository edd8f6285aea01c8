"""A last checkpoint when a scheduler ends the tasks of a training by SIGTERM, where that is wanted.

TensorFlow 1.x ended at once, and so do migrated programs unless the variable of the environment is
set. With it the chief saves after its step and ends; all others serve it until then.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.train.peers import look, named, say

if TYPE_CHECKING:
    from tfmigrate_runtime.train.estimator.task import Task  # whose package imports this module

SETTING = "TFMIGRATE_CHECKPOINT_ON_SIGTERM"
_EXIT_CODE = 128 + signal.SIGTERM
_SECONDS_BETWEEN_LOOKS = 0.2
_has_come = threading.Event()


def prepare(task: Task) -> None:
    """Has this task save, or serve the one that saves, when SIGTERM comes; nothing if not set.

    Args:
        task: this one.
    """
    if os.environ.get(SETTING, "0") in ("", "0"):
        return
    if task.is_chief:
        # A program that saves by other means than this hook ends at once, as without the setting.
        patches.wrap_once(tf.train.CheckpointSaverHook, "begin", _listening)
        patches.wrap_once(tf.train.CheckpointSaverHook, "after_run", _saving_last(named(task)))
        return
    kind, index = task.training_tasks[0]
    chief = task.cluster[kind][index]

    def outlive_chief() -> None:
        say(f"{named(task)} got SIGTERM, and ends when {kind} {index} ({chief}) has saved")
        while not look(chief):
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os._exit(_EXIT_CODE)

    _listen(outlive_chief)


def _listen(act: Callable[[], None]) -> None:
    """Calls a function in a thread when SIGTERM comes, unless the program handles it."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    # A handler is called between two lines of Python: not while a server is joined, or in a step.
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def wait() -> None:
        while signal.SIGTERM not in os.read(reading, 1):
            pass
        act()

    threading.Thread(target=wait, name="SIGTERM", daemon=True).start()


def _listening(begin: Any) -> Any:
    def began(hook: Any) -> None:
        begin(hook)
        _listen(_has_come.set)

    return began


def _saving_last(who: str) -> Callable[[Any], Any]:
    def of_hook(after_run: Any) -> Any:
        def ran(hook: Any, run_context: Any, run_values: Any) -> None:
            after_run(hook, run_context, run_values)
            if not _has_come.is_set():
                return
            session = run_context.session
            step = int(session.run(tf.train.get_global_step(session.graph)))
            # Not by the hook's own method, whose listeners may evaluate: little time is left.
            path = hook._get_saver().save(session, hook._save_path, global_step=step)
            say(f"{who} got SIGTERM, has saved step {step} in {path}, and ends")
            raise SystemExit(_EXIT_CODE)

        return ran

    return of_hook
