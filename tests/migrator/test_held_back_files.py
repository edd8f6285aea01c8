"""A file that waits for another file of its program says so in a line of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import source

from tfmigrate.engine.decide import Decision
from tfmigrate.engine.options import Options
from tfmigrate.model import edits as ed
from tfmigrate.model.findings import Finding, Severity
from tfmigrate.resolve.module import Module
from tfmigrate.rulekit.drafts import Draft
from tfmigrate.rulekit.suppressions import Suppressions

A = Module(source(Path("/nowhere/a.py"), "# first\nx = 1\ny = 2\n"))
B = Module(source(Path("/nowhere/b.py"), "z = 3\n"))
IMPORT = Draft(
    "TFM701",
    A,
    A.tree.body[0],
    Severity.FIXED,
    "import",
    edits=(ed.ReplaceStatement(A.tree.body[0]),),
    group="g",
    quiet=True,
)
OBSTACLE = Draft("TFM205", B, B.tree.body[0], Severity.MANUAL, "m", "do it", group="g", blocks=True)


def told(*drafts: Draft, **options: object) -> list[Finding]:
    chosen = Options(**options)  # type: ignore[arg-type]
    return sorted(Decision(drafts, chosen, Suppressions([A, B])).findings())


def test_a_file_held_back_by_another_one_names_it() -> None:
    held, obstacle = told(IMPORT, OBSTACLE)
    assert (held.path, held.line, held.code) == ("a.py", 2, "TFM910")
    assert (held.severity, held.applied, held.held_back) == (Severity.MANUAL, False, True)
    assert held.action == "resolve TFM205 at b.py:1:1 first"
    assert (obstacle.code, obstacle.held_back) == ("TFM205", False)


@pytest.mark.parametrize(
    ("drafts", "codes"),
    [
        ([IMPORT], ["TFM701"]),
        # One line is enough, and an obstacle of the file itself is one.
        ([IMPORT, OBSTACLE, Draft(**{**vars(IMPORT), "code": "TFM102", "quiet": False})], 2),
        ([IMPORT, Draft(**{**vars(OBSTACLE), "module": A, "node": A.tree.body[1]})], ["TFM205"]),
    ],
)
def test_no_line_where_the_file_has_one_already(
    drafts: list[Draft], codes: list[str] | int
) -> None:
    found = [finding.code for finding in told(*drafts)]
    assert "TFM910" not in found
    assert len(found) == codes if isinstance(codes, int) else found == codes


def test_what_waits_for_unsafe_is_unsafe_and_what_does_not_is_manual() -> None:
    risky = Draft(**{**vars(OBSTACLE), "severity": Severity.UNSAFE})
    held, obstacle = told(IMPORT, risky)
    assert (held.severity, obstacle.severity) == (Severity.UNSAFE, Severity.UNSAFE)
    assert [finding.code for finding in told(IMPORT, risky, unsafe=True)] == ["TFM701", "TFM205"]
    # --unsafe would not make the change: something else holds it back.
    held, *others = told(IMPORT, risky, Draft(**{**vars(OBSTACLE), "code": "TFM207"}))
    assert {finding.severity for finding in (held, *others)} == {Severity.MANUAL}
    assert held.action == "resolve TFM205 at b.py:1:1, TFM207 at b.py:1:1 first"
    assert others[0].action == "do it; resolve TFM207 at b.py:1:1 first"


def test_a_file_whose_changes_need_a_rule_that_is_not_selected_says_so() -> None:
    other = Draft(**{**vars(IMPORT), "code": "TFM102", "module": B, "node": B.tree.body[0]})
    (held,) = told(IMPORT, other, select=("TFM701",))
    assert (held.code, held.action) == (
        "TFM910",
        "needs TFM102 (not selected)",
    )
