"""Imports TensorFlow, and runs every program that it is asked for in a fork of itself.

``python warm_server.py SOCKET``. A program begins as in an interpreter of its own: the imported
modules are not to be seen before it imports one of them itself. Where it has by then changed an
environment variable that the import reads, it is begun again by a server with these settings, and
if it changes them again, by the interpreter itself. The server ends when the folder of the socket
is removed, or the process is gone whose id is in ``owner``.

It refuses to serve where a fork could not do what a new process can: once TensorFlow has executed
an operation, no fork can configure devices any more.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import importlib.machinery
import io
import json
import os
import resource
import runpy
import select
import signal
import socket
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import warm_client

_HIDDEN = ("tensorflow", "keras", "tf_keras")
_INTERPRETER = sys.executable
_POLL_SECONDS = 1.0
_DIES_WITH_ITS_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


@dataclass
class Request:
    """A program to run: its script and arguments, environment and folder.

    Attributes:
        is_second: whether it was begun before, by a server with other settings.
    """

    arguments: list[str]
    environment: dict[str, str]
    folder: str
    is_second: bool


class ImportedAhead:
    """Finds the modules that were imported ahead, once a program imports one of them.

    Attributes:
        settings: the environment variables under which they were imported.
        request: the program.
    """

    def __init__(self) -> None:
        self.settings = warm_client.read_at_import(os.environ)
        self.request: Request | None = None
        before = dict(os.environ)
        importlib.import_module("tensorflow")
        refuse_where_tensorflow_has_begun()
        changed = {k: v for k, v in os.environ.items() if before.get(k) != v}
        self._set_by_import = changed
        self._modules = {
            name: module
            for name, module in sys.modules.items()
            if name.partition(".")[0] in _HIDDEN
        }
        for name in self._modules:
            del sys.modules[name]
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns a spec whose loader brings all of them back."""
        if name not in self._modules or name not in _HIDDEN:
            return None
        original = self._modules[name].__spec__
        assert original is not None
        spec = importlib.machinery.ModuleSpec(name, _Loader(self, original), origin=original.origin)
        spec.submodule_search_locations = original.submodule_search_locations
        return spec

    def bring_back(self, name: str) -> ModuleType:
        """Lets the program see what was imported ahead; returns the module that it asks for.

        Where it has other settings than the import had, it is begun again without: this does not
        return.
        """
        assert self.request is not None
        settings = warm_client.read_at_import(os.environ)
        if settings != self.settings:
            begin_again(self.request, settings)
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        for other, module in self._modules.items():
            sys.modules.setdefault(other, module)
        os.environ.update(self._set_by_import)
        return self._modules[name]


def begin_again(request: Request, settings: dict[str, str]) -> NoReturn:
    """Has a program run with the settings that it has at its import of TensorFlow."""
    os.chdir(request.folder)
    python, environment = sys.executable, {**request.environment}
    if request.is_second:
        python = _INTERPRETER
    else:
        environment[warm_client.AGAIN] = json.dumps(settings)
    warm_client.write_cost({"again": request.arguments[:2]})
    os.execve(python, [python, *request.arguments], environment)


def refuse_where_tensorflow_has_begun() -> None:
    """Raises ``SystemExit`` where TensorFlow has executed an operation: it has its devices."""
    context = importlib.import_module("tensorflow.python.eager.context")
    if context.context()._initialized:
        sys.exit("TensorFlow has executed an operation: forks could not configure their devices")


class _Loader:
    """Gives a module that is loaded."""

    def __init__(self, modules: ImportedAhead, original: importlib.machinery.ModuleSpec) -> None:
        self._modules = modules
        self._original = original

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Returns the loaded module."""
        return self._modules.bring_back(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Leaves it as it is."""
        module.__spec__ = self._original


