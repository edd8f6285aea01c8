"""Work on deeply nested code, for which Python's usual stack is too small."""

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

# Python parses up to some 3,000 levels (a sum of as many terms, a chain of as many elif), and
# libcst takes about ten calls a level. The stack is address space: only what is used is memory.
_CALLS = 50_000
_BYTES = 512 * 1024 * 1024


def with_deep_stack(work: Callable[[], Result]) -> Result:
    """Returns what ``work()`` returns, done again on a large stack where it needs one.

    Raises:
        Exception: whatever ``work`` raises; ``RecursionError`` where even that stack is too small.
    """
    try:
        return work()
    except Exception as error:
        if not ran_out_of_stack(error):
            raise
    return _on_a_large_stack(work)


def ran_out_of_stack(error: BaseException) -> bool:
    """Returns whether an error is a RecursionError, or came up while one was on its way out."""
    seen: BaseException | None = error
    while seen is not None:  # libcst's own clean-up fails with a KeyError then
        if isinstance(seen, RecursionError):
            return True
        seen = seen.__context__
    return False


def _on_a_large_stack(work: Callable[[], Result]) -> Result:
    results: list[Result] = []
    errors: list[BaseException] = []

    def called() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again below, in the calling thread
            errors.append(error)

    calls, size = sys.getrecursionlimit(), threading.stack_size(_BYTES)
    sys.setrecursionlimit(max(_CALLS, calls))
    try:
        thread = threading.Thread(target=called)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(calls)
        threading.stack_size(size)
    if errors:
        raise errors[0]
    return results[0]
