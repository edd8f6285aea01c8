"""The process of a task, of which a cluster has several."""

import signal
import subprocess
from pathlib import Path

from tfmigrate_runtime.verify.running.cluster import Task
from tfmigrate_runtime.verify.running.failed_output import last_words_in


class TaskProcess:
    """One process of a run.

    Attributes:
        task: what it is in the cluster.
        log: the file of its output.
        trace: the one that it writes.
        process: None before it is started.
        code: its exit code, None until ``ended`` sees it.
    """

    def __init__(self, task: Task, trace: Path, logs: Path) -> None:
        """Starts nothing yet."""
        name = f"{task.job}-{task.index}" if task.job else "output"
        self.task = task
        self.log = logs / f"{name}.log"
        self.trace = trace
        self.process: subprocess.Popen[bytes] | None = None
        self.code: int | None = None

    def start(
        self,
        command: list[str],
        variables: dict[str, str],
        place: Path | None,
        show_output: bool,
        descriptors: tuple[int, ...] = (),
    ) -> None:
        """Starts a command, with descriptors that it needs."""
        with self.log.open("wb") as stream:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=None if show_output else stream,
                stderr=None if show_output else subprocess.STDOUT,
                env=variables,
                cwd=place,
                start_new_session=True,
                pass_fds=descriptors,
            )

    def ended(self) -> bool:
        """Returns whether it has ended."""
        if self.code is None and self.process is not None:
            self.code = self.process.poll()
        return self.code is not None

    def failed(self) -> bool:
        """Returns whether it has ended with an error, or alone and without a trace."""
        return self.ended() and (self.code != 0 or (not self.task.job and not self.trace.exists()))

    @property
    def how_it_ended(self) -> str:
        """How it ended, in words: its exit code, or the signal that killed it."""
        if self.code is None or self.code >= 0:
            nothing = "" if self.code or self.trace.exists() else " without a training step"
            return f"ended with exit code {self.code}{nothing}"
        try:
            name = signal.Signals(-self.code).name
        except ValueError:
            name = f"signal {-self.code}"
        hint = " (out of memory?)" if name == "SIGKILL" else ""
        return f"was killed by {name}{hint}"

    def tail(self) -> str:
        """Returns the end of its output."""
        return last_words_in(self.log) if self.log.exists() else ""
