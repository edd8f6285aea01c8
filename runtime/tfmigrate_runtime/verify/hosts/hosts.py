"""Hosts in network namespaces, and how a command is started on one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tfmigrate_runtime.verify.hosts.switch import Network, Switch

_NAMESPACE = [sys.executable, "-I", "-S", str(Path(__file__).with_name("namespace.py"))]
_ADDRESS = "10.231.0.{}"  # within the namespaces only
_MOST = 250


class HostsRefusedError(Exception):
    """The kernel, or its settings, refuse network namespaces."""


@dataclass(frozen=True)
class _Host:
    """A host: its address, and the descriptors of its device and namespaces."""

    address: str
    device: int
    network: int
    user: int | None

    @property
    def spaces(self) -> tuple[int, ...]:
        return (self.network,) if self.user is None else (self.network, self.user)


class Hosts:
    """Some hosts that reach each other, until they are closed."""

    def __init__(self, count: int, network: Network = Network()) -> None:  # noqa: B008 - frozen
        """Makes the hosts.

        Args:
            count: how many.
            network: delay and loss between any two of them.

        Raises:
            HostsRefusedError: they cannot be made here.
        """
        if count > _MOST:
            raise HostsRefusedError(f"{count} hosts: a network has {_MOST} at most")
        self._hosts: list[_Host] = []
        self._switch: Switch | None = None
        try:
            for number in range(count):
                self._hosts.append(_made(_ADDRESS.format(number + 1)))
        except BaseException:
            self.close()
            raise
        devices = {socket.inet_aton(host.address): host.device for host in self._hosts}
        self._switch = Switch(devices, network)

    def __enter__(self) -> Hosts:
        """Returns the hosts."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes them."""
        self.close()

    def address(self, number: int) -> str:
        """Returns the address of a host."""
        return self._hosts[number].address

    def command(self, number: int, command: Sequence[str]) -> list[str]:
        """Returns the command that runs another one on a host; pass it the host's descriptors."""
        host = self._hosts[number]
        user = -1 if host.user is None else host.user
        return [*_NAMESPACE, "enter", str(host.network), str(user), *command]

    def descriptors(self, number: int) -> tuple[int, ...]:
        """Returns the ``pass_fds`` for ``command``."""
        return self._hosts[number].spaces

    def cut(self, number: int) -> None:
        """Cuts the link of a host: its packets are lost, and those to it."""
        if self._switch is not None:
            self._switch.cut(socket.inet_aton(self._hosts[number].address))

    def mend(self, number: int) -> None:
        """Mends the link of a host."""
        if self._switch is not None:
            self._switch.mend(socket.inet_aton(self._hosts[number].address))

    def close(self) -> None:
        """Takes the hosts down; processes that are still on them reach nobody."""
        if self._switch is not None:
            self._switch.close()
            self._switch = None
        for host in self._hosts:
            for descriptor in (host.device, *host.spaces):
                os.close(descriptor)
        self._hosts = []


def why_refused() -> str | None:
    """Returns why hosts cannot be made here, None where they can."""
    try:
        Hosts(1).close()
    except HostsRefusedError as error:
        return str(error)
    return None


def _made(address: str) -> _Host:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            done = subprocess.run(
                [*_NAMESPACE, "make", address, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                capture_output=True,
                text=True,
                check=False,
            )
        answer, descriptors, _, _ = socket.recv_fds(ours, 1024, 3)
    if not descriptors:
        reason = answer.decode() or done.stderr.strip()
        raise HostsRefusedError(
            f"no network namespace can be made here: {reason}. It needs Linux, /dev/net/tun, and "
            "root or user namespaces (in a container: --device /dev/net/tun --cap-add NET_ADMIN "
            "--cap-add SYS_ADMIN)"
        )
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    device, network, *user = descriptors
    return _Host(address, device, network, user[0] if user else None)
