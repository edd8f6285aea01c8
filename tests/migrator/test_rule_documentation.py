"""The documentation of every rule is true: its examples are migrated here."""

from __future__ import annotations

import pytest
from support import migrated, run

from tfmigrate.model.findings import UNPARSABLE_FILE, Severity
from tfmigrate.model.targets import TARGETS
from tfmigrate.rulekit.registry import Example, Rule, rules

SECTIONS = ("What it does:", "Why:", "Example:", "What is left to you:", "Safety:")


def options_of(example: Example) -> dict[str, object]:
    return {"coordinator": example.coordinator, "target": TARGETS[example.target]}


def cases() -> list[tuple[Rule, Example]]:
    return [(rule, example) for rule in rules() for example in rule.examples]


def test_there_are_rules() -> None:
    assert len(rules()) >= 15


def test_codes_and_names_are_distinct() -> None:
    assert len({r.code for r in rules()}) == len({r.name for r in rules()}) == len(rules())
    assert UNPARSABLE_FILE not in {r.code for r in rules()}


@pytest.mark.parametrize("rule", rules(), ids=lambda r: r.code)
def test_documentation_has_every_section(rule: Rule) -> None:
    positions = [rule.docstring.find(f"\n{section}\n") for section in SECTIONS]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert rule.summary.endswith(".")
    assert rule.examples


@pytest.mark.parametrize(("rule", "example"), cases(), ids=lambda v: getattr(v, "code", ""))
def test_example(rule: Rule, example: Example) -> None:
    options = {"unsafe": True, **options_of(example)}
    result = run(example.before, **options)
    assert rule.code in {f.code for f in result.findings}
    if example.after is None:
        others = {f.code for f in result.findings if f.severity is Severity.FIXED}
        assert rule.severity in (Severity.KEPT, Severity.MANUAL)
        assert example.before == migrated(example.before, **options) or others
    else:
        assert migrated(example.before, **options) == example.after


@pytest.mark.parametrize(("rule", "example"), cases(), ids=lambda v: getattr(v, "code", ""))
def test_unsafe_and_manual_change_nothing_by_default(rule: Rule, example: Example) -> None:
    result = run(example.before, **options_of(example))
    if rule.severity is Severity.UNSAFE:
        kept = any(f.code == rule.code and f.unsafe_converts for f in result.findings)
        assert result.texts == {} or kept
    if rule.severity is not Severity.FIXED:
        told = [f for f in result.findings if f.code == rule.code]
        assert told
        assert all(f.action and not f.applied for f in told)


@pytest.mark.parametrize(("rule", "example"), cases(), ids=lambda v: getattr(v, "code", ""))
def test_findings_say_in_one_line_each_what_it_is_and_what_to_do_next(
    rule: Rule, example: Example
) -> None:
    for unsafe in (False, True):
        result = run(example.before, unsafe=unsafe, **options_of(example))
        for finding in result.findings:
            for line in (finding.message, finding.action):
                assert line == line.strip()
                assert line.isprintable()
                assert not line.endswith(".")
            assert finding.message
            assert finding.applied or finding.action, "what is left says what to do"
