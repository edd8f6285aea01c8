"""Makes a network namespace with a TUN device, or starts a command in one.

    python -I -S namespace.py make ADDRESS SOCKET
    python -I -S namespace.py enter NETWORK USER COMMAND...

SOCKET, NETWORK and USER are file descriptors, USER is -1 where there is no user namespace. It is a
program of its own because only a process with one thread may make a user namespace, and imports
nothing but the standard library so that it starts fast.
"""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import sys
from pathlib import Path

_DEVICE = b"host0"
_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # CLONE_NEWUSER, CLONE_NEWNET
_SET_DEVICE = 0x400454CA  # TUNSETIFF
_PACKETS_ALONE = 0x1001  # IFF_TUN | IFF_NO_PI
_SET_FLAGS, _SET_ADDRESS, _SET_MASK = 0x8914, 0x8916, 0x891C  # SIOCSIFFLAGS, -ADDR, -NETMASK
_IS_UP = 0x41  # IFF_UP | IFF_RUNNING
_MASK = "255.255.255.0"
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def _call(name: str, *arguments: int) -> None:
    """Calls a function of libc, as Python has these since 3.12 only."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _leave_network() -> bool:
    """Goes to a new network namespace; says whether it needed a user namespace too."""
    try:
        _call("unshare", _NEW_NETWORK)
    except OSError as error:
        if error.errno != errno.EPERM:
            raise
    else:
        return False
    user, group = os.getuid(), os.getgid()
    _call("unshare", _NEW_USER | _NEW_NETWORK)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    return True


def _open_device() -> int:
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _SET_DEVICE, struct.pack("16sH22x", _DEVICE, _PACKETS_ALONE))
    return device


def _configure(address: str) -> None:
    """Gives the device its address, and starts it and the loopback device."""

    def of_address(text: str) -> bytes:
        inner = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(text))
        return struct.pack("16s16s8x", _DEVICE, inner)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_ADDRESS, of_address(address))
        fcntl.ioctl(any_socket, _SET_MASK, of_address(_MASK))
        for device in (b"lo", _DEVICE):
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH22x", device, _IS_UP))


def make(address: str, answer: socket.socket) -> None:
    """Makes a namespace, and sends the descriptors of its device and namespaces, or an error."""
    try:
        has_user = _leave_network()
        device = _open_device()
        _configure(address)
        names = ["net", "user"] if has_user else ["net"]
        spaces = [os.open(f"/proc/self/ns/{name}", os.O_RDONLY) for name in names]
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        answer.sendall(f"{error.strerror}{where}".encode())
    else:
        socket.send_fds(answer, [b"made"], [device, *spaces])


def join(network: int, user: int) -> None:
    """Has this process, of one thread, be on the host of a namespace."""
    if user >= 0:
        _call("setns", user, _NEW_USER)
        os.close(user)
    _call("setns", network, _NEW_NETWORK)
    os.close(network)


def enter(network: int, user: int, command: list[str]) -> None:
    """Becomes a command in a namespace."""
    join(network, user)
    for number in _IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        with socket.socket(fileno=int(sys.argv[3])) as to_parent:
            make(sys.argv[2], to_parent)
    else:
        enter(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
