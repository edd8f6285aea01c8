"""Headless Chromium, told what to do through a pipe: no driver and no other package is needed."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",  # tests may run as root, and the pages are our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
    "--remote-debugging-pipe",
)
_ANSWER_SECONDS = 60.0  # of one command, on a loaded machine


class BrowserError(Exception):
    """The browser did not do what it was told."""


def find() -> str | None:
    """Returns the browser of this machine, or the one that ``make browser`` has installed."""
    installed = Path(__file__).parents[2] / ".browser" / "chromium"
    found = (os.environ.get("CHROME_BIN"), *map(shutil.which, _NAMES), str(installed))
    return next((path for path in found if path and Path(path).is_file()), None)


def find_axe() -> Path | None:
    """Returns the script of axe-core that ``make browser`` has installed."""
    script = Path(__file__).parents[2] / ".browser" / "axe.min.js"
    return script if script.is_file() else None


def _pipe() -> tuple[int, int]:
    """Returns the ends of a pipe, both beyond the descriptors 3 and 4."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return high[0], high[1]


class Browser:
    """One page in a headless browser; ends with the ``with`` block."""

    def __init__(self, path: str) -> None:
        """Starts it.

        Args:
            path: its program.
        """
        self._stack = contextlib.ExitStack()
        folder = self._stack.enter_context(
            tempfile.TemporaryDirectory(prefix="tfmigrate-browser-", ignore_cleanup_errors=True)
        )
        # The browser reads commands from its descriptor 3 and answers on 4, which a shell opens for
        # it: this process may use them itself.
        commands, self._write = _pipe()
        self._read, answers = _pipe()
        self._process = subprocess.Popen(
            [
                *("/bin/sh", "-c", f'exec "$@" 3</dev/fd/{commands} 4>/dev/fd/{answers}', "sh"),
                *(path, *_FLAGS, f"--user-data-dir={folder}", "about:blank"),
            ],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(commands)
        os.close(answers)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.requests: list[str] = []  # addresses that pages asked for

    def __enter__(self) -> Browser:
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        attached = self.tell("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.tell("Page.enable")
        self.tell("Network.enable")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._stack.close()

    def tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command of the DevTools protocol; returns its result.

        Raises:
            BrowserError: it failed, or the browser ended or did not answer.
        """
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        for answer in self._messages(method):
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result
        raise BrowserError(f"{method}: the browser ended")

    def _messages(self, waiting_for: str) -> Iterator[dict[str, Any]]:
        last = time.monotonic() + _ANSWER_SECONDS
        while True:
            while b"\0" not in self._buffer:
                left = last - time.monotonic()
                if left <= 0 or not select.select([self._read], [], [], left)[0]:
                    raise BrowserError(f"{waiting_for}: no answer in {_ANSWER_SECONDS:g} s")
                received = os.read(self._read, 1 << 16)
                if not received:
                    return
                self._buffer += received
            text, _, self._buffer = self._buffer.partition(b"\0")
            message = json.loads(text)
            if message.get("method") == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            yield message

    def open(self, page: Path, width: int = 1000, height: int = 900, dark: bool = False) -> None:
        """Shows a file and waits until it is drawn.

        Args:
            page: the file.
            width: of the window, pixels.
            height: of the window, pixels.
            dark: whether the user prefers dark pages.
        """
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme])
        self.tell("Page.navigate", url=page.resolve().as_uri())
        for message in self._messages("Page.loadEventFired"):
            if message.get("method") == "Page.loadEventFired":
                return

    def evaluate(self, expression: str) -> Any:
        """Returns the value of a JavaScript expression in the page, of a promise its result.

        Raises:
            BrowserError: it threw.
        """
        done = self.tell(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in done:
            raise BrowserError(str(done["exceptionDetails"]))
        return done["result"].get("value")

    def violations(self, axe: Path) -> list[str]:
        """Returns what axe-core finds in the page: the rule, what is wrong, and where.

        Args:
            axe: its script.
        """
        self.evaluate(axe.read_text(encoding="utf-8"))
        found = json.loads(self.evaluate("axe.run().then(r => JSON.stringify(r.violations))"))
        return [
            f"{rule['id']}: {rule['help']}: {node['html'][:200]}"
            for rule in found
            for node in rule["nodes"]
        ]

    def screenshot(self, **clip: float) -> bytes:
        """Returns a picture as PNG.

        Args:
            **clip: x, y, width and height of a part of the page, in pixels; the whole by default.
        """
        size = self.evaluate(
            "({x: 0, y: 0, width: document.documentElement.scrollWidth, "
            "height: document.documentElement.scrollHeight})"
        )
        done = self.tell(
            "Page.captureScreenshot",
            captureBeyondViewport=True,
            clip={**(clip or size), "scale": 1},
        )
        return base64.b64decode(done["data"])
