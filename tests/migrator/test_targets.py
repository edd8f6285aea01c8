from __future__ import annotations

from dataclasses import replace

import pytest
from support import run
from test_cli import ORIGINAL

from tfmigrate.engine import migration
from tfmigrate.model.targets import DEFAULT, EAGER, ESTIMATOR, KERAS, TARGETS
from tfmigrate.rulekit.registry import rules
from tfmigrate.tables import symbol_table


def test_every_rule_gives_what_the_oldest_target_runs() -> None:
    runtime = {name: target for name, target in TARGETS.items() if not target.estimator}
    assert min(runtime, key=lambda name: runtime[name].version) == DEFAULT
    assert all(
        TARGETS[DEFAULT].takes(rule.target) == (rule.target not in (EAGER, ESTIMATOR, KERAS))
        for rule in rules()
    )


def test_versions_compare_as_versions_do() -> None:
    assert TARGETS["2.16"].takes("2.9")
    assert not TARGETS["2.16"].takes("2.17")
    assert [str(TARGETS[name]) for name in TARGETS] == list(TARGETS)


def test_a_rule_whose_result_needs_a_newer_tensorflow_takes_no_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    newer = [replace(rule, target="2.20") if rule.code == "TFM701" else rule for rule in rules()]
    monkeypatch.setattr(migration, "rules", lambda: newer)
    for name, target in TARGETS.items():
        told = {finding.code for finding in run(ORIGINAL, target=target).findings}
        assert ("TFM701" in told) == (name in ("2.20", "2.21"))


def test_no_public_name_of_the_first_graph_api_went_between_the_targets() -> None:
    """Why one rule serves all targets: what compat.v1 has in 2.16 it has in the newest, too."""
    oldest, newest = f"v1-{DEFAULT}", f"v1-{symbol_table.NEWEST}"
    names = [name for name in symbol_table.places() if symbol_table.is_found(name, oldest)]
    assert len(names) > 5000
    assert [name for name in names if not symbol_table.is_found(name, newest)] == []
