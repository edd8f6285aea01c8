"""Where the fixtures are."""

from __future__ import annotations

from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"
MIGRATED_FAMILIES = ("replicate_model_fn",)  # every program of them has a migrated form
CASES = sorted(
    path.parent for family in MIGRATED_FAMILIES for path in FIXTURES.glob(f"{family}/*/case.toml")
)
