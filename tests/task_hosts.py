"""Where the tasks of the tests' clusters are: on this host, or each on a host of its own.

With TFMIGRATE_TEST_HOSTS set, to the milliseconds between two hosts, each has its own::

    TFMIGRATE_TEST_HOSTS=50 TFMIGRATE_COLD=1 pytest -n 0 tests/cluster tests/coordinator
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence

from tfmigrate_runtime.verify.hosts import Hosts, Network
from tfmigrate_runtime.verify.running.cluster import PORT

_MILLISECONDS = os.environ.get("TFMIGRATE_TEST_HOSTS")
_hosts: dict[str, tuple[Hosts, int]] = {}  # of the latest cluster, by address


def free_addresses(count: int) -> list[str]:
    """Returns addresses that nobody listens at."""
    if _MILLISECONDS is not None:
        hosts = Hosts(count, Network(delay=float(_MILLISECONDS) / 1000))
        addresses = [f"{hosts.address(number)}:{PORT}" for number in range(count)]
        _hosts.update((address, (hosts, number)) for number, address in enumerate(addresses))
        return addresses
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    return addresses


def command_at(address: str, command: Sequence[str]) -> tuple[list[str], tuple[int, ...]]:
    """Returns what starts a command on the host of an address, and its ``pass_fds``."""
    if address not in _hosts:
        return list(command), ()
    hosts, number = _hosts[address]
    return hosts.command(number, command), hosts.descriptors(number)
