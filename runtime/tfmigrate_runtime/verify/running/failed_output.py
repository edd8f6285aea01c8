"""The cause of a program's failure: the end of its output, and the line in its own files."""

import os
import re
import sysconfig
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

_TAIL_LINES = 25
_TAIL_BYTES = 1 << 20  # of the output that are looked at
_LINE_LETTERS = 500
_TRACEBACK = "Traceback (most recent call last):"
_HANGS_IN = re.compile(r"Stack \(most recent call first\):")
_LINE_RUN = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.+)')
# TensorFlow's notes on what is deprecated, of three lines each.
_DEPRECATED = re.compile(r"WARNING:tensorflow:From .* is deprecated and will be removed")
_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>.+)')
# Messages that TensorFlow's C++ prints at every start.
_CHATTER = re.compile(
    r"[IW]\d{4} \d\d:\d\d:|\d{4}-\d\d-\d\d [\d:.]+: [IW] |WARNING: All log messages before absl"
)
_NEEDS_GPUS = re.compile(r"the strategy needs GPU:(\d+), but TensorFlow finds")
_IN_GRAPH = "Graph execution error:"
_NOT_THE_CAUSE = re.compile(r"\s*$|  File |    |\t|Detected at node |Node: |\d+ root error")
_CLUSTER = re.compile(r"\btrain\.(Server|ClusterSpec|replica_device_setter)\(|\bClusterSpec\(")
_RUNTIME = str(Path(__file__).parents[2])
_STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


def last_words_in(log: Path) -> str:
    """Returns ``last_words`` of the output in a file, of which only the end is read."""
    with log.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return last_words(stream.read().decode("utf-8", "replace"))


def last_words(output: str) -> str:
    """Returns the end of a program's output, each line behind a bar, and the cause in one line.

    Args:
        output: all of it.
    """
    lines = _without_chatter(output.splitlines())
    if (hanging := _place_of_hanging(lines)) is not None:
        return f"{_shown(lines[-_TAIL_LINES:])}\n  it was in {hanging}"
    if (span := _last_traceback(lines)) is None:
        return _shown(lines[-_TAIL_LINES:])
    start, end = span
    if len(lines) - start <= _TAIL_LINES:
        shown = lines[-_TAIL_LINES:]
    else:  # later output (of a server, say) must not push it out of sight
        shown = _shortened(lines[start : end + 1])
    place = _place(lines[start:end])
    cause = "" if place is None else f"\n  {place}: {_cut(lines[end].strip())}"
    return _shown(shown) + cause + _advice(lines[end])


def _advice(error: str) -> str:
    """Returns what to pass to verify for an error that has such an answer."""
    if (gpus := _NEEDS_GPUS.search(error)) is None:
        return ""
    return f"\n  pass --replicas {int(gpus[1]) + 1} for CPU devices in place of the GPUs"


def advice_on(script: Path) -> str:
    """Returns what to pass for a program that did not end: it may wait for tasks of a cluster."""
    if _CLUSTER.search(script.read_text("utf-8", "replace")) is None:
        return ""
    return "\n  it is a task of a cluster: pass --cluster ps=1,worker=2 to run all of its tasks"


def _without_chatter(lines: Sequence[str]) -> list[str]:
    """Returns the lines without TensorFlow's messages at its start, and on what is deprecated."""
    telling: list[str] = []
    left = 0
    for line in lines:
        if _DEPRECATED.match(line):
            left = 3
        left -= 1
        if left < 0 and not _CHATTER.match(line):
            telling.append(line)
    return telling


def _place_of_hanging(lines: Sequence[str]) -> str | None:
    """Returns the user's own line that ran when a program was killed, where it said so."""
    starts = [number for number, line in enumerate(lines) if _HANGS_IN.match(line)]
    matches = [_LINE_RUN.match(line) for line in (lines[starts[-1] + 1 :] if starts else ())]
    own = [match for match in matches if match and _is_own(match["file"])]
    return f"{own[0]['file']}, line {own[0]['line']}" if own else None


def _shown(lines: Sequence[str]) -> str:
    return "".join(f"\n  | {_cut(line)}" for line in lines)


def _cut(line: str) -> str:
    """Returns a line, or the beginning of one that is too long to be read."""
    left = len(line) - _LINE_LETTERS
    return line if left <= 0 else f"{line[:_LINE_LETTERS]} ... {left} more characters"


def _shortened(lines: Sequence[str]) -> list[str]:
    """Returns the beginning and the end of what is too long."""
    if len(lines) <= _TAIL_LINES:
        return list(lines)
    first = _TAIL_LINES // 4
    last = len(lines) - (_TAIL_LINES - first)
    return [*lines[:first], f"... {last - first} more lines ...", *lines[last:]]


def _last_traceback(lines: Sequence[str]) -> tuple[int, int] | None:
    """Returns the numbers of the first line of the last traceback, and of its error's line.

    An error of several lines, as those of AutoGraph that quote the program, ends with its cause.
    """
    if not (starts := [number for number, line in enumerate(lines) if line == _TRACEBACK]):
        return None
    start = starts[-1]
    ends = (number for number in range(start + 1, len(lines)) if not lines[number].startswith(" "))
    if (end := next(ends, None)) is None:
        return None
    further = lines[end + 1 :] if lines[end].endswith(":") else ()
    if lines[end].endswith(_IN_GRAPH):
        # Then come the places of ops, in the program and in TensorFlow, or what failed at once.
        causes = (number for number, line in enumerate(further) if not _NOT_THE_CAUSE.match(line))
        return start, end + 1 + next(causes, -1)
    quoted = [line for line in takewhile(_is_quoted, further) if line.strip()]
    return (start, end) if not quoted else (start, lines.index(quoted[-1], end))


def _is_quoted(line: str) -> bool:
    return not line.strip() or line.startswith(" ")


def _place(lines: Sequence[str]) -> str | None:
    """Returns the innermost place of a traceback that lies in the user's own files."""
    frames = [match for match in map(_FRAME.match, lines) if match and _is_own(match["file"])]
    if not frames:
        return None
    name = f", in {frames[-1]['name']}" if frames[-1]["name"] != "<module>" else ""
    return f"{frames[-1]['file']}, line {frames[-1]['line']}{name}"


def _is_own(file: str) -> bool:
    """Whether a file is the user's own, not of a package or the standard library."""
    return not (
        "site-packages" in file
        or file.startswith(("<", _RUNTIME, _STANDARD_LIBRARY))
        or re.search(r"/lib/python\d\.\d+/", file)
    )
