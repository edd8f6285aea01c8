"""The verdict says what was not compared, in every form that it has."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_command import exit_code
from traces import trace

from tfmigrate_runtime.verify.traces.trace import Trace


def without(*names: str) -> Trace:
    return trace(meta={key: value for key, value in trace().meta.items() if key not in names})


SAME = "The programs train the same."
LINE = (
    "8 of 9 rungs compared; not compared: first batch (not "
    "recorded), calls (not recorded), checkpoints (not recorded)."
)


def test_all_forms_say_what_was_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    less = without("calls", "checkpoint", "batch")
    reports = [tmp_path / f"report{suffix}" for suffix in (".html", ".md", ".json")]
    given = [part for report in reports for part in ("--report", str(report))]
    assert exit_code(less, less, "--format", "text", *given) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [SAME, f"  {LINE}"]
    for report in reports:
        assert LINE in report.read_text().replace("\\_", "_"), report
    assert '"checkpoints (not recorded)"' in reports[2].read_text()
    assert exit_code(less, less, "--format", "github") == 0
    assert LINE in capsys.readouterr().out
    assert LINE in (tmp_path / "summary").read_text()


def test_nothing_is_added_where_everything_was_compared(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert exit_code(trace(), trace(), "--format", "text") == 0
    assert capsys.readouterr().out.splitlines()[:2] == [SAME, ""]


NO_RESULTS = trace(
    evaluations=[],
    predictions=[],
    meta={**trace().meta, "predictions": [], "prediction_rows": []},
)


@pytest.mark.parametrize(
    ("original", "told"),
    [
        (NO_RESULTS, "evaluations and predictions (none made)"),
        (
            trace(meta={**trace().meta, "restored": {"reason": "its Saver is sharded"}}),
            "restoring checkpoints in the original (its Saver is sharded)",
        ),
        (
            trace(meta={**trace().meta, "checkpoint": {"reason": "it has no Saver"}}),
            "checkpoints (it has no Saver)",
        ),
    ],
)
def test_why_is_said(original: Trace, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(original, original, "--format", "text") == 0
    assert told in capsys.readouterr().out.splitlines()[1]
