from __future__ import annotations

import dataclasses

import pytest

from tfmigrate.model.findings import Finding, Severity


def finding(path: str, line: int, column: int = 1, code: str = "TFM201") -> Finding:
    return Finding(path, line, column, code, Severity.FIXED, "message", "", applied=True)


def test_a_finding_cannot_be_changed_afterwards() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding("a.py", 1).line = 2  # type: ignore[misc]


def test_findings_sort_by_file_then_line_then_column_then_code() -> None:
    ordered = [
        finding("a.py", 2, 9),
        finding("a.py", 10, 1, "TFM202"),
        finding("a.py", 10, 5, "TFM201"),
        finding("a.py", 10, 5, "TFM601"),
        finding("b.py", 1),
    ]
    shuffled = [ordered[index] for index in (3, 0, 4, 2, 1)]
    assert sorted(shuffled) == ordered


def test_the_severity_takes_no_part_in_the_order() -> None:
    fixed = finding("a.py", 1)
    manual = dataclasses.replace(fixed, severity=Severity.MANUAL)
    assert not fixed < manual
    assert not manual < fixed


def test_severities_are_named_as_in_the_output() -> None:
    names = ["fixed", "kept", "unsafe", "manual", "error"]
    assert [severity.value for severity in Severity] == names
