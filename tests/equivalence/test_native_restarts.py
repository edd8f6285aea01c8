"""Training steps that --target keras writes go on from the last checkpoint after a kill."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from fixture_cases import FIXTURES

TIMEOUT_SECONDS = 240.0


def every_five_steps(fixture: str, folder: Path) -> Path:
    """Writes a native form that saves every five steps, and not every ten minutes."""
    text = (FIXTURES / "replica_device_setter" / fixture / "migrated_keras.py").read_text("utf-8")
    before, _, after = text.rpartition("save_secs=600")
    script = folder / "program.py"
    script.write_text(f"{before}save_steps=5{after}", "utf-8")
    return script


@contextmanager
def started(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "TFMIGRATE_COLD": "1"}  # the process is the program itself
    with log.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=environment)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def last_step(folder: Path) -> int:
    """Returns the number of the checkpoint that a program would restore; 0 for none."""
    # A program that is killed between writing a checkpoint and listing it restores the one before.
    state = folder / "checkpoint"
    text = state.read_text("utf-8") if state.exists() else ""
    newest = re.search(r'^model_checkpoint_path: ".*-(\d+)"$', text, re.MULTILINE)
    return int(newest[1]) if newest else 0


def wait_for_step(folder: Path, step: int, processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for _ in range(int(TIMEOUT_SECONDS * 10)):
        if last_step(folder) >= step or any(p.poll() is not None for p in processes):
            return
        time.sleep(0.1)


def test_a_program_that_is_killed_goes_on(tmp_path: Path) -> None:
    script = every_five_steps("one_machine_monitored", tmp_path)
    out = tmp_path / "out"
    command = [sys.executable, str(script), "--job-dir", str(out), "--train-steps"]
    with started([*command, "1000000"], tmp_path / "log") as program:
        wait_for_step(out, 10, [program])
    saved = last_step(out)
    assert saved >= 10, (tmp_path / "log").read_text("utf-8")
    text = script.read_text("utf-8").replace(
        "error = train_step(*next(batches))",
        "error = train_step(*next(batches))\n            print('step', int(optimizer.iterations))",
    )
    script.write_text(text, "utf-8")
    with started([*command, str(saved + 7)], tmp_path / "again") as program:
        assert program.wait(TIMEOUT_SECONDS) == 0, (tmp_path / "again").read_text("utf-8")
    steps = re.findall(r"^step (\d+)", (tmp_path / "again").read_text("utf-8"), re.MULTILINE)
    assert [int(step) for step in steps] == list(range(saved + 1, saved + 8))
    assert last_step(out) == saved + 7


def free_hosts(count: int) -> list[str]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{one.getsockname()[1]}" for one in sockets]


@pytest.mark.long
def test_asynchronous_workers_go_on_after_one_was_killed(tmp_path: Path) -> None:
    fixture = FIXTURES / "replica_device_setter" / "async_setter_function" / "migrated_keras.py"
    text = fixture.read_text("utf-8")
    assert text.count("save_secs=60,") == 1
    script = tmp_path / "program.py"
    script.write_text(text.replace("save_secs=60,", "save_steps=5,"), "utf-8")
    out = tmp_path / "out"

    with ExitStack() as stack:

        def start(job: str, index: int, name: str) -> subprocess.Popen[bytes]:
            command = [sys.executable, str(script), f"--job_name={job}", f"--task_index={index}"]
            command += [f"--ps_hosts={hosts[0]}", f"--worker_hosts={','.join(hosts[1:])}"]
            command += [f"--logdir={out}", f"--num_steps={steps}"]
            return stack.enter_context(started(command, tmp_path / name))

        hosts, steps = free_hosts(3), 1000000
        server = start("ps", 0, "server")
        first, second = (start("worker", index, f"log{index}") for index in range(2))
        wait_for_step(out, 10, [server, first, second])
        second.kill()
        second.wait()
        alone = last_step(out)
        assert alone >= 10, (tmp_path / "log0").read_text("utf-8")
        wait_for_step(out, alone + 20, [server, first])  # the first worker makes all the steps
        again = start("worker", 1, "again1")
        wait_for_step(out, last_step(out) + 40, [server, first, again])
        assert last_step(out) >= alone + 60, (tmp_path / "log0").read_text("utf-8")
        first.kill()
        first.wait()
        for process in (again, server):
            process.kill()
            process.wait()
        saved = last_step(out)

        hosts, steps = free_hosts(3), saved + 7
        start("ps", 0, "server2")
        first, second = (start("worker", index, f"resumed{index}") for index in range(2))
        assert first.wait(TIMEOUT_SECONDS) == 0, (tmp_path / "resumed0").read_text("utf-8")
        assert second.wait(60) == 0  # a worker ends with the one that coordinates
    assert saved + 7 <= last_step(out) <= saved + 8  # a step may be under way at the last one


@pytest.mark.long
def test_workers_go_on_after_one_was_killed(tmp_path: Path) -> None:
    script = every_five_steps("sync_monitored_hook", tmp_path)
    out = tmp_path / "out"

    def commands(steps: int) -> list[list[str]]:
        with ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
            for one in sockets:
                one.bind(("127.0.0.1", 0))
            hosts = ",".join(f"127.0.0.1:{one.getsockname()[1]}" for one in sockets)
        given = [sys.executable, str(script), "--job_name=worker", f"--worker_hosts={hosts}"]
        given += ["--ps_hosts=127.0.0.1:1", f"--logdir={out}", f"--last_step={steps}"]
        return [[*given, f"--task_index={index}"] for index in range(2)]

    with ExitStack() as stack:
        workers = [
            stack.enter_context(started(command, tmp_path / f"log{index}"))
            for index, command in enumerate(commands(1000000))
        ]
        wait_for_step(out, 10, workers)
        workers[1].kill()
        workers[1].wait()
        time.sleep(1)
    saved = last_step(out)
    assert saved >= 10, (tmp_path / "log0").read_text("utf-8")
    with ExitStack() as stack:
        workers = [
            stack.enter_context(started(command, tmp_path / f"again{index}"))
            for index, command in enumerate(commands(saved + 7))
        ]
        for index, worker in enumerate(workers):
            assert worker.wait(TIMEOUT_SECONDS) == 0, (tmp_path / f"again{index}").read_text()
    for index in range(2):  # only the missing steps are made
        lines = (tmp_path / f"again{index}").read_text("utf-8")
        assert len(re.findall(rf"^worker {index}: loss", lines, re.MULTILINE)) == 7
    assert last_step(out) == saved + 7
