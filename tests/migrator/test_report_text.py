from __future__ import annotations

import io
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmigrate.engine.outcome import Outcome, Rewrite
from tfmigrate.files.diff import unified_diff
from tfmigrate.files.skipped import LINK, NOT_PYTHON, Skipped
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.report.terminal import Printer, printable, wants_colour
from tfmigrate.report.text import (
    left_line,
    print_diffs,
    print_errors,
    print_findings,
    summary,
    unsafe_line,
)


def finding(
    severity: Severity,
    path: str = "a.py",
    line: int = 1,
    applied: bool = False,
    code: str = "TFM201",
    action: str = "",
) -> Finding:
    return Finding(path, line, 1, code, severity, "what stands there", action, applied)


FIXED = finding(Severity.FIXED, applied=True)


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Outcome(dry_run=False), "Nothing to do: no Python files found."),
        (
            Outcome(dry_run=False, examined=14),
            "Nothing to do: no TensorFlow 1.x distributed training code found in 14 files.",
        ),
        (
            Outcome(dry_run=True, examined=1),
            "Nothing to do: no TensorFlow 1.x distributed training code found in 1 file.",
        ),
        (
            Outcome(dry_run=False, examined=3, changed=["a.py"], findings=[FIXED]),
            "1 file migrated, 1 change.",
        ),
        (
            Outcome(
                dry_run=False,
                examined=9,
                changed=["a.py", "b.py", "c.py"],
                findings=[
                    *[FIXED] * 12,
                    finding(Severity.UNSAFE),
                    *[finding(Severity.MANUAL)] * 2,
                    finding(Severity.ERROR, path="d.py", code="TFM901"),
                    finding(Severity.UNSAFE, path="d.py"),
                ],
            ),
            "3 files migrated, 12 changes; 1 unsafe (apply with --unsafe), "
            "2 need manual work; 1 file could not be read.",
        ),
        (
            Outcome(dry_run=True, examined=1, changed=["a.py", "b.py"], findings=[FIXED] * 2),
            "2 files would be migrated, 2 changes.",
        ),
        (
            Outcome(dry_run=False, examined=1, findings=[finding(Severity.MANUAL)]),
            "No files migrated; 1 needs manual work.",
        ),
        (
            Outcome(
                dry_run=True,
                examined=1,
                findings=[
                    finding(Severity.ERROR, path="a.py", code="TFM900"),
                    finding(Severity.ERROR, path="b.py", code="TFM901"),
                    finding(Severity.ERROR, path="c", code="TFM902"),
                    finding(Severity.ERROR, path="d.py", code="TFM903"),
                ],
            ),
            "No files to migrate; 1 file could not be read; 1 file could not be parsed; "
            "1 folder could not be read; 1 file could not be written.",
        ),
        (
            Outcome(
                dry_run=True,
                examined=2,
                ignored=3,
                skipped=[Skipped(f"{name}.ipynb", NOT_PYTHON, "R") for name in "ab"],
            ),
            "Nothing to do: no Python files found (3 ignored by .gitignore or --exclude).",
        ),
    ],
)
def test_the_last_line_says_what_was_done_and_what_is_left(outcome: Outcome, line: str) -> None:
    assert summary(outcome) == line


@pytest.mark.parametrize(
    ("findings", "changed", "dry_run", "code"),
    [
        ([], [], False, 0),
        ([], [], True, 0),
        ([FIXED], ["a.py"], False, 0),
        ([FIXED], ["a.py"], True, 1),
        ([finding(Severity.UNSAFE, applied=True)], ["a.py"], False, 0),
        ([finding(Severity.UNSAFE)], [], False, 1),
        ([FIXED, finding(Severity.MANUAL)], ["a.py"], False, 1),
        ([FIXED, finding(Severity.ERROR)], ["a.py"], False, 2),
    ],
)
def test_the_exit_code(
    findings: list[Finding], changed: list[str], dry_run: bool, code: int
) -> None:
    assert Outcome(dry_run=dry_run, findings=findings, changed=changed).exit_code == code


def printed_findings(outcome: Outcome, colour: bool = False) -> str:
    stream = io.StringIO()
    print_findings(outcome, Printer(stream, colour))
    return stream.getvalue()


def test_findings_stand_by_file_with_what_to_do_below() -> None:
    findings = [
        FIXED,
        finding(Severity.MANUAL, line=120, action="write it out"),
        finding(Severity.UNSAFE, path="b.py", action="look at the numbers"),
        finding(Severity.ERROR, path="c.py"),
    ]
    assert printed_findings(Outcome(dry_run=False, findings=findings)) == (
        "a.py:1:1    TFM201  fixed    what stands there\n"
        "a.py:120:1  TFM201  manual   what stands there\n"
        "    write it out\n"
        "\n"
        "b.py:1:1  TFM201  unsafe   what stands there\n"
        "    look at the numbers\n"
        "\n"
    )


def test_findings_that_say_the_same_are_one_with_all_places() -> None:
    findings = [finding(Severity.MANUAL, line=n, action="write it out") for n in range(1, 30)]
    findings.insert(1, finding(Severity.MANUAL, line=2, action="another"))
    text = printed_findings(Outcome(dry_run=False, findings=findings))
    first, *also, action, other, _ = text.rstrip("\n").splitlines()
    assert first == "a.py:1:1  TFM201  manual   what stands there (29 places)"
    assert " ".join(" ".join(also).split()).startswith("also at 2:1, 3:1, 4:1, ")
    assert all(len(line) <= 100 for line in also)
    assert sum(line.count(":1") for line in also) == 28
    assert action == "    write it out"
    assert other == "a.py:2:1  TFM201  manual   what stands there"


