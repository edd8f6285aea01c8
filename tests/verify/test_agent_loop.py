"""The loop of docs/how_to/port_with_an_agent.md repairs a port by the codes of causes alone."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "docs/examples/agent"


@pytest.fixture
def loop() -> Any:
    spec = importlib.util.spec_from_file_location("agent_loop", EXAMPLE / "loop.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_three_faults_are_repaired(
    loop: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "program"
    shutil.copytree(EXAMPLE, folder)
    causes, last = loop.repair(folder)
    assert sorted(causes) == ["initial-values", "learning-rate", "nesterov"]
    assert (last["verdict"], last["cause"]) == ("same", None)
    assert len(last["original"]["losses"]) == 40
    few = loop.verified(folder, "--steps", "5")
    assert few["verdict"] == "same"
    assert [len(few[side]["losses"]) for side in ("original", "migrated")] == [5, 5]
    assert "only the first steps were compared (--steps): not what follows them" in few["warnings"]
