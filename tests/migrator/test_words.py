"""Plain English: no banned word in a message, in the documentation of a rule or in a page."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.model.targets import TARGETS
from tfmigrate.rulekit.registry import rules

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "scripts" / "pages"
sys.path.insert(0, str(SCRIPTS))
from message_texts import messages  # noqa: E402 - it lies with the script that writes the page

BANNED = Path(__file__).parent / "banned_words.txt"
# Pages that are made from the source, which is read itself.
MADE = re.compile(r"docs/rules/|/messages\.md$")


def banned() -> list[tuple[re.Pattern[str], str]]:
    """Returns the patterns, and what to write in their place."""
    lines = BANNED.read_text(encoding="utf-8").splitlines()
    pairs = [line.split(" => ") for line in lines if line and not line.startswith("#")]
    return [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in pairs]


def texts() -> Iterator[tuple[str, int, str]]:
    """Yields what users read: the file, the line and the text."""
    for message in messages():
        yield message.path, message.line, message.text
        yield message.path, message.line, message.action
        yield message.path, 1, message.topic
    for path in sorted((ROOT / "migrator").glob("*/rules/tfm*.py")):
        shown = path.relative_to(ROOT).as_posix()
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")), clean=False) or ""
        yield from ((shown, n, line) for n, line in enumerate(docstring.splitlines(), 1))
    errors = ROOT / "migrator" / "tfmigrate" / "data" / "errors.md"
    for path in [
        errors,
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]:
        shown = path.relative_to(ROOT).as_posix()
        lines = path.read_text("utf-8").splitlines()
        if not MADE.search(shown):
            yield from ((shown, n, line) for n, line in enumerate(lines, 1))


def hits(found: Iterator[tuple[str, int, str]]) -> Iterator[str]:
    patterns = banned()
    for path, line, text in found:
        for pattern, better in patterns:
            for match in pattern.finditer(text):
                yield f'{path}:{line}: "{match[0]}": write {better}: {text[:120]}'


def test_no_banned_words() -> None:
    found = list(hits(texts()))
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def test_texts_of_every_kind_are_read() -> None:
    paths = [path for path, _, _ in texts()]
    for kind in ("README.md", "docs/", "migrator/tfmigrate/rules/", "runtime/"):
        assert any(path.startswith(kind) for path in paths), kind


@pytest.mark.parametrize(
    "text",
    ["it cannot be told", "a human rewrites it", "it trains otherwise", "ready_made", "it goes"],
)
def test_banned_words_are_found(text: str) -> None:
    assert next(hits(iter([("file.py", 3, text)]))).startswith("file.py:3: ")


@pytest.mark.parametrize(
    "text", ["unless the comment says otherwise", "Otherwise the program stops.", "a stand-in"]
)
def test_other_words_are_not(text: str) -> None:
    assert list(hits(iter([("file.py", 3, text)]))) == []


def findings_of_examples() -> Iterator[Finding]:
    """Yields what is reported of the examples of the rules, with --unsafe and without."""
    for rule in rules():
        for example in rule.examples:
            path = Path("/nowhere", example.file or "program.py")
            source = SourceFile(path, path.name, example.before, encoding="utf-8", bom=False)
            target = TARGETS[example.target]
            for unsafe in (True, False):
                options = Options(unsafe=unsafe, coordinator=example.coordinator, target=target)
                yield from migrate([source], options).findings


def test_findings_have_the_same_parts_in_the_same_order() -> None:
    """What was found, what it becomes or why it cannot, and in the action what to do."""
    for finding in findings_of_examples():
        if finding.severity is Severity.FIXED and finding.applied:
            assert re.search(" -> | removed: ", finding.message), finding
            assert finding.action == "", finding
        else:
            assert finding.action, finding
        assert not f"{finding.message}|{finding.action}".endswith("."), finding


def test_the_page_of_messages_is_up_to_date() -> None:
    command = [sys.executable, str(SCRIPTS / "messages.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout + done.stderr == ""


def test_messages_are_found_in_all_packages() -> None:
    found = messages()
    packages = {message.path.split("/")[1] for message in found}
    assert packages == {"tfmigrate", "tfmigrate_keras", "tfmigrate_runtime"}
    by_text = {message.text: message for message in found}
    assert by_text["{old} -> run"].topic.startswith("TFM511: ")
    assert any(message.action for message in found if message.topic.startswith("TFM516"))
