"""Starts programs in processes that have imported TensorFlow already.

``python``, which tests/conftest.py writes and has as ``sys.executable``, runs this. A program runs
in a fork of a process that has imported TensorFlow (warm_server.py) where it names TensorFlow or
the runtime, in a script or after ``-c``, or is a module of the runtime or a command of
``tfmigrate`` that runs programs (``-m``): with its arguments, environment, folder, standard
streams, signals and exit code, but without the seconds of processor time that the import takes.
What it starts with its own ``sys.executable`` does the same. Everything else is left to the
interpreter itself.

Runs without site-packages, once for each program: it imports little.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

OFF = "TFMIGRATE_COLD"  # set: every program is left to the interpreter
AGAIN = "TFMIGRATE_WARM_AGAIN"  # the settings of a program that had others than were guessed
COSTS = "TFMIGRATE_COSTS"  # folder: what programs cost is written there (scripts/costs)
COVERAGE = "COVERAGE_PROCESS_START"  # what coverage reads where programs are to be measured
# What TensorFlow, Keras or Python may read while they are imported.
_READ_AT_IMPORT = ("TF_", "KERAS_", "CUDA_", "NVIDIA_", "XLA_", "OMP_", "PYTHON", "LD_")
_KERAS = "TF_USE_LEGACY_KERAS"
_NAMES = (b"tensorflow", b"tfmigrate_runtime")
_COMMANDS_THAT_RUN_PROGRAMS = ("verify", "checkpoint", "doctor")
_CHOOSES_KERAS_2 = (
    _KERAS.encode(),
    b"tfmigrate_runtime import estimator",
    b"tfmigrate_vendored import estimator",
    b"--legacy",
    b"tfmigrate_runtime.tf1_shim",
)
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_SECONDS_TO_IMPORT = 300.0  # a hundred times what the import takes


def read_at_import(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns those environment variables that may change what an import does."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.startswith(_READ_AT_IMPORT) and name != "TF_CONFIG"
    }


def main(interpreter: str, folder: str, arguments: Sequence[str]) -> None:
    """Runs a program, and ends as it ends.

    Args:
        interpreter: the Python that imports and forks, or runs what is no such program.
        folder: where the sockets of the servers are.
        arguments: a script and its arguments, or other arguments of Python.
    """
    texts = _texts_of(arguments)
    needs_tensorflow = any(name in text for text in texts for name in _NAMES)
    if os.environ.get(OFF) or not needs_tensorflow or _is_apart(folder):
        write_cost({"cold": [argument[:80] for argument in arguments[:3]]})
        os.execv(interpreter, [interpreter, *arguments])
    again = os.environ.pop(AGAIN, None)
    if again:
        settings = json.loads(again)
    else:
        settings = read_at_import(os.environ)
        # A guess at what the program sets before it imports TensorFlow: begun again where wrong.
        hints = [*texts, *map(os.fsencode, arguments)]
        if any(mark in hint for hint in hints for mark in _CHOOSES_KERAS_2):
            settings.setdefault(_KERAS, "1")
    is_task = "TF_CONFIG" in os.environ or any("task" in a or "job" in a for a in arguments)
    server = _connected(interpreter, folder, settings, is_task=is_task)
    code = _run(server, arguments, is_second=bool(again))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _is_apart(folder: str) -> bool:
    """Whether this process has other networks or rights than the tests: no fork would have them."""
    owner = Path(folder, "owner").read_text()
    own, others = (_surroundings(process) for process in ("self", owner))
    return own != others


def _surroundings(process: str) -> list[str]:
    folder = Path("/proc", process)
    rights = [
        line for line in (folder / "status").read_text().splitlines() if line.startswith("Cap")
    ]
    return [*(str((folder / "ns" / kind).readlink()) for kind in ("net", "user", "pid")), *rights]


def write_cost(line: dict[str, object]) -> None:
    """Appends what a program costs, where scripts/costs asks for it."""
    folder = os.environ.get(COSTS)
    if folder:
        whole = {**asked_by(os.environ), **line}
        with (Path(folder) / f"programs-{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(whole) + "\n")


def asked_by(environment: Mapping[str, str]) -> dict[str, object]:
    """Returns the test that starts a program in this environment, for a line of costs."""
    return {"test": environment.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]}


def _texts_of(arguments: Sequence[str]) -> list[bytes]:
    """Returns what tells whether a program needs TensorFlow; empty where nothing does."""
    match list(arguments[:3]):
        case ["-c", text, *_]:
            return [os.fsencode(text)]
        case ["-m", module, *_] if module.partition(".")[0] == "tfmigrate_runtime":
            return [os.fsencode(module)]
        case ["-m", "tfmigrate", command] if command in _COMMANDS_THAT_RUN_PROGRAMS:
            return [b"tfmigrate_runtime"]
        case [script, *_] if not script.startswith("-"):
            paths = [Path(argument) for argument in arguments if argument.endswith(".py")]
            return [path.read_bytes() for path in paths if path.is_file()]
    return []


def _connected(
    interpreter: str, folder: str, settings: dict[str, str], *, is_task: bool
) -> socket.socket:
    """Returns a connection to a server with these settings, which is started if need be."""
    about = dict(settings)
    if is_task and settings.get("PYTHONHASHSEED", "random") == "random":
        # Tasks of a cluster iterate over sets in other orders: two servers, by turns.
        about["turn"] = str(os.getpid() % 2)
    name = sha256(json.dumps(about).encode()).hexdigest()[:16]
    path = Path(folder) / name
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _start_server(interpreter, path, settings)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    return connection


def _start_server(interpreter: str, path: Path, settings: dict[str, str]) -> None:
    others = {k: v for k, v in os.environ.items() if k not in read_at_import(os.environ)}
    # Of one program: the server outlives its folder, and is not a program to be measured.
    for name in ("TF_CONFIG", "TMPDIR", "TFMIGRATE_RUN", COVERAGE):
        others.pop(name, None)
    server = str(Path(__file__).resolve().with_name("warm_server.py"))
    output = path.with_suffix(".log")
    log = os.open(output, os.O_CREAT | os.O_WRONLY)
    told, tell = os.pipe()
    between = os.fork()
    if between == 0:
        # Nobody's child: what ends a program and all that descends from it must not end it.
        os.setsid()
        process = os.fork()
        if process:
            os.write(tell, str(process).encode())
            os._exit(0)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number, target in enumerate((nothing, log, log)):
            os.dup2(target, number)
        os.closerange(3, 256)
        os.execve(interpreter, [interpreter, server, str(path)], {**others, **settings})
    process = int(os.read(told, 32))
    os.waitpid(between, 0)
    for descriptor in (log, told, tell):
        os.close(descriptor)
    end = time.monotonic() + _SECONDS_TO_IMPORT
    while not path.exists():
        if time.monotonic() > end or not _is_running(process):
            sys.exit("TensorFlow could not be imported ahead:\n" + output.read_text()[-3000:])
        time.sleep(0.05)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _run(server: socket.socket, arguments: Sequence[str], *, is_second: bool) -> int:
    """Returns the exit code of a program, negative where a signal ended it."""
    request = json.dumps(
        {
            "arguments": list(arguments),
            "environment": dict(os.environ),
            "folder": str(Path.cwd()),
            "is_second": is_second,
        }
    ).encode()
    socket.send_fds(server, [b"%16d" % len(request)], [0, 1, 2])
    server.sendall(request)

    def forward(number: int, frame: object) -> None:
        del frame
        server.sendall(bytes([number]))

    for number in _FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, forward)
    answer = server.recv(16)
    if not answer:
        sys.exit("the process that had imported TensorFlow has ended")
    return int(answer)
