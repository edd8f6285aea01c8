"""A program to run under the recorder: what it is, and the commands that start its tasks."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfmigrate_runtime.record.environment import FOLLOW, MAP, OUT, STEPS
from tfmigrate_runtime.verify.hosts import Network
from tfmigrate_runtime.verify.running.cluster import ONE_PROCESS, Cluster
from tfmigrate_runtime.verify.shared import folder_of

_RECORDER = Path(__file__).parents[1] / "recorder" / "all_sessions.py"
_OF_PORTS = Path(__file__).parents[2] / "record" / "__main__.py"
# Starts a module of a folder that is not the working directory: arguments are both, and its own.
_AS_MODULE = (
    "import runpy, sys; sys.path[0] = sys.argv.pop(1); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True)
class Program:
    """A program to run, in one process or as a cluster.

    Attributes:
        script: its file.
        arguments: its arguments; ``{out}`` in them is replaced by a fresh folder, and in those of a
            cluster also the other placeholders of ``cluster.arguments_of``.
        python: the interpreter.
        replicas: the number of towers or replicas, None to leave the devices unchanged.
        every: steps, of a worker its own, between records of variables.
        steps: after how many it is ended, None to let it end itself.
        fails_fast: whether it is ended after the first step that differs from the recording that
            it follows.
        legacy: whether it runs on tfmigrate_runtime.tf1_shim.
        devices: what it runs on instead of CPUs ("gpu:2"), as ``shared.read_choice`` takes it.
        checkpoint: where to write a checkpoint of its first step, None to keep none.
        restore: a checkpoint, or a trace that contains one, to be restored before it trains.
        only_restores: whether it ends then.
        restore_later: a file that will name a checkpoint, for which it waits at its end.
        module: its name as a module, where ``python -m`` starts it; empty where it is a script.
        in_fresh_folder: whether it is run in a fresh folder that looks like the current one.
        cluster: the jobs that it is run as.
        turns: whether asynchronous workers take turns.
        network: between the hosts of a cluster whose tasks have one each, None for one host.
        map: the file that pairs its variables with the original's, for Keras programs.
        follow: a recording whose state after each step it continues from, None to train freely.
        all_batches: whether the batch of every step is recorded.
        assigns_first: whether a step assigns variables before its updates read them, where it
            leaves the order open.
        is_port: whether it is not a program of TensorFlow: it is recorded without TensorFlow.
    """

    script: Path
    arguments: Sequence[str]
    python: str = sys.executable
    replicas: int | None = None
    every: int = 1
    steps: int | None = None
    fails_fast: bool = False
    legacy: bool = False
    devices: str | None = None
    checkpoint: Path | None = None
    restore: Path | None = None
    only_restores: bool = False
    restore_later: Path | None = None
    module: str = ""
    in_fresh_folder: bool = False
    cluster: Cluster = ONE_PROCESS
    turns: bool = False
    network: Network | None = None
    map: Path | None = None
    follow: Path | None = None
    all_batches: bool = False
    assigns_first: bool = False
    is_port: bool = False

    def command(self, trace: Path, out: str, initial_values: Path | None) -> list[str]:
        """Returns the command that records it, without what it needs as one of several workers."""
        if self.is_port:
            named = ["--module", self.module] if self.module else []
            command = [self._interpreter(), str(_OF_PORTS.resolve()), *named, "--scratch", out]
            return [*command, self._script(), "--", *self.arguments]
        options: dict[str, Path | str | int | None] = {  # a flag is given where it is True
            "--out": trace,
            "--devices": self.devices,
            "--replicas": self.replicas if self.devices is None else None,
            "--every": self.every,
            "--steps": self.steps,
            "--fail-fast": self.fails_fast,
            "--legacy": self.legacy,
            "--initial-values": initial_values,
            "--follow": self.follow,
            "--all-batches": self.all_batches,
            "--assigns-first": self.assigns_first,
            "--map": self.map,
            "--checkpoint": self.checkpoint,
            "--restore": self.restore,
            "--stop-after-restore": self.only_restores,
            "--restore-later": self.restore_later,
            "--module": self.module or None,
            "--scratch": out,
        }
        command = [self._interpreter(), str(_RECORDER.resolve())]
        for name, value in options.items():
            if value is not None and value is not False:
                place = value.resolve() if isinstance(value, Path) else value
                command += [name] if value is True else [name, str(place)]
        return [*command, self._script(), "--", *self.arguments]

    def environment(self, trace: Path, initial_values: Path | None) -> dict[str, str]:
        """Returns the environment variables that tell a port what to follow, and where to."""
        if not self.is_port:
            return {}
        followed = self.follow or initial_values
        variables = {OUT: str(trace.resolve())}
        if followed is not None:
            variables[FOLLOW] = str(followed.resolve())
        if self.map is not None:
            variables[MAP] = str(self.map.resolve())
        if self.steps is not None:
            variables[STEPS] = str(self.steps)
        return variables

    def serving(self, arguments: Sequence[str]) -> list[str]:
        """Returns the command of a task of a cluster that only serves, which is not recorded."""
        legacy = ["tfmigrate_runtime.tf1_shim"] if self.legacy else []
        if self.module:
            folder = folder_of(str(self.script), self.module)
            started = ["-c", _AS_MODULE, folder, *legacy, *(["-m"] if legacy else []), self.module]
        else:
            started = [*(["-m", *legacy] if legacy else []), self._script()]
        return [self._interpreter(), *started, *arguments]

    def shown(self) -> str:
        """Returns the command as a user would type it, and the cluster."""
        started = ["-m", "tfmigrate_runtime.tf1_shim"] if self.legacy else []
        named = ["-m", self.module] if self.module else [str(self.script)]
        command = " ".join([self.python, *started, *named, *self.arguments])
        if self.cluster == ONE_PROCESS:
            return command
        turns = ", one step each in turn" if self.turns else ""
        hosts = "" if self.network is None else f", {self.network}"
        return f"{command} [{self.cluster}{turns}{hosts}]"

    def _script(self) -> str:
        return str(self.script.resolve() if self.in_fresh_folder else self.script)

    def _interpreter(self) -> str:
        """Returns the path of the interpreter as it is from any folder; links are not resolved."""
        return str(Path.cwd() / self.python) if os.sep in self.python else self.python
