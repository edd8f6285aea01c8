"""Hosts on one machine: network namespaces, and a switch between them that delays, loses and cuts.

Each host has a TUN device in a network namespace of its own, as root or in a user namespace. The
switch is a thread of this process that reads packets from one device and writes them to another,
so neither a bridge nor the kernel's netem is needed.
"""

from tfmigrate_runtime.verify.hosts.hosts import Hosts, HostsRefusedError, why_refused
from tfmigrate_runtime.verify.hosts.switch import Network

__all__ = ["Hosts", "HostsRefusedError", "Network", "why_refused"]