class Server:
    """Forks once for every connection, and tells it how the program ended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(f"{path}.new")
        self._listening.listen(64)
        self._wake, self._woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._programs: dict[socket.socket, int] = {}
        self._asked_by: dict[socket.socket, dict[str, object]] = {}  # only while costs are written

    def serve(self) -> Request | None:
        """Returns in every process that is to run a program; with None when all is over."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken)
        Path(f"{self._path}.new").rename(self._path)  # who sees it can connect
        while self._is_wanted():
            connections = list(self._programs)
            waiting = [self._wake, self._listening, *connections]
            ready = select.select(waiting, [], [], _POLL_SECONDS)[0]
            for connection in connections:
                if connection in ready:
                    self._hear(connection)
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._tell_of_ends()
            if self._listening in ready:
                request = self._accept()
                if request is not None:
                    return request
        for program in self._programs.values():
            os.killpg(program, signal.SIGKILL)
        return None

    def _is_wanted(self) -> bool:
        try:
            owner = self._path.with_name("owner").read_text()
        except FileNotFoundError:
            return False
        return Path(f"/proc/{owner}").exists()

    def _hear(self, connection: socket.socket) -> None:
        """Passes signals on; a program ends with the one who asked for it."""
        try:
            signals = connection.recv(64)
        except ConnectionResetError:
            signals = b""
        program = self._programs[connection]
        with contextlib.suppress(ProcessLookupError):
            for number in signals or [signal.SIGKILL]:
                os.killpg(program, number)
        if not signals:
            _, _, usage = os.wait4(program, 0)
            self._forget(connection, usage)

    def _tell_of_ends(self) -> None:
        for connection, program in list(self._programs.items()):
            ended, status, usage = os.wait4(program, os.WNOHANG)
            if ended:
                with contextlib.suppress(BrokenPipeError):
                    connection.sendall(b"%d" % os.waitstatus_to_exitcode(status))
                self._forget(connection, usage)

    def _forget(self, connection: socket.socket, usage: resource.struct_rusage) -> None:
        del self._programs[connection]
        connection.close()
        warm_client.write_cost(
            {"warm": usage.ru_utime + usage.ru_stime, **self._asked_by.pop(connection, {})}
        )

    def _accept(self) -> Request | None:
        """Forks; returns the request in the new process."""
        connection = self._listening.accept()[0]
        size, streams, _, _ = socket.recv_fds(connection, 16, 3)
        text = b""
        while size and len(text) < int(size):
            text += connection.recv(int(size) - len(text))
        program = os.fork() if size else -1
        if program:
            for stream in streams:
                os.close(stream)
            self._programs[connection] = program
            if size and os.environ.get(warm_client.COSTS):
                self._asked_by[connection] = warm_client.asked_by(json.loads(text)["environment"])
            return None
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        for mine in (connection, self._listening, *self._programs):
            mine.close()
        os.close(self._wake)
        os.close(self._woken)
        return Request(**json.loads(text))


def become(request: Request) -> None:
    """Makes this process as an interpreter is when it begins with a program."""
    ctypes.CDLL(None).prctl(_DIES_WITH_ITS_PARENT, signal.SIGKILL)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    open_standard_streams()
    if warm_client.COVERAGE in os.environ:
        importlib.import_module("coverage").process_startup()
    tempfile.tempdir = None  # that of the program, whose TMPDIR may be another
    sys.modules["numpy"].random.seed()  # else every program draws the same numbers
    # What it starts itself begins here, too.
    sys.executable = str(Path(sys.argv[1]).with_name("python"))
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    first, *others = request.arguments
    if first == "-m":
        sys.path[0] = str(Path.cwd())
        sys.argv = ["-m", *others[1:]]
        runpy._run_module_as_main(others[0])  # type: ignore[attr-defined]
        return
    if first == "-c":
        sys.path[0] = ""
        sys.argv = ["-c", *others[1:]]
        text, name = others[0], "<string>"
    else:
        script = Path.cwd() / first
        sys.path[0] = str(script.resolve().parent)
        sys.argv = list(request.arguments)
        main.__file__ = str(script)
        text, name = script.read_bytes(), str(script)
    exec(compile(text, name, "exec"), main.__dict__)


def open_standard_streams() -> None:
    """Opens them anew: those of the server know its log, a file that can be searched."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        mode = "w" if number else "r"
        raw = io.FileIO(number, mode, closefd=False)
        unbuffered = number > 0 and old.write_through  # as PYTHONUNBUFFERED wants it
        stream = io.TextIOWrapper(
            raw if unbuffered else io.BufferedWriter(raw) if number else io.BufferedReader(raw),  # type: ignore[type-var]
            encoding=old.encoding,
            errors=old.errors,
            line_buffering=old.line_buffering or (number > 0 and raw.isatty()),
            write_through=unbuffered,
        )
        stream.mode = mode  # type: ignore[misc]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def run() -> None:
    """Serves, and runs a program in every fork."""
    modules = ImportedAhead()
    used = resource.getrusage(resource.RUSAGE_SELF)
    settings = warm_client.read_at_import(os.environ)
    warm_client.write_cost({"server": used.ru_utime + used.ru_stime, "settings": settings})
    gc.freeze()  # forks share what is never looked at again
    request = Server(Path(sys.argv[1])).serve()
    if request is not None:
        modules.request = request
        become(request)


if __name__ == "__main__":
    run()
