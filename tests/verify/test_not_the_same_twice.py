"""Programs with random numbers that cannot be pinned, through the whole command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verify_support import PROGRAMS

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.run_program import REFERENCE_VARIABLE

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
CLOCK = PROGRAMS / "clock.py"


def verified(capsys: pytest.CaptureFixture[str], migrated: Path) -> tuple[int, dict[str, Any]]:
    code = main(
        [str(CLOCK), str(migrated), "--legacy", "-q", "--format", "json", "--", "--rate=0.05"]
    )
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, said


def test_final_losses_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    slow = tmp_path / "slow.py"
    slow.write_text(
        CLOCK.read_text().replace(
            "GradientDescentOptimizer(rate)", "GradientDescentOptimizer(rate / 50)"
        )
    )
    code, verdict = verified(capsys, slow)
    assert code == 1
    last = verdict["rungs"][-1]
    assert last["name"] == "final loss of several runs"
    assert last["verdict"] == "different"
    assert last["figure"] == "p = 0.0079"  # the least there is with five runs of each
    assert [rung["verdict"] for rung in verdict["rungs"][:2]] == ["same"] * 2
    # The first batch is another one in every run already.
    assert [rung["verdict"] for rung in verdict["rungs"][2:7]] == ["skipped"] * 5
    assert "is not the same twice" in verdict["rungs"][2]["details"][0]
    assert "5 runs of the original end at" in last["details"][0]
