"""Lines for a terminal, a pipe or a file."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

Part = str | tuple[str, str]
"""Text, or text and its rich style."""


def wants_colour(stream: TextIO, when: str) -> bool:
    """Returns whether to color the output to a stream.

    Args:
        when: ``always``, ``never``, or ``auto`` for terminals only, unless NO_COLOR is set
            (https://no-color.org).
    """
    if when != "auto":
        return when == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def printable(text: str) -> str:
    """Returns the text with control characters and undecodable bytes of file names escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


class Printer:
    """Prints styled lines: through rich where there is colour, plain elsewhere."""

    def __init__(self, stream: TextIO, colour: bool) -> None:
        self.colour, self._stream = colour, stream
        self._opened: Console | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether somebody reads what is printed, and no other program."""
        return self._stream.isatty()

    @property
    def console(self) -> Console:
        """The rich console of the stream; rich is loaded here, where it is first needed."""
        if self._opened is None:
            from rich.console import Console

            self._opened = Console(
                file=self._stream,
                force_terminal=self.colour,
                color_system="standard" if self.colour else None,
                no_color=not self.colour,
                highlight=False,
                markup=False,
                emoji=False,
            )
        return self._opened

    def line(self, *parts: Part) -> None:
        """Prints one line, never wrapped."""
        if not self.colour:
            plain = "".join(part if isinstance(part, str) else part[0] for part in parts)
            self._stream.write(plain + "\n")
            return
        from rich.text import Text

        self.console.print(Text.assemble(*parts), soft_wrap=True)

    def ask(self, question: str) -> None:
        """Prints a question; the cursor stays on its line."""
        self._stream.write(question)
        self._stream.flush()

    def raw(self, data: bytes) -> None:
        """Writes bytes as they are."""
        self._stream.flush()
        if not isinstance(self._stream, io.TextIOWrapper):
            # A text-only stream that replaces stdout.
            self._stream.write(data.decode("utf-8", "replace"))
            return
        binary, unwritten = self._stream.buffer, memoryview(data)
        while unwritten:  # an unbuffered stream (python -u) may take a part only
            unwritten = unwritten[binary.write(unwritten) :]
        binary.flush()
