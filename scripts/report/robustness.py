"""Migrates every Python file of whole folders, one by one, and counts what goes wrong.

Nothing is written to the folders. For each file it is asked: does tfmigrate go through it without
an error of its own; does it refuse only what Python refuses; does the text it read turn back into
the same bytes; does it leave a file that does not name TensorFlow as it is; and where it changes a
file: does the new text parse, does a second run leave it as it is, is every comment still there.

    python scripts/report/robustness.py  # this Python's test suite and site-packages
    python scripts/report/robustness.py FOLDER ...
    python scripts/report/robustness.py --markdown FILE
        one row of docs/reference/compatibility.md for each folder

Every answer is appended to the file of --answers, and a later call goes on behind the last one. A
file at which the process died (a crash of the interpreter) is told as a crash by the next call.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import sys
import sysconfig
import time
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source
from tfmigrate.files.source import SourceFile, UnreadableFile
from tfmigrate.model.findings import Severity

# With every rule and the risky changes, more code of tfmigrate runs than with the defaults.
OPTIONS = (Options(unsafe=True, coordinator=True), Options(py2=True, unsafe=True))
# Where no file stands beside it: the files of a folder are no one program.
ALONE = Path("/nowhere")


@dataclass
class Answer:
    """What became of one file.

    Attributes:
        path: the file.
        bytes: its size.
        seconds: how much processor time the file took.
        parsed: whether it was read and parsed.
        changed: whether it got a new text; with ``--py2`` not counted.
        refused: what tfmigrate said where it did not take the file.
        wrong: what must not be, one line each.
    """

    path: str
    bytes: int = 0
    seconds: float = 0.0
    parsed: bool = False
    changed: bool = False
    refused: str = ""
    wrong: tuple[str, ...] = ()


def main() -> int:
    """Asks all files, prints what is wrong and the sums; returns 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--answers", type=Path, help="JSON lines; makes the run resumable")
    parser.add_argument("--markdown", type=Path, help="write the sums as a table")
    options = parser.parse_args()
    folders = options.folders or default_folders()
    rows = []
    failed = False
    for folder in folders:
        answers = list(ask_all(folder, options.answers))
        for answer in answers:
            for line in answer.wrong:
                print(f"{answer.path}: {line}")
        rows.append(row(folder, answers))
        failed |= any(answer.wrong for answer in answers)
        print(rows[-1], flush=True)
    if options.markdown:
        options.markdown.write_text(HEAD + "\n".join(rows) + "\n")
    return int(failed)


def default_folders() -> list[Path]:
    """Returns CPython's test suite and the installed packages of this interpreter."""
    paths = sysconfig.get_paths()
    return [Path(paths["stdlib"], "test"), Path(paths["purelib"])]


def ask_all(folder: Path, log: Path | None) -> Iterator[Answer]:
    """Yields what becomes of each file of a folder, those of an earlier call from its log."""
    known: dict[str, Answer] = {}
    if log and log.exists():
        entries = (json.loads(line) for line in log.read_text().splitlines())
        known = {entry["path"]: Answer(**entry) for entry in entries}
    for path in sorted(folder.rglob("*.py")):
        if str(path) not in known:
            if log:  # stands there alone if the process dies
                append(log, Answer(str(path), wrong=("the process died",)))
            known[str(path)] = ask(path)
            if log:
                append(log, known[str(path)])
        yield known[str(path)]


def append(log: Path, answer: Answer) -> None:
    """Adds one line to the log of answers; of two for one file the last one counts."""
    with log.open("a") as stream:
        stream.write(json.dumps(asdict(answer)) + "\n")


def ask(path: Path) -> Answer:
    """Migrates one file in memory and returns what became of it."""
    data = path.read_bytes()
    answer = Answer(str(path), bytes=len(data))
    began = time.process_time()
    wrong: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the files' own syntax
        try:
            source = decode_source(data, ALONE / path.name, path.name)
        except UnreadableFile as error:
            answer.refused = error.reason
            wrong += refused_by_us_alone(data)
        else:
            for options in OPTIONS:
                wrong += checked(source, data, options, answer)
    answer.seconds = round(time.process_time() - began, 4)
    answer.wrong = tuple(wrong)
    return answer


def checked(source: SourceFile, data: bytes, options: Options, answer: Answer) -> list[str]:
    """Migrates a file that could be read; returns what is wrong."""
    try:
        result = migrate([source], options, [source.path.parent])
    except Exception as error:  # what it looks for is errors of any kind
        return [f"crashed: {type(error).__name__}: {error}"]
    errors = [finding for finding in result.findings if finding.severity is Severity.ERROR]
    wrong = [
        f"not rewritten: {f.message}" for f in result.findings if "cannot be rewr" in f.message
    ]
    if not options.py2:
        answer.parsed = not errors
        answer.changed = source.path in result.texts
    if errors and not options.py2:
        answer.refused = errors[0].message
        wrong += refused_by_us_alone(data)
    if source.encode(source.text) != data:
        wrong.append("the text does not turn back into the same bytes")
    after = result.texts.get(source.path)
    if after is None:
        return wrong
    if b"tensorflow" not in data and not options.py2:
        wrong.append("changed, though it does not name tensorflow")
    return wrong + changed_for_the_worse(source, after, options)


def refused_by_us_alone(data: bytes) -> list[str]:
    """Says so where Python reads a file that tfmigrate refused."""
    try:
        compile(data, "<file>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return ["refused, though Python compiles it"]


def changed_for_the_worse(source: SourceFile, after: str, options: Options) -> list[str]:
    """Returns what is wrong with a new text."""
    try:
        again = decode_source(source.encode(after), source.path, source.display)
        ast.parse(source.encode(after))
    except (SyntaxError, ValueError, UnreadableFile) as error:
        return [f"the new text is not Python: {error}"]
    wrong = []
    if migrate([again], options, [source.path.parent]).texts:
        wrong.append("a second run changed its own output")
    if options.py2:  # comments inside of what fissix rewrites are its affair
        return wrong
    lost = comments(source.text) - comments(after)
    return wrong + [f"lost the comment {comment!r}" for comment in lost]


def comments(text: str) -> Counter[str]:
    """Counts the comments of a text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # tokenize knows no lone \r
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


HEAD = (
    "| Folder | Files | MB | Python refuses | Name tensorflow and changed | Wrong |\n"
    "|---|---:|---:|---:|---:|---:|\n"
)


def row(folder: Path, answers: list[Answer]) -> str:
    """Returns the sums of a folder as a row of a Markdown table."""
    cells = (
        f"Python {sys.version_info.major}.{sys.version_info.minor}, `{folder.name}`",
        f"{len(answers):,}",
        f"{sum(answer.bytes for answer in answers) / 1e6:.1f}",
        f"{sum(bool(answer.refused) for answer in answers)}",
        f"{sum(answer.changed for answer in answers)}",
        f"{sum(bool(answer.wrong) for answer in answers)}",
    )
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
