"""Where the fixtures are."""

from __future__ import annotations

from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(path.parent for path in FIXTURES.glob("replicate_model_fn/*/case.toml"))
