"""Hosts reach each other by the switch only, with its delay, losses and cuts."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.hosts import Hosts, Network

SECONDS = 30
PORT = 2222
# Answers each line with itself.
ECHO = f"""
import socket
connection, _ = socket.create_server(("", {PORT})).accept()
with connection, connection.makefile("rwb", 0) as stream:
    for line in stream:
        stream.write(line)
"""
# Sends each of its input's lines to the host, and prints for how long the answer was on its way.
ASK = f"""
import socket, sys, time
while True:
    try:
        connection = socket.create_connection((sys.argv[1], {PORT}), 2)
        break
    except ConnectionRefusedError:
        time.sleep(0.02)
connection.settimeout(None)
with connection, connection.makefile("rwb", 0) as stream:
    for line in sys.stdin:
        begin = time.monotonic()
        stream.write(line.encode())
        assert stream.readline() == line.encode()
        print(time.monotonic() - begin, flush=True)
"""


@contextmanager
def started(hosts: Hosts, number: int, code: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        hosts.command(number, [sys.executable, "-c", code, *more]),
        pass_fds=hosts.descriptors(number),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def ask(process: subprocess.Popen[str], text: str = "x") -> float:
    """Returns for how many seconds the answer was on its way."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


@contextmanager
def asking(network: Network) -> Iterator[tuple[Hosts, subprocess.Popen[str]]]:
    with (
        Hosts(2, network) as hosts,
        started(hosts, 0, ECHO),
        started(hosts, 1, ASK, hosts.address(0)) as client,
    ):
        yield hosts, client


def test_an_answer_comes_after_twice_the_delay() -> None:
    with asking(Network()) as (_, client):
        ask(client)
        near = min(ask(client) for _ in range(5))
    with asking(Network(delay=0.1)) as (_, client):
        ask(client)
        far = min(ask(client) for _ in range(5))
    assert near < 0.2
    assert 0.2 <= far < 2


def test_what_is_lost_is_sent_again() -> None:
    with asking(Network(loss=0.2)) as (_, client):
        times = [ask(client, "x" * 20_000) for _ in range(5)]
    # TCP sends a lost packet again after 0.2 s or more where no later one tells it.
    assert max(times) > 0.1


def test_a_cut_link_delivers_once_it_is_mended() -> None:
    with asking(Network()) as (hosts, client):
        ask(client)
        hosts.cut(0)
        begin = time.monotonic()
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write("x\n")
        client.stdin.flush()
        time.sleep(1)
        hosts.mend(0)
        assert float(client.stdout.readline()) >= 1
        assert time.monotonic() - begin < SECONDS


def test_a_host_does_not_see_this_machine() -> None:
    code = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)
except OSError as error:
    print(type(error).__name__)
"""
    with socket.create_server(("127.0.0.1", 0)) as server, Hosts(1) as hosts:
        port = str(server.getsockname()[1])
        with started(hosts, 0, code, port) as process:
            assert process.communicate(timeout=SECONDS)[0] == "ConnectionRefusedError\n"


def test_the_command_has_the_signals_and_user_of_this_process() -> None:
    code = (
        "import os; print(os.getuid(), open('/proc/self/status').read().split('SigIgn:')[1][:17])"
    )
    alone = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    with Hosts(1) as hosts, started(hosts, 0, code) as process:
        assert process.communicate(timeout=SECONDS)[0] == alone.stdout


def test_a_missing_command_is_named() -> None:
    with Hosts(1) as hosts:
        done = subprocess.run(
            hosts.command(0, ["/no/program"]),
            pass_fds=hosts.descriptors(0),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "cannot run /no/program: No such file or directory" in done.stderr


def test_nothing_is_left_open() -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    with Hosts(3):
        assert count() > before
    assert count() == before


@pytest.mark.parametrize("number", [0, 1])
def test_user_namespaces_where_this_process_may_not_make_network_namespaces(number: int) -> None:
    """Without the capability; what a user who is not root has, too."""
    code = f"""
from tfmigrate_runtime.verify.hosts import Hosts
import subprocess, sys
with Hosts(2) as hosts:
    done = subprocess.run(
        hosts.command({number}, [sys.executable, "-c", "print(open('/proc/net/dev').read())"]),
        pass_fds=hosts.descriptors({number}), capture_output=True, text=True, check=True)
    assert len(hosts.descriptors({number})) == 2
    print(done.stdout)
"""
    drop = ["setpriv", "--bounding-set", "-sys_admin,-net_admin", "--inh-caps", "-sys_admin"]
    try:
        done = subprocess.run(
            [*drop, sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("there is no setpriv")
    if "setpriv:" in done.stderr or "HostsRefusedError" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert "host0" in done.stdout
