"""Maps a function over many items, in one process or several, with the results in order."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any, TypeVar

Thing = TypeVar("Thing")
Answer = TypeVar("Answer")
Progress = Callable[[int, int], None]

_PATIENCE_SECONDS = 0.1  # how long Ctrl-C may wait
# A process that is forked starts within milliseconds and has the rules already. macOS and Windows
# cannot be relied on to fork a process that has loaded system libraries.
_START = "fork" if sys.platform == "linux" else "spawn"


def default_jobs(things: int, least: int = 200) -> int:
    """Returns how many processes to use: the cores of this process where there is much to do.

    Args:
        things: how many files there are.
        least: fewer of them are done sooner in one process.
    """
    return available_cores() if things >= least else 1


def available_cores() -> int:
    """Returns the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(
    function: Callable[[Thing], Answer],
    things: Sequence[Thing],
    jobs: int = 1,
    size: int = 1,
    progress: Progress | None = None,
) -> list[Answer]:
    """Returns a function's answer for each thing, in the order of the things.

    Args:
        function: the function, which another process can import.
        things: what to call it with.
        jobs: how many processes to use; 1 for this one alone.
        size: how many things a process takes at a time.
        progress: called with the number of finished things and their total.

    Raises:
        WorkerDiedError: the system ended a process.
        Exception: what the function raised first.
    """
    parts = [things[start : start + size] for start in range(0, len(things), size)]
    if min(jobs, len(parts)) <= 1:
        answers = []
        for done, thing in enumerate(things, start=1):
            answers.append(function(thing))
            if progress is not None:
                progress(done, len(things))
        return answers
    return [answer for part in _in_processes(function, parts, jobs, progress) for answer in part]


class WorkerDiedError(RuntimeError):
    """A process ended without an answer: the system was out of memory, or it was killed."""


def _in_processes(
    function: Callable[[Thing], Answer],
    parts: Sequence[Sequence[Thing]],
    jobs: int,
    progress: Progress | None,
) -> list[list[Answer]]:
    from concurrent.futures.process import BrokenProcessPool

    total, done = sum(map(len, parts)), 0
    context = multiprocessing.get_context(_START)
    executor = ProcessPoolExecutor(min(jobs, len(parts)), context, initializer=_begin)
    interrupts: list[int] = []
    before = _noting(interrupts)
    try:
        with _without_interrupts():
            futures: list[Future[list[Answer]]] = [
                executor.submit(_answers, function, part) for part in parts
            ]
        sizes = {future: len(part) for future, part in zip(futures, parts, strict=True)}
        waiting = set(futures)
        while waiting:
            finished, waiting = wait(waiting, _PATIENCE_SECONDS, return_when=FIRST_COMPLETED)
            if interrupts:
                raise KeyboardInterrupt
            for future in finished:
                future.result()
                done += sizes[future]
            if progress is not None:
                progress(done, total)
        return [future.result() for future in futures]
    except BrokenProcessPool as error:
        raise WorkerDiedError(
            "a worker process was killed (out of memory?); try again with --jobs 1"
        ) from error
    except BaseException:
        # Ctrl-C: workers write nothing, and may be ended at any time.
        for process in list((executor._processes or {}).values()):
            process.terminate()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _noting(interrupts: list[int]) -> Any:
    """Records Ctrl-C from now on: raised within a lock of the pool, it would leave it locked.

    Returns:
        The handler until now; None where this is not the thread that handles signals.
    """
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Delays Ctrl-C, also in processes that start meanwhile, until they can handle it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Leaves Ctrl-C to the parent process, and ends when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _answers(function: Callable[[Thing], Answer], things: Sequence[Thing]) -> list[Answer]:
    return [function(thing) for thing in things]
