"""How a program may end or hang without its recorder: ``os._exit``, and a loop without an end."""

import faulthandler
import os
import signal
import sys
from typing import Any, Callable, NoReturn, Optional


def install(finish: Optional[Callable[[], None]]) -> None:
    """Writes the trace before ``os._exit(0)``, and the line that runs when that is asked for.

    Args:
        finish: writes the trace; None where the process is one of several workers, which does.
    """
    if hasattr(signal, "SIGUSR2"):  # sent by limits.py to a program that exceeds its time
        stream: Any = sys.__stderr__
        faulthandler.register(signal.SIGUSR2, file=stream, all_threads=False)
    if finish is None:
        return
    own, leave = os.getpid(), os._exit
    write = finish

    def leave_with_trace(status: int) -> NoReturn:
        if status == 0 and os.getpid() == own:
            os._exit = leave  # writing may fail
            write()
            sys.stdout.flush()
        leave(status)

    os._exit = leave_with_trace