def test_the_lines_before_the_last_say_what_unsafe_does_and_what_is_left_whole() -> None:
    outcome = Outcome(
        dry_run=False,
        changed=["a.py"],
        findings=[
            *[finding(Severity.UNSAFE, line=n) for n in (1, 2)],
            finding(Severity.UNSAFE, path="b.py"),
            replace(finding(Severity.MANUAL, path="c.py"), held_back=True),
            replace(finding(Severity.MANUAL, path="a.py"), held_back=True),
        ],
        skipped=[
            Skipped("d.ipynb", NOT_PYTHON, "R"),
            Skipped("e.ipynb", NOT_PYTHON, "Scala"),
            Skipped("f.py", LINK, "/elsewhere/f.py"),
        ],
    )
    assert unsafe_line(outcome) == (
        "--unsafe applies 3 more changes in 2 files; each finding says how training may change."
    )
    assert left_line(outcome) == (
        "Not changed: 1 file that is held back, 2 notebooks in other languages (R, Scala), "
        "1 link to a file outside the folder."
    )
    assert (unsafe_line(Outcome(dry_run=False)), left_line(Outcome(dry_run=False))) == ("", "")


def test_nothing_is_called_fixed_that_was_not() -> None:
    text = printed_findings(Outcome(dry_run=True, findings=[FIXED]))
    assert "fixable" in text
    assert "fixed" not in text


def test_errors_are_one_line_each() -> None:
    stream = io.StringIO()
    error = finding(Severity.ERROR, line=3, code="TFM900", action="run 2to3")
    print_errors([error], Printer(stream, colour=False))
    assert stream.getvalue() == "a.py:3:1  TFM900  error    what stands there; run 2to3\n"


def test_colour_changes_nothing_but_the_colour() -> None:
    outcome = Outcome(dry_run=False, findings=[finding(Severity.MANUAL, action="[bold] :smile:")])
    plain, coloured = printed_findings(outcome), printed_findings(outcome, colour=True)
    assert "\x1b[" not in plain
    assert "\x1b[" in coloured
    stripped = "".join(piece.partition("m")[2] for piece in ("\x1b[m" + coloured).split("\x1b["))
    assert stripped == plain


def test_control_characters_of_file_names_do_not_reach_the_terminal() -> None:
    text = printed_findings(Outcome(dry_run=False, findings=[finding(Severity.FIXED, "\x1b[2J\n")]))
    assert text.startswith("\\x1b[2J\\n:1:1")
    assert printable("caf\u00e9/\u65e5.py") == "caf\u00e9/\u65e5.py"
    assert printable("caf\udce9.py") == "caf\\udce9.py"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_without_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour(Terminal(), "auto")
    assert not wants_colour(io.StringIO(), "auto")
    assert wants_colour(io.StringIO(), "always")
    assert not wants_colour(Terminal(), "never")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal(), "auto")
    assert wants_colour(Terminal(), "always")
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal(), "auto")


def test_a_diff_is_bytes_for_a_pipe_and_coloured_lines_for_a_terminal() -> None:
    rewrite = Rewrite("a.py", b"x = 1\r\n", b"x = 2\r\n")
    outcome = Outcome(dry_run=True, rewrites=[rewrite])
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_diffs(outcome, Printer(stream, colour=False))
    stream.flush()
    piped = stream.buffer.getvalue()  # type: ignore[attr-defined]
    assert piped == b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\r\n+x = 2\r\n"
    terminal = Terminal()
    print_diffs(outcome, Printer(terminal, colour=True))
    assert "\x1b[32m+x = 2" in terminal.getvalue()


def test_no_difference_is_no_diff() -> None:
    assert unified_diff("a.py", b"x\n", b"x\n") == b""


@pytest.mark.parametrize(
    ("display", "header"),
    [
        ("a.py", b"--- a/a.py\n"),
        ("my models/a.py", b"--- a/my models/a.py\t\n"),
        ('q"\\\t\x01.py', b'--- "a/q\\"\\\\\\t\\001.py"\n'),
        ("caf\u00e9.py", "--- a/caf\u00e9.py\n".encode()),
        ("/abs/a.py", b"--- a/abs/a.py\n"),
    ],
)
def test_the_header_names_the_file_as_git_does(display: str, header: bytes) -> None:
    assert unified_diff(display, b"x\n", b"y\n").startswith(header)


def test_a_path_above_the_current_folder_is_given_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    diff = unified_diff("../x/a.py", b"x\n", b"y\n").decode()
    assert diff.startswith(f"--- a{tmp_path.parent}/x/a.py\n")


NAMES = ["a.py", "my models/a.py", 'q"\\uote.py', "tab\t.py", "caf\u00e9.py"]
LINES = st.lists(
    st.tuples(
        st.sampled_from([b"x", b"y = 2", b"", b"\xe9", b" ", b"-", b"+ \\"]),
        st.sampled_from([b"\n", b"\r\n", b"\r", b"\x0c"]),
    ),
    max_size=12,
)


@given(st.sampled_from(NAMES), LINES, LINES, st.booleans(), st.booleans())
def test_git_apply_turns_the_old_bytes_into_the_new(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    old_lines: list[tuple[bytes, bytes]],
    new_lines: list[tuple[bytes, bytes]],
    old_ends: bool,
    new_ends: bool,
) -> None:
    old = b"first\n" + b"".join(a + b for a, b in old_lines) + (b"end\n" if old_ends else b"end")
    new = b"first\n" + b"".join(a + b for a, b in new_lines) + (b"end\n" if new_ends else b"end")
    folder = tmp_path_factory.mktemp("apply")
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(old)
    diff = unified_diff(name, old, new)
    if diff:
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(command, cwd=folder, input=diff, check=True, capture_output=True)
    assert path.read_bytes() == new
