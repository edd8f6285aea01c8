"""Starts a cluster of a chief, a parameter server and three workers many times, in random order.

    python scripts/faults/starts.py RESULTS.json --starts 100

Each task has a host of its own, is started after a random delay, and is forked from a process that
has imported TensorFlow, which makes a start a matter of seconds. A cluster that has not trained to
its end after ``--seconds`` counts as one that hangs. RESULTS.json is gone on with.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.verify.hosts import Hosts, Network
from tfmigrate_runtime.verify.hosts.namespace import join
from tfmigrate_runtime.verify.running.cluster import Cluster, Task, addresses_on, environment_of

_JOBS = "chief=1,ps=1,worker=3"
_STEPS = 30
_MOST_SECONDS_LATE = 10.0
_DELAYS = (0.0, 0.005, 0.05)  # of the network
_PROGRAM = Path(__file__).with_name("programs") / "estimated.py"
_IMPORTED = (tf, estimator)


def main() -> int:
    """Starts clusters; returns 1 where one did not train to its end."""
    parser = argparse.ArgumentParser(description="Starts a cluster many times.")
    parser.add_argument("results", type=Path)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first")
    parser.add_argument("--seconds", type=float, default=400.0)
    options = parser.parse_args()
    results: Path = options.results
    found = json.loads(results.read_text()) if results.exists() else []
    with tempfile.TemporaryDirectory() as place:
        script = Path(place) / "program.py"
        script.write_text(_PROGRAM.read_text())
        subprocess.run([sys.executable, "-m", "tfmigrate", "-q", str(script)], check=True)
        for number in range(options.first + len(found), options.first + options.starts):
            found.append(_started(number, script, Path(place) / str(number), options.seconds))
            print(number, found[-1], flush=True)
            results.write_text(json.dumps(found, indent=1))
    return int(any(start["left"] or start["failed"] for start in found))


def _started(number: int, script: Path, folder: Path, seconds: float) -> dict[str, Any]:
    """Starts one cluster, and says how its tasks ended."""
    folder.mkdir()
    chance = random.Random(number)
    cluster = Cluster.parse(_JOBS)
    tasks = list(enumerate(cluster.tasks))
    chance.shuffle(tasks)
    late = sorted(chance.uniform(0, _MOST_SECONDS_LATE) for _ in tasks)
    network = Network(delay=chance.choice(_DELAYS))
    running: dict[int, str] = {}
    codes: dict[str, int] = {}
    begin = time.monotonic()
    with Hosts(len(tasks), network) as hosts:
        addresses = addresses_on(hosts, cluster)
        for after, (host, task) in zip(late, tasks, strict=True):
            time.sleep(max(0.0, begin + after - time.monotonic()))
            running[_forked(hosts, host, task, addresses, script, folder)] = task.name
        try:
            while running and time.monotonic() - begin < seconds:
                for process in list(running):
                    ended, status = os.waitpid(process, os.WNOHANG)
                    if ended:
                        codes[running.pop(process)] = os.waitstatus_to_exitcode(status)
                time.sleep(0.05)
        finally:
            for process in running:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
    return {
        "order": [task.name for _, task in tasks],
        "apart": 1000 * network.delay,
        "seconds": round(time.monotonic() - begin),
        "left": sorted(running.values()),
        "failed": sorted(name for name, code in codes.items() if code),
    }


def _forked(
    hosts: Hosts,
    host: int,
    task: Task,
    addresses: dict[str, list[str]],
    script: Path,
    folder: Path,
) -> int:
    """Starts a task; returns its process."""
    process = os.fork()
    if process == 0:
        _run(hosts, host, task, addresses, script, folder)
    return process


def _run(
    hosts: Hosts,
    host: int,
    task: Task,
    addresses: dict[str, list[str]],
    script: Path,
    folder: Path,
) -> NoReturn:
    code = 1
    try:
        network, *user = hosts.descriptors(host)
        join(network, *(user or [-1]))
        log = os.open(folder / f"{task.job}-{task.index}.log", os.O_WRONLY | os.O_CREAT)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.environ.update(environment_of(task, addresses))
        sys.argv = [str(script), "--logdir", str(folder / "model"), "--steps", str(_STEPS)]
        runpy.run_path(str(script), run_name="__main__")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
