"""The switch between hosts: it takes IPv4 packets from one TUN device to another."""

import contextlib
import heapq
import itertools
import os
import random
import select
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

_LARGEST_PACKET = 65_536
_PACKETS_AT_ONCE = 64  # of one host, before those of the others
_DESTINATION = slice(16, 20)  # in the header of IPv4


@dataclass(frozen=True)
class Network:
    """How packets travel from one host to another.

    Attributes:
        delay: seconds on the way; an answer comes after twice as long.
        loss: the share of packets that are lost, from 0 to 1.
    """

    delay: float = 0.0
    loss: float = 0.0

    def __str__(self) -> str:
        delay = f", {1000 * self.delay:g} ms apart" if self.delay else ""
        loss = f", {100 * self.loss:g} % of packets lost" if self.loss else ""
        return f"a host each{delay}{loss}"


class Switch:
    """Delivers packets between hosts, in a thread."""

    def __init__(self, devices: Mapping[bytes, int], network: Network) -> None:
        """Starts.

        Args:
            devices: descriptors of the hosts' TUN devices by the bytes of their addresses.
            network: delay and loss.
        """
        self._devices = dict(devices)
        self._network = network
        self._cut: frozenset[bytes] = frozenset()
        self._on_their_way: list[tuple[float, int, bytes, bytes]] = []
        self._numbers = itertools.count()
        self._random = random.Random(0)
        self._end_read, self._end_write = os.pipe()
        self._thread = threading.Thread(target=self._run, name="switch", daemon=True)
        self._thread.start()

    def cut(self, address: bytes) -> None:
        """Cuts the link of a host: nothing reaches or leaves it, and nobody is told."""
        self._cut |= {address}

    def mend(self, address: bytes) -> None:
        """Mends the link of a host."""
        self._cut -= {address}

    def close(self) -> None:
        """Ends the thread; the devices stay open."""
        os.close(self._end_write)
        self._thread.join()
        os.close(self._end_read)

    def _run(self) -> None:
        sources = {device: address for address, device in self._devices.items()}
        poll = select.epoll()
        with contextlib.closing(poll):
            for descriptor in (*sources, self._end_read):
                poll.register(descriptor, select.EPOLLIN)
            while True:
                ready = [descriptor for descriptor, _ in poll.poll(self._until_next())]
                if self._end_read in ready:
                    return
                for device in ready:
                    self._take(device, sources[device])
                self._deliver_due()

    def _until_next(self) -> float | None:
        """Returns the seconds until a packet is due, None where none is on its way."""
        if not self._on_their_way:
            return None
        return max(0.0, self._on_their_way[0][0] - time.monotonic())

    def _take(self, device: int, source: bytes) -> None:
        """Takes packets that a host sends."""
        for _ in range(_PACKETS_AT_ONCE):
            try:
                packet = os.read(device, _LARGEST_PACKET)
            except BlockingIOError:
                return
            if packet[0] >> 4 != 4 or self._random.random() < self._network.loss:
                continue
            if not self._network.delay:
                self._deliver(source, packet)
                continue
            due = time.monotonic() + self._network.delay
            entry = (due, next(self._numbers), source, packet)
            heapq.heappush(self._on_their_way, entry)

    def _deliver_due(self) -> None:
        while self._on_their_way and self._on_their_way[0][0] <= time.monotonic():
            _, _, source, packet = heapq.heappop(self._on_their_way)
            self._deliver(source, packet)

    def _deliver(self, source: bytes, packet: bytes) -> None:
        target = packet[_DESTINATION]
        device = self._devices.get(target)
        if device is None or source in self._cut or target in self._cut:
            return
        with contextlib.suppress(OSError):  # as a switch drops what a host is too slow to take
            os.write(device, packet)
